"""Names that people type: which known one is meant, and what to offer where none is.

Telephones and word processors write other apostrophes and hyphens than keyboards, and begin a line
with a capital: a name is found with any of these. The opposite of a name is never offered for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from re import split
from typing import Final
from unicodedata import combining, normalize

_LONGEST_NAME: Final = 100
_LEAST_BEGINNING: Final = 2
"""How many letters a name has at least that others are looked for by their beginning."""
_MOST_OFFERED: Final = 4
_NEAR: Final = 0.61
_AS_NEAR: Final = 0.04
"""How much alike two names are at least, and how much less than the nearest others may be."""
_ALIKE: Final = 0.8
"""How much alike a misspelt prefix is to the one that is meant."""
_LONG: Final = 5
_MARKS: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u0060\u00b4\uff07\u2032", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-")
)
_CONTRARY: Final = ("inverse", "contre", "counter", "reverse", "anti", "non", "not")
_OPPOSITES: Final = (
    *("minimum maximum", "min max", "least most", "left right", "first last", "before after"),
    *("win lose", "won lost", "with without", "nearest farthest", "above below", "from to"),
)
_OPPOSITE_OF: Final = {
    word: other for pair in map(str.split, _OPPOSITES) for word, other in (pair, reversed(pair))
}

MOST_HINTS: Final = 50
"""How many unknown names of one file are given a hint: looking for the nearest takes time."""


def plain(name: str) -> str:
    r"""Return a name without what a keyboard changes: case, typographic apostrophes and hyphens.

    >>> plain("Contre\u2010d\u2019Alembert")
    "contre-d'alembert"
    """
    return normalize("NFC", name).translate(_MARKS).casefold().strip()


def known_name(name: str, known: Collection[str]) -> str:
    """Return the known name that is typed so; the name itself where none is, or more than one."""
    if name in known or len(name) > _LONGEST_NAME:
        return name
    typed = plain(name)
    found = [each for each in known if plain(each) == typed]
    return found[0] if len(found) == 1 else name


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'rounding'?`` where a name is close to known ones, else nothing."""
    names = near_names(name, known)
    return f"did you mean {_either(names)}?" if names else ""


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are close to a name, the nearest first.

    These are the names that begin so, or one of whose parts does, up to four; otherwise the one
    that is spelt most alike, with any that is as near. A name is never offered for its contrary:
    ``labouchere`` for ``inverse-labouchere``, ``minimum`` for ``maximum``.
    """
    if not name or len(name) > _LONGEST_NAME:
        return []
    typed = _bare(name)
    words = {word: _bare(word) for word in known}
    fit = {word: bare for word, bare in words.items() if not _contrary(typed, bare)}
    names = [*_beginning(typed, fit)]
    if not 0 < len(names) <= _MOST_OFFERED:
        names = [*_spelt_alike(typed, fit)][:_MOST_OFFERED]
    return names


def nearest_of_few() -> Callable[[str, Iterable[str]], str]:
    """Return ``nearest`` for the first ``MOST_HINTS`` names it is asked, and nothing after them.

    A file may hold names without end: anything that looks through one asks through this.
    """
    left = iter(range(MOST_HINTS))
    return lambda name, known: nearest(name, known) if next(left, None) is not None else ""


def _bare(name: str) -> str:
    """Return a name without case, accents and the kinds of apostrophe and hyphen."""
    letters = normalize("NFKD", plain(name))
    return "".join(letter for letter in letters if not combining(letter))


def _either(names: list[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def _beginning(typed: str, words: dict[str, str]) -> Iterator[str]:
    """Return the names that begin with what is typed; where none does, one of their parts."""
    if len(typed) < _LEAST_BEGINNING:
        return
    begin = [word for word, bare in words.items() if bare.startswith(typed)]
    inside = [
        word for word, bare in words.items() if any(p.startswith(typed) for p in _parts(bare))
    ]
    yield from begin or inside


def _spelt_alike(typed: str, words: dict[str, str]) -> Iterator[str]:
    """Return the name that is spelt most alike, and those that are as near."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only a mistake needs it

    matcher = SequenceMatcher(b=typed)
    ratios = dict[str, float]()
    for word, bare in words.items():
        matcher.set_seq1(bare)
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR:
            ratios[word] = matcher.ratio()
    most = max(ratios.values(), default=0.0)
    ordered = sorted(ratios, key=lambda word: -ratios[word])
    yield from (word for word in ordered if ratios[word] >= max(_NEAR, most - _AS_NEAR))


def _parts(name: str) -> list[str]:
    return split(r"[-_. ]", name)


def _contrary(name: str, other: str) -> bool:
    """Return whether one of two names is the contrary of the other, or of its like."""
    (turned, rest), (other_turned, other_rest) = _unturned(name), _unturned(other)
    if turned != other_turned:
        return True
    parts, others = _parts(rest), _parts(other_rest)
    pairs = zip(parts, others, strict=False)
    return len(parts) == len(others) and any(_OPPOSITE_OF.get(a) == b for a, b in pairs)


@lru_cache(maxsize=1024)
def _unturned(name: str) -> tuple[bool, str]:
    """Return whether a name says the contrary of the name behind its prefixes, and that name."""
    turned = False
    while (found := split(r"[-_ ]", name, maxsplit=1))[1:] and _turns(found[0]):
        turned, name = not turned, found[1]
    return turned, name


def _turns(word: str) -> bool:
    """Return whether a word, rightly spelt or nearly so, makes the contrary of what follows."""
    if word in _CONTRARY:
        return True
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    # A short word is near to many others.
    return len(word) >= _LONG and bool(get_close_matches(word, _CONTRARY, 1, _ALIKE))
