"""The table to sit at: the session without a screen, and the app under its pilot."""
