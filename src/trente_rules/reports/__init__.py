"""What a house prints: comparison, PAR sheet, rules in words, monitoring."""
