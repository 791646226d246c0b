"""Two made-up houses, one folder each: all that is here is TOML."""
