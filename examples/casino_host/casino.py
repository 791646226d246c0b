"""The casino: its houses, its tables, its players, and the cards as they really lie."""

from functools import cache
from hashlib import sha256
from itertools import count
from random import Random
from typing import NamedTuple

from trente_rules import PACK, Card, loads_house
from trente_rules.fair import SeededShuffler

HOUSES = {
    "salon-eur": ("france-2007", "EUR", "0.01"),
    "salon-chf": ("france-2007", "CHF", "0.05"),
    "salon-gbp": ("france-2007", "GBP", "0.01"),
    "sanremo-eur": ("italy-prison", "EUR", "0.01"),
    "lugano-chf": ("campione", "CHF", "0.05"),
    "london-gbp": ("italy-two-prisons", "GBP", "0.01"),
    "riviera-eur": ("monte-carlo-1911", "EUR", "0.01"),
}
"""What each house extends, its currency, and its unit."""
LIVE = ("salon-eur", "salon-chf", "salon-gbp", "lugano-chf")
SIZES = {"small": (6, 2, 30, 2, 7), "full": (50, 10, 500, 4, 20)}
"""Tables, live ones among them, players, shoes of each table, coups of each shoe."""
REFAIT = 31
START = 400
"""What a player brings, in least stakes; each tenth player brings a tenth of it."""


class Spec(NamedTuple):
    """A table: its name, its house, whether its cards are dealt by hand, who plays there."""

    name: str
    house: str
    live: bool
    players: tuple


@cache
def house_of(name):
    """Return a house: one of the shipped ones in another currency."""
    base, currency, unit = HOUSES[name]
    money = f'[money]\ncurrency = "{currency}"\nunit = "{unit}"\n'
    return loads_house(f'[house]\nname = "{name}"\nextends = "{base}"\n{money}')


def opening_of(name):
    """Return what is posted at the tables of a house: a minimum of 10 where it is free to."""
    house = house_of(name)
    return house.opening_with(int(10 / house.money.unit.value))


def least_of(name):
    """Return the least stake of a house, in units."""
    house = house_of(name)
    limits, opening = house.limits_table, opening_of(name)
    return max(limits.bounds(opening, chance.id).lowest for chance in house.chances)


def specs_of(size):
    """Return the tables of a casino of this size; one player in ten sits at two of them."""
    tables, live, players, _shoes, _coups = SIZES[size]
    names = [LIVE[n % len(LIVE)] for n in range(live)]
    others = [*list(HOUSES)[2:], *list(HOUSES)[:2]]
    names += [others[n % len(others)] for n in range(tables - live)]
    seats = [set() for _name in names]
    for n in range(players):
        currency = HOUSES[names[n % tables]][1]
        player = f"{currency.lower()}-{n}"
        seats[n % tables].add(player)
        if n % 10 == 9:
            also = [k for k, name in enumerate(names) if HOUSES[name][1] == currency]
            seats[also[n % len(also)]].add(player)
    return [
        Spec(f"table-{n:02}", name, n < live, tuple(sorted(seats[n])))
        for n, name in enumerate(names)
    ]


def accounts_of(specs):
    """Return what each player brings, in units."""
    brought = {}
    for spec in specs:
        for player in spec.players:
            poor = int(player.split("-")[1]) % 10 == 5
            brought[player] = least_of(spec.house) * (START // 10 if poor else START)
    return brought


@cache
def order_of(seed, spec, shoe):
    """Return the cards of a shoe as they lie; table 0 has a refait among its first coups."""
    packs = house_of(spec.house).shoe.packs
    texts = (f"{seed} {spec.name} {shoe} {salt}".encode() for salt in count())
    orders = (SeededShuffler(sha256(text).hexdigest()).shuffle(PACK * packs) for text in texts)
    first = spec.name == "table-00"
    return next(order for order in orders if not first or REFAIT in _first_points(order))


def _first_points(order):
    """Return the points of the first ties of a shoe."""
    at, points = 0, []
    for _coup in range(5):
        coup = coup_at(order, at)
        at += len(coup)
        first = take_row(iter(coup))
        one, two = (sum(c.points for c in row) for row in (first, coup[len(first) :]))
        points += [one] if one == two else []
    return points


def take_row(supply):
    """Take the cards of a row: until they make 31 or more."""
    cards, points = [], 0
    while points < REFAIT and (card := next(supply, None)):
        cards.append(card)
        points += card.points
    return tuple(cards)


def coup_at(order, place):
    """Return the cards of the coup that begins at a place of a shoe."""
    supply = iter(order[place:])
    return take_row(supply) + take_row(supply)


class Misread(NamedTuple):
    """The place in its coup of a card that is read wrong, what is read, and when it is found."""

    place: int
    card: Card
    when: str


def misread(seed, spec, shoe, start, cards):
    """Return what the card reader gets wrong in a coup, None in 85 of 100.

    A wrong card that changes the length of a row is seen at once, since the cloth and the screen
    part ways; any other one is found in the row, after the settlement, or coups later.
    """
    dice = Random(f"{seed} {spec.name} {shoe} {start}")
    if dice.random() >= 0.15:
        return None
    place, when = dice.randrange(len(cards)), dice.choice(("row", "row", "after", "later", "later"))
    card = dice.choice([card for card in PACK if card != cards[place]])
    if when != "row" and not same_rows(cards, place, card):
        true = cards[place]
        card = dice.choice([each for each in PACK if each.points == true.points and each != true])
    return Misread(place, card, when)


def same_rows(cards, place, card):
    """Return whether the rows are of the same length with another card at a place."""
    other = [*cards]
    other[place] = card
    supply = iter(other)
    rows = take_row(supply), take_row(supply)
    whole = all(sum(c.points for c in row) >= REFAIT for row in rows)
    return whole and len(rows[0]) == len(take_row(iter(cards))) and not tuple(supply)
