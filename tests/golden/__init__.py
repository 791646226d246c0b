"""Files that releases wrote, which every later one reads."""
