"""Tests of the simulation room."""
