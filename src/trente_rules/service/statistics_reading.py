"""The statistics that players note: outcomes, coups won and lost, the cards that are out."""

from __future__ import annotations

from attrs import frozen


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
    the viewer's: the last 500 coups in which they had a stake; without a player ``own`` is None.
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
