"""The certification pack: what a test laboratory asks for, as one folder that can be verified."""
