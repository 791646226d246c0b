"""Exact mathematics: the odds of a coup, and the bank's advantage on every wager of a house."""
