"""``trente plugins``: what is there, what it brings, what is wrong with it."""

from __future__ import annotations

import sys

import attrs
import click

from trente_rules.cli.output import print_json
from trente_rules.errors import TrenteError
from trente_rules.house.toml import load_house
from trente_rules.plugins.manager import ENVIRONMENT, PluginManager, PluginReport


def _with_houses(report: PluginReport, manager: PluginManager) -> PluginReport:
    """Answer a report with what is wrong with the houses that the plugin brings."""
    faults = [report.problem] if report.problem else []
    for thing in report.brings:
        if thing.startswith("house "):
            try:
                load_house(thing.removeprefix("house "), plugins=manager)
            except TrenteError as error:
                faults.append(str(error))
    return attrs.evolve(report, problem="; ".join(faults))


@click.command(
    epilog=f"The environment variable {ENVIRONMENT} limits the plugins that are loaded: names of "
    "distributions, or of distribution:entry, with commas between them; empty for none."
)
@click.option("--strict", is_flag=True, help="Stop at the first plugin that fails.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(strict: bool, form: str) -> None:  # noqa: FBT001 - click passes it
    """List the plugins; leaves with 1 if one of them fails."""
    manager = PluginManager.from_environment(strict=strict)
    reports = [_with_houses(report, manager) for report in manager.reports()]
    if form == "json":
        print_json({"plugins": [attrs.asdict(report) for report in reports]})
    else:
        for report in reports:
            click.echo(report.name)
            for thing in report.brings:
                click.echo(f"  {thing}")
            if report.problem:
                click.echo(f"  PROBLEM: {report.problem}")
    manager.check_pending()
    if any(report.problem for report in reports):
        sys.exit(1)
