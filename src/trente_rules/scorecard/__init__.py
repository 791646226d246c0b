"""The score card of a taille, the traditional carton: its lines, and its drawings."""
