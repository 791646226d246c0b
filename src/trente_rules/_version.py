"""The one place that says which version this is."""

__version__ = "0.7.0"
