"""A house as a frozen value, read from TOML and written back."""
