"""The commands that this library ships: they come in by ``trente_commands``, as a stranger's do.

Apart from the group, so that listing them imports neither click nor a command.
"""

from __future__ import annotations

from typing import Final

from trente_rules.core.plugins.hookspecs import Subcommand

_LINES: Final = {
    "compare": ("compare", "houses side by side: the rules that differ, and the bank's advantage"),
    "odds": (
        "odds",
        "the next coup from the cards that are left: points, chances, edges, insurance",
    ),
    "par": ("par", "the PAR sheet of a house: odds, advantages, risks, by stake and by taille"),
    "simulate": ("simulate", "deal many coups of one or more houses, beside what is exact"),
    "count": ("odds", "what a counter of every card could gain, by the depth of the shoe"),
    "houses": ("houses", "list the houses there are"),
    "show": ("houses", "all values of a house, its sources, and what is inferred"),
    "rules": ("houses", "the rules of a house in words, in the language you choose"),
    "check": ("house_files", "find every fault of house files"),
    "new": ("house_files", "write a house file to start from"),
    "diff": ("diff", "each key in which two houses differ, and what it does to the advantage"),
    "fingerprint": ("houses", "the fingerprint of a house's rules"),
    "schema": ("schema", "the JSON Schema of house files, commands, events, records; its types"),
    "journal": ("journal", "copy a journal as a table runs; its head; keys that sign heads"),
    "history": ("table", "the last coups of a table, step by step, from its journal"),
    "monitor": ("table", "turnover and net of tables beside what their rules make likely"),
    "record": ("records", "tailles from one form to another: records, journals, permanences"),
    "replay": ("records", "records dealt and settled again: where anything differs"),
    "verify": ("records", "the seal of a record, its shuffle, the chain of a journal"),
    "card": ("records", "the score card of a taille, as the traditional carton"),
    "migrate": ("migrate", "a journal, snapshot or record of an earlier release in today's form"),
    "play": ("play", "the table to sit at, in the terminal"),
    "serve": ("serve", "tables over HTTP and WebSocket; a web table to play at"),
    "token": ("token", "tokens for the visitors of a service; the keys that sign them"),
    "rng": ("rng", "export what shufflers give; verify provably fair shoes"),
    "plugins": ("houses", "the plugins there are, what they bring, what is wrong with them"),
}
"""Each command's module and its line, in the order of the list."""
COMMANDS: Final = tuple(
    Subcommand(name, line, f"trente_rules.cli.{module}:{name}_command")
    for name, (module, line) in _LINES.items()
)
