"""The commands that this library ships: they come in by ``trente_commands``, as a stranger's do.

Apart from the group, so that listing them imports neither click nor a command.
"""

from __future__ import annotations

from typing import Final

from trente_rules.core.plugins.hookspecs import Subcommand

_GROUPS: Final = {
    "Houses": {
        "houses": ("houses", "List the houses."),
        "compare": ("compare", "Compare the bank's edge and the rules of houses."),
        "diff": ("diff", "Show what differs between two houses and what it costs."),
        "rules": ("houses", "Print the rules of a house in plain language."),
        "show": ("houses", "Print every value of a house."),
        "par": ("par", "Print the PAR sheet of a house."),
        "certify": ("certify", "Write what a test laboratory asks for about a house."),
        "new": ("house_files", "Write a house file to start from."),
        "check": ("house_files", "Find the mistakes in house files."),
        "fingerprint": ("houses", "Print the fingerprint of a house's rules."),
        "schema": ("schema", "Print the JSON Schema of house files or of the service."),
    },
    "Odds and simulation": {
        "odds": ("odds", "Compute the odds of the next coup from the cards left."),
        "simulate": ("simulate", "Simulate flat stakes or staking systems."),
        "count": ("count", "Measure what a card counter could gain."),
    },
    "Tables and records": {
        "history": ("table", "Show the last coups of a table."),
        "monitor": ("monitor", "Check a table's results and cards against the odds."),
        "record": ("records", "Convert records, journals and permanences."),
        "replay": ("records", "Deal and settle records again and report differences."),
        "verify": ("verify", "Verify a record, a journal or a certification pack."),
        "card": ("records", "Draw a score card."),
        "journal": ("journal", "Copy a journal, print its head, make signing keys."),
        "migrate": ("migrate", "Convert the files of an earlier release."),
    },
    "Play and service": {
        "play": ("play", "Play in the terminal or in a browser."),
        "serve": ("serve", "Serve tables over HTTP and WebSocket."),
        "token": ("token", "Print tokens for the visitors of a service."),
    },
    "Tools": {
        "rng": ("rng", "Export shuffles; verify provably fair shoes."),
        "plugins": ("houses", "List plugins and the faults in them."),
        "completion": ("completion", "Print the script that completes commands in a shell."),
    },
}
"""Each group of commands: the module of each, and its line in the list."""
COMMANDS: Final = tuple(
    Subcommand(name, line, f"trente_rules.cli.{module}:{name}_command", group)
    for group, commands in _GROUPS.items()
    for name, (module, line) in commands.items()
)
