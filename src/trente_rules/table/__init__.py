"""The live table: commands in, events out. ``decide`` is pure; ``Table`` keeps the state."""
