"""The rules in words, for players: made from the very value that is executed, in five languages."""
