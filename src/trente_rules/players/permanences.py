"""A staking system over coups that were noted: a permanence, or the results of its stakes.

Stakes are accepted, chosen for and settled as at a table, from the verdicts alone: there are no
cards. What was not noted is not guessed: before such a coup no stake is placed, and where a stake
in prison meets one, the play ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from attrs import evolve, field, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.errors import BetError, RecordError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.settlement import refusals, wager_of
from trente_rules.core.stakes import History, Line, Stake
from trente_rules.core.toml import faults_error
from trente_rules.players.strategy import PLAYER, Ended, SystemPlayer, TableBet, View
from trente_rules.records.files import record_error
from trente_rules.records.permanence import BREAK, MISSED, Permanence
from trente_rules.simulation.seat import Seat

# Coups, from a permanence or from results as text.

Meets = Callable[[Chance], Verdict | None]
"""What a chance met in a coup, None where that is not known."""


@frozen
class _Coup:
    """A coup as it was noted: its text, and what each chance met."""

    noted: str
    meets: Meets = field(eq=False)


_RESULTS: Final = {"W": "win", "L": "lose", "A": "apres", "X": "refait", MISSED: ""}
_WORDS: Final = {name: letter for letter, name in _RESULTS.items() if name}
_OTHER_TIE: Final = {"apres": "refait", "refait": "apres"}
MOST_RESULTS: Final = 200_000


def _of_results(text: str) -> Iterator[tuple[_Coup, ...]]:
    """Yield the tailles of results as text: ``L W W``, ``LWW -- A X ?``."""
    if not text.strip():
        raise _result_error("no result is given")
    if len(text) > MOST_RESULTS:
        raise RecordError(f"{len(text)} characters are more than {MOST_RESULTS}", "file-too-large")
    found: list[_Coup] = []
    for word in re.split(r"[\s,;]+", text.strip(" \t\r\n,;")):
        if word == BREAK:
            yield tuple(found)
            found = []
            continue
        for letter in _WORDS.get(word.lower(), word.upper()):
            if letter not in _RESULTS:
                raise _result_error(f"{shown(word)} is not a result")
            found.append(_Coup(letter, _meeting(_RESULTS[letter])))
    yield tuple(found)


def _result_error(what: str) -> RecordError:
    hint = "results are W (won), L (lost), A (après), X (refait) and ? (not noted)"
    return RecordError(what, "bad-result", hint)


def _meeting(kind: str) -> Meets:
    """Return what gives a chance its verdict of a kind; of ties, the one that the chance knows."""

    def meets(chance: Chance) -> Verdict | None:
        for wanted in (kind, _OTHER_TIE.get(kind)):
            for verdict in chance.verdicts:
                if verdict.usual.id == wanted and verdict in chance.possible():
                    return verdict
        return None

    return meets


def _of_permanence(permanence: Permanence, house: House) -> Iterator[tuple[_Coup, ...]]:
    """Yield the tailles of a permanence; ``RecordError`` where packs cannot deal one."""
    faults = permanence.impossible(house)
    if faults:
        raise record_error(faults_error(faults))
    met = permanence.verdicts(house)
    for number, taille in enumerate(permanence.tailles):
        coups = []
        for place, noted in enumerate(taille):
            known = {name: tailles[number][place] for name, tailles in met.items()}
            coups.append(_Coup(str(noted), lambda chance, known=known: known[chance.id]))  # type: ignore[misc]
        yield tuple(coups)


# What was played, line by line.


@frozen
class PlayedCoup:
    """One coup of a permanence as a seat played it; amounts in units of the house.

    ``coup`` counts those of the taille from 1; it is 0 on the line of a taille's end that closes a
    stake in prison. ``stake`` is the stake that met the coup, None if there was not one, ``state``
    the prison it was in ("free" of one that was placed now), ``after`` the one it is in now, empty
    once it has left. ``net`` is the player's result of the coup, ``total`` all of it so far.
    ``following`` is the stake that is bet next, None while one stays in prison. ``note`` says why
    no stake was placed, or why the system restarts.
    """

    taille: int
    coup: int
    noted: str
    chance: str
    verdict: str
    stake: int | None
    state: str
    course: str
    after: str
    net: int
    premium: int
    total: int
    following: int | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON; what is not known is null."""
        return {
            "taille": self.taille,
            "coup": self.coup,
            "noted": self.noted,
            "chance": self.chance,
            "verdict": self.verdict or None,
            "stake": self.stake,
            "state": self.state or None,
            "course": self.course or None,
            "after": self.after or None,
            "net": self.net,
            "premium": self.premium,
            "total": self.total,
            "next_stake": self.following,
            "note": self.note or None,
        }


