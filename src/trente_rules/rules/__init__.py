"""What a house may decide, one module a thing: each rule builds a table, and engines read tables."""
