"""Rules that a house chooses: refait, insurance, limits, announcements, order of settlement."""
