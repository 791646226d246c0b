"""The table to sit at: a player against the house, in a terminal."""
