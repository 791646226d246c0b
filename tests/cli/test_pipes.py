"""Pipes and devices in place of files: refused at once by every command, in every place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Final

import click
import pytest
from tests.cli.calling import trente
from tests.cli.test_strange_texts import COMMANDS, command_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes"),
]

NO_FILES: Final = {
    "--format", "--language", "--coups", "--shoes", "--packs", "--seed", "--bankroll", "--minimum",
    "--maximum", "--source", "--client", "--bytes", "--engine", "--remaining", "--of", "--alarm",
    "--taille", "--shoe", "--from",
}  # fmt: skip
"""Options whose value is no file."""
WRITTEN: Final = {"--out", "--plot"}
"""Options that name a new file: a pipe is there already."""
HANGS: Final = 30
HOUSE: Final = "france-2007"


def calls(names: tuple[str, ...], pipe: str) -> Iterator[tuple[str, ...]]:
    """Yield the calls of a command with a pipe in each place that a file can have."""
    command = command_of(names)
    places = [each for each in command.params if isinstance(each, click.Argument)]
    given = [pipe if each.required else HOUSE for each in places]
    if names == ("migrate",):
        given = [pipe, f"{pipe}-new"]
    if names == ("new",):
        given = [f"{pipe}-new.toml"]
        yield (pipe, "--from", HOUSE)
        yield (*given, "--from", f"{pipe}.toml")
    elif pipe in given:
        yield tuple(given)
        yield tuple(f"{each}.toml" if each == pipe else each for each in given)
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag:
            name = option.opts[-1]
            if name not in NO_FILES | WRITTEN:
                yield (*[HOUSE if each == pipe else each for each in given], name, pipe)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(names, marks=pytest.mark.nightly if names[0] == "simulate" else ())
        for names in COMMANDS
    ],
    ids=" ".join,
)
def test_no_command_waits_for_a_pipe_or_a_device(names: tuple[str, ...], tmp_path: Path) -> None:
    """S17: refused with the name in the message; nothing hangs, nothing is read without end."""
    pipe = tmp_path / "p"
    for path in (pipe, tmp_path / "p.toml"):
        os.mkfifo(path)
    device = tmp_path / "zero"
    for path in (device, tmp_path / "zero.toml"):
        path.symlink_to("/dev/zero")
    for path in (pipe, device):
        for call in calls(names, str(path)):
            done, found = Event(), []

            def run(call: tuple[str, ...] = call, done: Event = done) -> None:
                found.append(trente(*names, *call))  # noqa: B023 - waited for below
                done.set()

            Thread(target=run, daemon=True).start()
            assert done.wait(HANGS), f"hangs: {names} {call}"
            (ran,) = found
            assert ran.status in (1, 2), (call, ran)
            codes = ("[file-unreadable]", "[outside-folder]", "[no-folder]")
            assert ran.err or any(code in ran.out for code in codes), call
            assert "Traceback" not in ran.err