@frozen(slots=False)
class PlayedPermanence:
    """The result of a seat over a permanence; amounts in units of the house.

    ``standing`` are the units still in prison after the last coup, which count as the player's.
    ``stopped`` says why the play ended before the last coup, if it did; ``ruined`` is true where
    the next stake could not be paid.
    """

    seat: Seat
    lines: tuple[PlayedCoup, ...] = field(repr=False)
    ended: tuple[Ended, ...] = field(repr=False)
    coups: int
    standing: int = 0
    restarts: int = 0
    ruined: bool = False
    stopped: str = ""

    @property
    def net(self) -> int:
        """The player's net result; a stake still in prison counts as the player's."""
        return self.lines[-1].total if self.lines else 0

    @property
    def stakes(self) -> tuple[int, ...]:
        """The stakes that were placed, in order."""
        return tuple(
            line.stake for line in self.lines if line.stake is not None and line.state == "free"
        )

    @property
    def staked(self) -> int:
        """The sum of all stakes, each counted once."""
        return sum(self.stakes)

    @property
    def premiums(self) -> int:
        """The premiums that the bank kept."""
        return sum(line.premium for line in self.lines)

    @property
    def lowest(self) -> int:
        """The lowest value of the running net, 0 if it was never negative."""
        return min((0, *(line.total for line in self.lines)))

    @property
    def unknown(self) -> int:
        """The coups whose result for the bet was not noted."""
        return sum(1 for line in self.lines if line.coup and not line.verdict)

    def results(self) -> dict[str, int]:
        """Return how many stakes won, lost, and came back whole, as the system counts them."""
        names = [ended.result.name.lower() for ended in self.ended]
        return {name: names.count(name) for name in ("won", "lost", "level")}

    def to_json(self) -> dict[str, Any]:
        """Return totals and lines as JSON; amounts in units of the house."""
        seat = self.seat
        return {
            "house": seat.house.name,
            "fingerprint": seat.house.fingerprint,
            "currency": seat.house.money.currency,
            "unit": str(seat.house.money.unit),
            "system": seat.label,
            "base_stake": seat.base,
            "bankroll": seat.bankroll,
            "insured": seat.insured,
            "policy": seat.play,
            "coups": self.coups,
            "unknown": self.unknown,
            "stakes": len(self.stakes),
            **self.results(),
            "staked": self.staked,
            "net": self.net,
            "premiums": self.premiums,
            "greatest_stake": max(self.stakes, default=None),
            "lowest": self.lowest,
            "restarts": self.restarts,
            "standing": self.standing,
            "ruined": self.ruined,
            "stopped": self.stopped or None,
            "lines": [line.to_json() for line in self.lines],
        }


# The play.


