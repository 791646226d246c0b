"""Simulation: whole shoes dealt to their end, stakes carried by the house's own tables."""
