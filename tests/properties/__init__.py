"""Properties of every house."""