class _Play:
    """A seat that plays coup by coup: its stake, its account, its lines."""

    def __init__(self, seat: Seat) -> None:
        self.seat, self.player = seat, SystemPlayer(seat)
        self.lines: list[PlayedCoup] = []
        self.ended: list[Ended] = []
        self.coups = self.total = 0
        self.stake: Stake | None = None
        self.ruined = False
        self.stopped = ""
        self._bet: TableBet | None = None
        self._account: Ended | None = None
        self._history = History()
        self._shown = 0

    def _why_not(self, bet: TableBet) -> TrenteError | None:
        stake = Stake("stake", PLAYER, bet.chance, bet.amount, insured=bet.insured)
        for each in refusals(self.seat.house, [stake], self._history, opening=self.seat.opening):
            return BetError(each.message, each.code, "", each.stake)
        return None

    def _view(self) -> View:
        ended = tuple(self.ended[self._shown :])
        self._shown = len(self.ended)
        bankroll = self.seat.bankroll
        return View(
            house=self.seat.house,
            coup=self.coups + 1,
            coup_of_shoe=1,
            at_hand=None if bankroll is None else bankroll + self.total,
            standing=() if self.stake is None else (self.stake,),
            ended=ended,
            last=None,
            seen=(),
            why_not=self._why_not,
        )

    def next_bet(self) -> TableBet | None:
        """Ask the system for its next bet, and say on the last line what it is."""
        if self._bet is not None or self.stake is not None:
            return self._bet
        before = self.player.cuts
        (self._bet,) = self.player(self._view()) or (None,)
        why = f"restarts: {self.player.refused}" if self.player.cuts > before else ""
        if self.lines and self._bet is not None:
            last = self.lines[-1]
            note = "; ".join(filter(None, (last.note, why)))
            self.lines[-1] = evolve(last, following=self._bet.amount, note=note)
        return self._bet

    def end_taille(self, number: int) -> None:
        """End a taille: the house may close its prisoners, and limits on raising start over."""
        rule, stake = self.seat.house.shoe, self.stake
        if rule.every_coup:
            return
        self._history = History()
        self._bet = None if self.stake is not None else self._asked_again()
        if stake is not None and rule.prisoners_at_end == "close":
            settled = wager_of(self.seat.house, stake).settle(
                stake, Verdict.CLOSE, opening=self.seat.opening
            )
            self._take(number, 0, BREAK, stake, settled)

    def _asked_again(self) -> TableBet | None:
        """Return the bet that is to be placed, if the new taille takes it too."""
        bet = self._bet
        return bet if bet is None or self._why_not(bet) is None else None

    def meet(self, taille: int, number: int, coup: _Coup) -> bool:
        """Play one coup; return whether the play continues after it."""
        house = self.seat.house
        bet = self.next_bet()
        if self.stake is None and bet is not None and self._cannot_pay(bet):
            return False
        self.coups += 1
        chance = house.chance(self.stake.chance if self.stake else bet.chance if bet else "rouge")
        verdict = coup.meets(chance)
        blank = PlayedCoup(
            taille, number, coup.noted, chance.id, verdict.id if verdict else "",
            None, "", "", "", 0, 0, self.total,
        )  # fmt: skip
        if self.stake is None and bet is None:
            self.lines.append(evolve(blank, note="the house takes no bet of the system here"))
            return True
        if verdict is None and self.stake is not None:
            where = f"coup {number} of taille {taille}"
            self.stopped = f"the stake in {self.stake.state} met {where}, which was not noted"
            self.coups -= 1
            return False
        if verdict is None:
            following = None if bet is None else bet.amount
            note = "not noted: no stake is placed"
            self.lines.append(evolve(blank, following=following, note=note))
            return True
        stake = self.stake or self._placed(bet)
        if not stake.free and self.seat.insured:
            stake = self._insured(stake)
        wager, opening = wager_of(house, stake), self.seat.opening
        names = [course.name for course in wager.offered(stake, verdict, opening=opening)]
        course = self.seat.play if len(names) > 1 and self.seat.play in names else ""
        settled = wager.settle(stake, verdict, course, opening=opening)
        self._take(taille, number, coup.noted, stake, settled)
        return True

    def _cannot_pay(self, bet: TableBet) -> bool:
        seat, money = self.seat, self.seat.house.money
        cost = seat.cost(bet.chance, bet.amount)
        if seat.bankroll is None or cost <= seat.bankroll + self.total:
            return False
        left = money.text(seat.bankroll + self.total)
        self.ruined = True
        self.stopped = f"the next bet costs {money.text(cost)}, and {left} are left"
        return True

    def _placed(self, bet: TableBet | None) -> Stake:
        assert bet is not None  # noqa: S101 - the callers know
        stake = Stake("stake", PLAYER, bet.chance, bet.amount, insured=bet.insured)
        self._history = self._history.after([stake])
        self._account, self._bet = Ended(bet, self.coups, 0, 0), None
        return stake

    def _insured(self, stake: Stake) -> Stake:
        """Return a stake in prison, insured where the house insures it there."""
        house, opening = self.seat.house, self.seat.opening
        wanted = evolve(stake, insured=True)
        if stake.covered or refusals(house, [wanted], self._history, opening=opening):
            return stake
        return wanted

    def _take(self, taille: int, coup: int, noted: str, stake: Stake, line: Line) -> None:
        """Take a settlement into the account, and write its line."""
        self.total += line.player_net
        self.stake = line.after
        account = self._account
        assert account is not None  # noqa: S101 - a stake has an account
        net, premium = account.net + line.player_net, account.premium + line.premium_kept
        self._account = evolve(account, net=net, premium=premium)
        if line.after is None:
            self.ended.append(self._account)
            self._account = None
        after = "" if line.after is None else line.after.state
        told = (stake.chance, line.verdict.id, stake.amount, stake.state, line.course, after)
        paid = line.player_net, line.premium_kept, self.total
        self.lines.append(PlayedCoup(taille, coup, noted, *told, *paid))


def play_permanence(seat: Seat, coups: Permanence | str) -> PlayedPermanence:
    """Play a system over coups that were noted, and return it line by line.

    ``coups`` are a permanence, or the results of the stakes as text: ``"L W W"``, with A for an
    après, X for a refait, ``?`` for what is not known, and ``--`` between tailles. The house's
    limits, insurance, refait and prison act as at a table; of several courses the seat's ``play``
    is taken. A coup whose verdict is unknown is skipped: no stake is placed. Where a stake in
    prison meets one, the play stops there. At the end of a taille the house closes prisoners or
    keeps them; after the last coup a prisoner stays, and counts as the player's.

    Raises ``RecordError`` ("bad-result", "impossible-taille", "file-too-large"), ``BetError`` and
    ``TrenteError`` as ``Seat.check``.
    """
    seat.check()
    tailles: Iterable[tuple[_Coup, ...]]
    tailles = _of_results(coups) if isinstance(coups, str) else _of_permanence(coups, seat.house)
    play = _Play(seat)
    for number, taille in enumerate(list(tailles), 1):
        if number > 1:
            play.end_taille(number - 1)
        met = enumerate(taille, 1)
        if not all(play.meet(number, place, coup) for place, coup in met):
            break
    if not play.stopped:
        play.next_bet()
    return PlayedPermanence(
        seat=seat,
        lines=tuple(play.lines),
        ended=tuple(play.ended),
        coups=play.coups,
        standing=play.stake.standing if play.stake else 0,
        restarts=play.player.cuts,
        ruined=play.ruined,
        stopped=play.stopped,
    )
