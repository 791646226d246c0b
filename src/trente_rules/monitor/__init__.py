"""Monitoring: a table's net beside what its rules make likely."""
