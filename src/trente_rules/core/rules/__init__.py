"""What a house may decide, one module a thing: rules build tables, and engines read tables."""
