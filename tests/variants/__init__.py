"""The shipped houses: what their sources say, clause by clause, and that the files are whole."""
