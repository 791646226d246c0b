"""The core: what the game is, what a house says, and how a coup is settled."""
