"""Staking systems: how players raise and lower their stakes, as states and what leads from each."""
