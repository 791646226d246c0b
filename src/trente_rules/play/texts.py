"""Every text of the table that no croupier says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trente_rules.play.session import UiStep

NEXT: Final[Mapping[UiStep, str]] = {
    UiStep.SHUFFLE: "NEXT: SHUFFLE AND CUT",
    UiStep.CUT: "NEXT: CUT THE CARDS",
    UiStep.MARKER: "NEXT: PUT THE MARKER IN",
    UiStep.DEAL: "NEXT: DEAL THE COUP",
    UiStep.CARD: "NEXT: DEAL ON",
    UiStep.CHOOSE: "NEXT: YOUR CHOICE",
}
VERDICTS: Final[Mapping[str, str]] = {
    "win": "wins",
    "lose": "loses",
    "apres": "après",
    "refait": "refait",
    "close": "closed",
}
CUT_TITLE: Final = "Cut the cards"
CUT_HELP: Final = "how many cards go behind the others"
CUT_DONE: Final = "cut here"
MARKER_TITLE: Final = "Put the marker in"
MARKER_HELP: Final = "how many cards lie behind the marker"
MARKER_DONE: Final = "put it here"
BACK: Final = "back to the table"
SAVE: Final = "▶ save"
PLACE_KEYS: Final = "← → one card   ↑ ↓ ten cards   enter: done"
CHOICE_TITLE: Final = "Your choice"
CHOICE_BODY: Final = "{chance}: {amount} met {verdict}. What becomes of it?"
HOUSE_TITLE: Final = "Play in another house"
HOUSE_BODY: Final = "The session is closed; your purse goes with you."
HOUSE_NOT_NOW: Final = (
    "! the house is changed between two tailles: play this one to its end (x: reset)"
)
RESET_TITLE: Final = "Begin again"
RESET_BODY: Final = "A new table, and the bankroll you came with: {bankroll}."
RESET_YES: Final = "begin again"
NO: Final = "go on as it is"
MOVE_TITLE: Final = "Move a prisoner"
MOVE_BODY: Final = "It stays in prison, on another chance."
MOVE_NOT: Final = "! no prisoner can be moved here now"
MOVE_NONE: Final = "no prisoner stands on {chance}"
RECORD_TITLE: Final = "Save the taille as a record"
RECORD_BODY: Final = "The name of a new file; enter saves it, escape does not."
RECORD_DONE: Final = "the taille is recorded in {file}"
NO_COUP: Final = "no coup is dealt in this taille yet"
PURSE: Final = "purse"
SMALL: Final = "! a window below {columns} x {lines} does not show all of the table"
WELCOME: Final = "press d to shuffle and cut, ? for help"
WELCOME_BACK: Final = "the table is as you left it; ? for help"
LEFT: Final = "{house}: taille {taille}, coup {coup}, {purse} in hand of {bankroll}"
SAVED: Final = "saved in {file}; the same command goes on from there"
NOT_SAVED: Final = "not saved: --save FILE keeps a session"
NOT_KEPT: Final = (
    "{file} holds the session up to the last coup dealt, but not the bets after it: {why}"
)

HELP: Final = """\
[b]The game[/b]
Two rows are dealt; each ends above 30. The row nearer to 31 wins.
[b]rouge[/b], [b]noir[/b]: that row wins. [b]couleur[/b]: the first card has the colour of
the winner. [b]inverse[/b]: it has not. Equal points are an après: nothing
moves; on a losing tie, 31 as a rule, the house does as its rules
say: [b]trente rules HOUSE[/b].

[b]The table[/b]
d         the next thing to do: shuffle, deal the coup
t         turn one card
1 to 9    take a chip in hand (5k is 5,000)
r n c i   add the chip to rouge, noir, couleur, inverse
R N C I   take it off again
arrows    go to a chance; there enter or + adds the chip,
          - takes it off, backspace takes all
a         insurance of that chance, on or off
m         move a prisoner of that chance, where the house allows it

[b]Looking[/b]
l         the lesson: exact odds of the next coup for the cards not
          seen yet, and what insurance is worth
v         review the taille, coup by coup
w         save the taille as a record

[b]The session[/b]
h or F2   another house, between two tailles
x         begin again
q         leave, as ctrl+c does; with --save the session is kept

[b]With the mouse[/b]
A click on a chance adds the chip, on \\[−] takes it off, on insure
insures it, on a prisoner with \\[m] moves it. Chips, the bar under
them and the keys at the foot can be clicked too.

[b]Score card[/b]
● wins; empty boxes are an après; × in all boxes is a refait, which
is called un après where 31 alone loses.
"""
