"""Plugins: the hooks by which strangers and this library add rules, houses, languages and more."""
