"""Tests of strategies: at the real table, and counting cards."""
