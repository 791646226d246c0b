"""Tests of the command line, and how they call it."""
