"""Tests of the staking systems."""
