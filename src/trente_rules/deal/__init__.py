"""Cards, shoes and coups: entropy in, coup out. Dealing knows no bets."""
