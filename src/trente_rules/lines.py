"""What a settlement says: the choices that went in, and a line for each stake that comes out."""

from __future__ import annotations

from fractions import Fraction

from attrs import field, frozen

from trente_rules.deal.coup import Coup
from trente_rules.errors import BetError
from trente_rules.money import NOUGHT
from trente_rules.rules.chances import Verdict
from trente_rules.rules.machine import FREE
from trente_rules.stakes import Stake


def _verdict(verdict: Verdict | str) -> Verdict:
    return Verdict.of_id(verdict) if isinstance(verdict, str) else Verdict(verdict)


@frozen
class Choice:
    """A player's choice of a course, should a verdict meet a stake in a state.

    It may be given before the coup; it acts only if that verdict comes while the stake is there.
    The verdict may be given by its id; ``RuleError`` ("unknown-verdict") if there is none.
    """

    stake: str
    course: str
    state: str = FREE
    verdict: Verdict = field(default=Verdict.REFAIT, converter=_verdict)


@frozen(slots=False)  # made for every stake of every coup: so it is made in half the time
class Line:
    """What became of one stake; amounts in units.

    What stood and the premium went in: ``stake.standing + premium == returned + forfeited +
    staying + premium_kept + premium_returned``. ``won`` comes from the bank beside it. ``after`` is
    the stake as it goes on, None where nothing of it stays. ``residue`` is what was exact less what
    was rounded, above zero where the bank has the difference; ``premium_residue`` is what a premium
    that is kept was rounded up by.
    """

    stake: Stake
    verdict: Verdict
    course: str
    returned: int = 0
    won: int = 0
    forfeited: int = 0
    staying: int = 0
    after: Stake | None = None
    insured: bool = False
    premium_kept: int = 0
    premium_returned: int = 0
    residue: Fraction = NOUGHT
    premium_residue: Fraction = NOUGHT

    @property
    def premium(self) -> int:
        """The premium that was paid for the coup."""
        return self.premium_kept + self.premium_returned

    @property
    def player_net(self) -> int:
        """What the player is richer or poorer by, a stake that stays counted as his."""
        return self.won - self.forfeited - self.premium_kept

    def __str__(self) -> str:
        """Answer the line in words: ``a1 rouge 100: win, won: 100 back, 100 won``."""
        parts = [
            f"{units} {word}"
            for units, word in (
                (self.returned, "back"),
                (self.won, "won"),
                (self.forfeited, "lost"),
                (self.staying, f"stays in {self.after.state}" if self.after else ""),
                (self.premium_kept, "premium"),
                (self.premium_returned, "premium back"),
            )
            if units
        ]
        stake = f"{self.stake.id} {self.stake.chance} {self.stake.amount}"
        return f"{stake}: {self.verdict.id}, {self.course}: {', '.join(parts) or 'nothing moves'}"


@frozen
class Settlement:
    """What became of every stake of a coup, in the order the house settles; amounts in units.

    ``coup`` is None for the close of a session and for a void coup.
    """

    coup: Coup | None
    lines: tuple[Line, ...]

    @property
    def staying(self) -> tuple[Stake, ...]:
        """The stakes that stand on the table after it."""
        return tuple(line.after for line in self.lines if line.after is not None)

    @property
    def players_net(self) -> int:
        """What the players are richer by, together."""
        return sum(line.player_net for line in self.lines)

    @property
    def bank_net(self) -> int:
        """What the bank is richer by."""
        return sum(line.forfeited + line.premium_kept - line.won for line in self.lines)

    def line(self, stake_id: str) -> Line:
        """Answer the line of a stake; ``BetError`` ("unknown-stake") if there is none."""
        for line in self.lines:
            if line.stake.id == stake_id:
                return line
        raise BetError(
            f"no stake {stake_id!r} was settled",
            "unknown-stake",
            f"stakes are {', '.join(line.stake.id for line in self.lines) or 'none'}",
            stake_id,
        )
