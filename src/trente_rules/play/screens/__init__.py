"""What opens over the table."""
