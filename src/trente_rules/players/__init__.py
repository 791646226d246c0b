"""Who sits down at a table: strategies in Python, staking systems, counters of cards."""
