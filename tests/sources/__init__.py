"""The documents that the game is taken from: one test for each sentence that states a rule."""
