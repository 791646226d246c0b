"""The exact odds of a coup, and the bank's advantage on every wager of a house."""
