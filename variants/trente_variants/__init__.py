"""The houses that trente-rules ships, brought in as any stranger's package brings its own.

Each folder holds one house: ``<name>/house.toml``. The entry point names this package; it needs no
hook.
"""
