"""Target: saved sessions of `trente play`. What is read is written again, and played on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from tests.fuzz import snapshots
from tests.fuzz.mutation import json_mutation
from tests.fuzz.target import ROOT, Target, check, folder, refused
from tests.properties.shipped import shipped

from trente_rules import TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.play.saving import SaveFile, session_text
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.testing import opening_of

STEPS: Final = 6
LONGEST: Final = 24_000


def one(data: bytes) -> str:
    """Read a save file, write it again, and play on."""
    file = folder() / "session.json"
    file.write_bytes(data)
    try:
        session = SaveFile(file).read()
    except TrenteError as error:
        return refused(error)
    assert session is not None
    snapshots.check_sound(session.table)
    text = session_text(session)
    file.write_text(text, "utf-8")
    again = SaveFile(file).read()
    assert again is not None
    check(session_text(again) == text, "it is written in another way the second time")
    return f"accepted, {_on(session)}"


def _on(session: PlaySession) -> str:
    """Play on as a player does; return how far it came."""
    done = "read"
    for step in range(STEPS):
        chance = session.house.chances[step % len(session.house.chances)].id
        for act in (session.shuffle, lambda: session.cut(0), lambda: session.place_marker(30)):
            _try(act)
        _try(lambda chance=chance: session.add(chance))
        if _try(session.deal):
            done = "dealt"
        for offer in session.offers():
            _try(lambda offer=offer: session.choose(offer.stake.id, offer.courses[0]))
        snapshots.check_sound(session.table)
    return done


def _try(act: object) -> bool:
    try:
        act()  # type: ignore[operator]
    except TrenteError as error:
        refused(error)
        return False
    return True


def seeds() -> Iterator[bytes]:
    """Yield sessions in every phase, of a seed and of the system's chance."""
    for place, name in enumerate(("france-2007", "italian-program", "monte-carlo-1911")):
        house = shipped(name)
        shuffler = SeededShuffler(bytes([place]) * 16, test=True)
        session = PlaySession.begin(house, opening_of(house), 10**6, shuffler)
        yield session_text(session).encode()
        session.shuffle()
        yield session_text(session).encode()
        if session.step is UiStep.CUT:
            session.cut(100)
        marker = house.shoe.marker
        if session.step is UiStep.MARKER and marker:
            session.place_marker(marker.bounds[0])
        for _coup in range(2):
            session.add("rouge")
            yield session_text(session).encode()
            session.deal()
            for offer in session.offers():
                session.choose(offer.stake.id, offer.courses[0])
        yield session_text(session).encode()
    for path in sorted((ROOT / "tests/golden").glob("0.*/*/save.json")):
        if path.stat().st_size <= LONGEST:
            yield path.read_bytes()


def words() -> Iterable[str]:
    """Return the keys of saved sessions and of the snapshots in them."""
    keys = [key for each in seeds() for key in json.loads(each)]
    return [*dict.fromkeys(keys), "seed", "stream", "position", *snapshots.words()]


TARGET = Target("saves", one, seeds, words, json_mutation, LONGEST)
