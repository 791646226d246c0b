"""Strategies and systems: who sits down, what they may expect, how they play at the real table."""
