"""A live dealer: cards come from the table, one by one, and each is followed by its events.

Here they come from a file or from the keyboard, as a card reader would send them: one word a line.

    python examples/live_dealer.py [FILE]

A card ("10h", "A♠") is turned. Other words: "bets" opens the bets and places those of two players,
"close" is rien ne va plus, "exposed CARD" a card shown by mistake, "marker" the cut card, "settle",
"wrong REASON / CARDS" corrects the coup just settled, "void REASON" voids the one that is open.
A word that the table refuses is reported, and nothing is changed. Without a file a short session is
played.
"""

from __future__ import annotations

import sys
from pathlib import Path

from trente_rules import Card, Opening, Table, TrenteError, load_house, parse_cards
from trente_rules.table import (
    Announced,
    CloseBets,
    CloseSession,
    Command,
    Correct,
    Cut,
    Expose,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    ShowMarker,
    StakeSettled,
    Turn,
    VoidCoup,
)

SESSION = """
bets
close
4h
10s
Jd
9c
exposed 3h
8s
7d
Qc
6h
settle
wrong the last card was a nine / 4h 10s Jd 9c 8s 7d Qc 9h
bets
Ks
close
Ks
void the croupier turned a card of the next row
bets
close
10c
Jc
Qs
marker
"""


def commands_of(words: str, number: int) -> list[Command]:
    """Return the commands that a word of the table's reader means."""
    name, _space, rest = words.partition(" ")
    identity = f"{number}"

    def placed(letter: str, player: str, chance: str, amount: int) -> Place:
        own, stake = f"{identity}{letter}", f"{letter}{number}"
        return Place(id=own, stake=stake, player=player, chance=chance, amount=amount)

    if name == "bets":
        return [
            OpenBets(id=identity),
            placed("a", "ann", "rouge", 50_00),  # in units of the house, which are cents
            placed("b", "bob", "inverse", 20_00),
        ]
    if name == "wrong":
        reason, _slash, cards = rest.partition("/")
        return [Correct(id=identity, reason=reason.strip(), cards=parse_cards(cards))]
    simple = {"close": CloseBets, "settle": Settle, "marker": ShowMarker}
    if name in simple:
        return [simple[name](id=identity)]
    if name == "exposed":
        return [Expose(id=identity, card=Card.parse(rest))]
    if name == "void":
        return [VoidCoup(id=identity, reason=rest)]
    return [Turn(id=identity, card=Card.parse(name))]


def main() -> None:
    """Feed the table word by word, and print what is said and what is paid."""
    house = load_house("france-2007")
    table = Table(house, name="live", opening=Opening(minimum=10_00))
    for command in (
        OpenShoe(id="open", source="six packs from the table"),
        Cut(id="cut", by="player"),
        PlaceMarker(id="marker-in", by="croupier"),
    ):
        table.do(command)
    text = Path(sys.argv[1]).read_text("utf-8") if len(sys.argv) > 1 else SESSION
    for number, line in enumerate(text.split("\n")):
        words = line.strip()
        if not words:
            continue
        try:
            for command in commands_of(words, number):
                for event in table.do(command):
                    if isinstance(event, Announced):
                        print(f"    « {table.house.words.say(event)} »")
                    elif isinstance(event, StakeSettled):
                        print(f"    {event.line.text(table.house.money)}")
                    else:
                        print(f"  {event.kind}")
        except TrenteError as error:
            print(f"  refused: {error} [{error.code}]")
        if table.state.phase is Phase.NO_SHOE:
            break
    for event in table.do(CloseSession(id="end")):
        if event.kind == "session-closed":
            print(f"  players {dict(event.players)}, bank {event.bank}")


if __name__ == "__main__":
    main()
