"""The table to sit at: a player against the house, in a terminal or a browser."""
