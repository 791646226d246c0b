"""The command ``trente least HOUSE``."""

import click
from trente_rules import load_house
from trente_rules.odds import advantage, fresh_shoe


@click.command()
@click.argument("house")
def least(house):
    """Print the least that a HOUSE takes of each chance."""
    found = advantage(load_house(house), fresh_shoe(6))
    for chance in dict.fromkeys(wager.chance for wager in found.wagers):
        click.echo(f"{chance}: {min(w.edge for w in found.wagers if w.chance == chance)}")
