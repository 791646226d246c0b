"""Records of tailles: TOML files from which a taille is dealt and settled again."""
