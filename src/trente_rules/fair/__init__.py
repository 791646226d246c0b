"""Where the order of a shoe comes from: entropy, and provably fair shoes."""
