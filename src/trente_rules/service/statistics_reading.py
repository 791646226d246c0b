"""The statistics that players note: outcomes, coups won and lost, the cards that are out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attrs import evolve, frozen

from trente_rules.core.coup import POINTS
from trente_rules.service.house_facts import refait_name
from trente_rules.service.table_notes import NotesNow, OwnCoups, TableNotes
from trente_rules.table.entries import Journal
from trente_rules.table.statistics import Statistics
from trente_rules.table.table import Table
from trente_rules.table.views import Viewer


@frozen
class ShoeReading:
    """The cards of the shoe on the table: ``low`` are aces to sixes, ``high`` eights to kings.

    ``burned`` are those burned unseen. ``cut`` and ``marker`` (cards behind it) are None where they
    are not known, ``to_marker`` how many cards come before it.
    """

    packs: int
    cards_out: int
    cards_left: int
    points_out: int
    low_out: int
    low_left: int
    high_out: int
    high_left: int
    burned: int
    cut: int | None
    marker: int | None
    to_marker: int | None


@frozen
class OwnReading:
    """The viewer's own coups: those that ended with a gain, with a loss, with neither.

    ``staked`` and ``net`` are units; a stake in prison counts as the player's until it leaves.
    """

    won: int
    lost: int
    neither: int
    staked: int
    net: int


@frozen
class NetStep:
    """The viewer's net of one coup, and the sum up to it, in units."""

    shoe: int
    coup: int
    net: int
    total: int


@frozen
class SumsReading:
    """The sums of a taille or a session.

    ``wins`` counts the coups that each chance won, ``refaits`` the coups that were a refait.
    ``points`` counts the rows that ended on each point, from 31. ``own`` and ``net_by_coup`` are
    the viewer's: the last 300 coups in which they had a stake; without a player ``own`` is None.
    """

    coups: int
    apres: int
    refaits: int
    voided: int
    corrected: int
    wins: dict[str, int]
    points: tuple[int, ...]
    own: OwnReading | None
    net_by_coup: tuple[NetStep, ...]


@frozen
class StatisticsReading:
    """The statistics of this taille and of the session.

    ``refait_name`` is what players call a refait here: "un après" where 31 alone loses.
    """

    taille: SumsReading
    session: SumsReading
    tailles: int
    shoe: ShoeReading
    refait_name: str


def statistics_reading(
    table: Table, viewer: Viewer, notes: TableNotes | None = None, journal: Journal | None = None
) -> StatisticsReading:
    """Return the statistics of a table, with a player's own.

    Without ``notes``, which are quick, all of the session is counted. At a machine, which has no
    tailles, those of the taille are those of the session.
    """
    player = viewer if isinstance(viewer, str) else ""
    found = (notes or TableNotes(table, journal)).now(player)
    nets = [NetStep(*place, net, 0) for place, net in found.own.nets.items()]
    session = _sums(found.session, found.own if player else None, nets, found.own.net)
    shoe, taille = found.shoe, session
    if not table.house.shoe.every_coup:
        here = [step for step in nets if step.shoe == shoe]
        own = OwnCoups(
            nets={(step.shoe, step.coup): step.net for step in here},
            staked=Counter({shoe: found.own.staked[shoe]}),
        )
        taille = _sums(found.taille, own if player else None, here, 0)
    return StatisticsReading(
        taille=taille,
        session=session,
        tailles=found.session.tailles,
        shoe=_shoe(found),
        refait_name=refait_name(table.house),
    )


def _sums(
    counted: Statistics, own: OwnCoups | None, nets: Sequence[NetStep], before: int
) -> SumsReading:
    steps, total = list[NetStep](), before
    for step in nets:
        total += step.net
        steps.append(evolve(step, total=total))
    size = len(POINTS)
    table = counted.points
    return SumsReading(
        coups=counted.coups,
        apres=counted.apres,
        refaits=counted.refaits,
        voided=counted.voided,
        corrected=counted.corrected,
        wins=dict(counted.wins),
        points=tuple(
            sum(table[place * size : (place + 1) * size]) + sum(table[place::size])
            for place in range(size)
        ),
        own=None if own is None else _own(own, total),
        net_by_coup=tuple(steps),
    )


def _own(own: OwnCoups, net: int) -> OwnReading:
    known = own.nets.values()
    return OwnReading(
        won=own.won + sum(each > 0 for each in known),
        lost=own.lost + sum(each < 0 for each in known),
        neither=own.neither + sum(not each for each in known),
        staked=sum(own.staked.values()),
        net=net,
    )


def _shoe(found: NotesNow) -> ShoeReading:
    shoe = found.session.shoe
    marker = found.marker
    return ShoeReading(
        packs=shoe.packs,
        cards_out=shoe.cards_out,
        cards_left=shoe.cards_left,
        points_out=shoe.points_out,
        low_out=shoe.low_out,
        low_left=shoe.low_in,
        high_out=shoe.high_out,
        high_left=shoe.high_in,
        burned=found.burned,
        cut=found.cut,
        marker=marker,
        to_marker=None if marker is None else max(shoe.cards_left - marker, 0),
    )
