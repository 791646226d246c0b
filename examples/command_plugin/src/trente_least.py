"""A command of a plugin: named here, imported when it is called."""

from trente_rules import hookimpl
from trente_rules.core import Subcommand


@hookimpl
def trente_commands():
    target = "trente_least_command:least"
    return [Subcommand("least", "the least a house takes of each chance, as a fraction", target)]
