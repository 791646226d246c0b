"""Values that a session seldom asks for, and the errors of values that it seldom meets."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen
from tests.core.house.test_faults import places
from tests.table.laws import house_like
from tests.whole_units import whole_house

from trente_rules import (
    PACK,
    BetError,
    CardError,
    ConfigurationError,
    Money,
    Named,
    Opening,
    PluginManager,
    RuleError,
    Shoe,
    Stake,
    TrenteError,
    Verdict,
    hookimpl,
    load_house,
    loads_house,
    parse_cards,
)
from trente_rules.core import compiled, settlement
from trente_rules.core.cards import compact, parse_compact
from trente_rules.core.converter import converter, exactly, read, structure, whole
from trente_rules.core.files import regular_file
from trente_rules.core.house.difference import difference, kind_of
from trente_rules.core.house.loading import house_documents, installed_house
from trente_rules.core.keys import key
from trente_rules.core.maps import FrozenMap
from trente_rules.core.money import Amount
from trente_rules.core.rules.announcements import (
    Call,
    Language,
    calls_of,
    opening_calls,
)
from trente_rules.core.rules.limits import OwnBounds
from trente_rules.core.shoe import LEAST_CARDS, LiveShoe, Marker, ShoeRule
from trente_rules.core.stakes import History
from trente_rules.core.toml import Document, parse


def test_cards_are_read_from_text() -> None:
    """Anything else is the error "no-card", with an example of cards."""
    given: Any = 7
    with pytest.raises(CardError) as caught:
        parse_cards(given)
    assert (caught.value.code, caught.value.hint) == ("no-card", "write 10♥ 4♠ A♦")


def test_compact_cards_are_read_back_and_a_wrong_letter_is_named() -> None:
    """A whole pack is 52 letters; the error names the place of a wrong one from 1."""
    assert parse_compact(compact(PACK)) == PACK
    with pytest.raises(CardError, match="character 3 of the cards is '1'") as caught:
        parse_compact("AM1z")
    assert caught.value.code == "no-card"


def test_a_chance_that_pays_one_to_one_pays_whole_units() -> None:
    """Rouge pays 1 to 1, so no win on it is rounded; at 19 to 20 most wins are."""
    assert load_house("france-2007").chance("rouge").pays_whole_units
    paid = house_like("france-2007", '[[chances]]\nid = "rouge"\nodds = "19/20"\n')
    assert not paid.chance("rouge").pays_whole_units
    assert paid.chance("noir").pays_whole_units


def test_modules_that_are_barred_count_as_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises ``ValueError`` for a module whose place is None."""

    def barred(name: str) -> None:
        raise ValueError(name)

    monkeypatch.setattr(compiled, "find_spec", barred)
    assert not compiled.fast_installed()


def test_half_a_character_is_not_text() -> None:
    """A lone surrogate cannot be written to a file: "wrong-type"."""
    with pytest.raises(RuleError, match="half a character") as caught:
        exactly(str)("\ud800", str)
    assert caught.value.code == "wrong-type"


def test_a_whole_number_has_a_least_and_a_greatest_value() -> None:
    """A number outside is "out-of-range", with the bounds as the hint."""
    form: Any = whole(1, 6)
    assert [form.read(number) for number in (1, 6)] == [1, 6]
    for number in (0, 7):
        with pytest.raises(RuleError) as caught:
            form.read(number)
        assert (caught.value.code, caught.value.hint) == ("out-of-range", "it is 1 to 6")
    form = whole(1)
    with pytest.raises(RuleError) as caught:
        form.read(0)
    assert caught.value.hint == "it is 1 or more"


@frozen
class _Odd:
    """A value with checks of a stranger: zero is out of range, one is a fault of the check."""

    number: int = field()

    @number.validator
    def _check(self, _attribute: object, value: int) -> None:
        if value == 0:
            raise ValueError("the number: it is not zero")
        if value == 1:
            raise LookupError("not one")


def test_the_error_of_a_strangers_check_is_a_problem() -> None:
    """A ``ValueError`` is "out-of-range"; any other error is "rule-fails" and names its class."""
    for number, code, words in (
        (0, "out-of-range", "it is not zero"),
        (1, "rule-fails", "_Odd fails: LookupError: not one"),
    ):
        built, problems = structure(converter(), {"number": number}, _Odd)
        assert built is None
        assert [(each.code, each.message) for each in problems] == [(code, words)]


def test_a_value_of_the_core_that_cannot_be_read_has_the_code_of_its_reader() -> None:
    """The error says which value it is and why it cannot be read."""
    with pytest.raises(TrenteError, match=r"^the verdict: ") as caught:
        read({"kind": 7}, Verdict, "the verdict", "bad-verdict")
    assert caught.value.code == "bad-verdict"


def test_houses_differ_by_the_keys_of_their_files() -> None:
    """Each key has the old value, the new value, and its kind, in the order of TOML."""
    old = load_house("france-2007")
    new = house_like("france-2007", "[money]\nunit = 5\n[limits]\nminimum = 10\nmaximum = 100\n")
    assert difference(old, old) == ()
    changed = [change for change in difference(old, new) if change.key != "house.inferred"]
    assert [(each.key, each.old, each.new, each.kind) for each in changed] == [
        ("house.name", "france-2007", "like", "presentation"),
        ("money.unit", "0.01", 5, "fairness"),
        ("limits.minimum", "at-opening", 10, "fairness"),
        ("limits.maximum", "none", 100, "fairness"),
        ("limits.maximum_multiple", 1000, "none", "fairness"),
    ]


def test_a_key_that_no_table_has_concerns_fairness() -> None:
    """A key of a plugin may change what is paid."""
    assert kind_of("house.unheard") == kind_of("unheard.key") == "fairness"
    assert kind_of("house.title") == kind_of("announcements.language") == "presentation"


def test_a_posted_maximum_narrows_an_opening() -> None:
    """It is checked as one that was posted when the taille was opened: "bad-opening"."""
    house = whole_house("france-2007")
    opening = house.narrowed(Opening(minimum=100), 1_000_000)
    assert (opening.minimum, opening.maximum) == (100, 1_000_000)
    with pytest.raises(BetError) as caught:
        house.narrowed(Opening(minimum=100), 50)
    assert caught.value.code == "bad-opening"


def test_a_house_is_shown_by_its_title_and_name() -> None:
    """The name is what a file or an option says."""
    house = load_house("france-2007")
    assert str(house) == f"{house.title} (france-2007)"


LIKE = '[house]\nname = "like"\nextends = "france-2007"\n'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('inferred = ["limits.maximun"]\n', {"house.inferred.0"}),
        ("[limit]\nminimum = -1\n", {"limit"}),
        ("[limit]\nminimum = 5\n[limits]\nminimum = 5\n", {"limit"}),
        (
            'inferred = ["limits.minimum", "refait.rul"]\n[limits]\nminimum = -1\n',
            {"house.inferred.1", "limits.minimum"},
        ),
    ],
)
def test_every_fault_of_a_house_is_named(text: str, faults: set[str]) -> None:
    """Of inferred keys, and of a table whose name is misspelt."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(LIKE + text)
    assert {fault.key for fault in caught.value.faults} == faults


def test_a_misspelt_table_is_looked_into_where_the_right_one_is_missing() -> None:
    """A fault inside is named by the table as it was written."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house('[house]\nname = "own"\n[limit]\nminimun = 1\n')
    found = [(fault.key, fault.code, fault.line) for fault in caught.value.faults]
    assert found == [
        ("refait.rule", "missing-key", 1),
        ("limit", "unknown-key", 3),
        ("limit.minimun", "unknown-key", 4),
    ]


def test_a_large_map_finds_its_keys_one_by_one() -> None:
    """Get, test and merge work at every size: one dictionary, a list of them, and deeper."""
    for size in (10, 100, 3_000):
        model = {f"k{n}": n for n in range(size)}
        made = FrozenMap(model)
        assert [made.get(key) for key in model] == [*range(size)]
        assert made.get("missing", 7) == 7
        more = {f"m{n}": n for n in range(size)}
        assert made.merged(more) == {**model, **more}


def test_an_amount_is_a_fraction() -> None:
    """A float is "bad-amount": 0.1 is not a tenth."""
    given: Any = 0.1
    with pytest.raises(RuleError) as caught:
        Amount(given)
    assert caught.value.code == "bad-amount"


def test_a_call_has_the_values_of_its_places() -> None:
    """A call or a phrase without one is "missing-value"; version 0.1.0 kept the text instead."""
    words = load_house("france-2007").words
    with pytest.raises(RuleError) as caught:
        calls_of(words, "burn")
    assert caught.value.code == "missing-value"
    with pytest.raises(RuleError) as caught:
        words.say(Call("burn"))
    assert caught.value.code == "missing-value"
    assert words.say(Call("burn", (("text", "Cinq cartes"),))) == "Cinq cartes"


def test_cards_burned_by_the_first_card_are_called_later() -> None:
    """Before the first card is shown nobody knows how many there are."""
    words = load_house("france-2007").words
    assert opening_calls(words, "first-card") == calls_of(words, "cut")
    assert opening_calls(words, "first-card", cut=False) == ()


def test_a_stacked_shoe_counts_what_is_left() -> None:
    """The rest is in order; it ends at the marker, or at the last card."""
    shoe = Shoe.of_cards(PACK * 6, 6)
    assert shoe.rest == PACK * 6
    assert shoe.most_points == 6 * sum(card.points for card in PACK)
    assert not shoe.ended
    assert evolve(shoe, position=312).ended
    with pytest.raises(CardError):
        Shoe.of_cards(PACK[1:], 1)


def test_a_live_shoe_counts_what_may_be_left() -> None:
    """Cards burned unseen may be the lowest ones."""
    shoe = LiveShoe(packs=1)
    total = sum(card.points for card in PACK)
    assert shoe.most_points == total
    assert shoe.burn(2).most_points == total - 2
    assert shoe.see(PACK[0]).most_points == total - PACK[0].points
    assert not shoe.ended


def test_a_live_shoe_has_no_more_of_a_card_than_its_packs() -> None:
    """Once too often is "too-many-of-a-card"; once all are out any card is "shoe-empty"."""
    shoe = LiveShoe(packs=1).see(PACK[0])
    with pytest.raises(CardError, match="came up 1 time already") as caught:
        shoe.see(PACK[0])
    assert caught.value.code == "too-many-of-a-card"
    for card in PACK[1:]:
        shoe = shoe.see(card)
    assert shoe.ended
    with pytest.raises(CardError, match="all 52 cards are out") as caught:
        shoe.see(PACK[0])
    assert caught.value.code == "shoe-empty"


def test_a_card_taken_back_from_a_live_shoe_is_in_again() -> None:
    """Places count from 1, with the cards burned unseen before them."""
    shoe = LiveShoe(packs=1).burn(1).see(PACK[0]).see(PACK[1])
    assert shoe.without([2]).seen == (PACK[1],)
    assert shoe.without([2]).see(PACK[0], 2).seen == (PACK[0], PACK[1])


def test_openings_are_remembered_up_to_a_bound() -> None:
    """A host that opens with ever new limits does not fill the memory."""
    house = whole_house("france-2007")
    house.terms.clear()
    openings = [Opening(minimum=house.limits_table.span[0]) for _ in range(200)]
    for opening in openings:
        terms = settlement.terms_of(house, opening)
        assert terms.opening is opening
        assert settlement.terms_of(house, opening) is terms
        assert len(house.terms) <= settlement._MOST_OPENINGS


def test_the_history_of_a_party_is_read_from_pairs() -> None:
    """Bets of one party stay in the order of the coups."""
    history = History(bets=[("ann", 5), ("bob", 7), ("ann", 10)])
    assert history.parties == {"ann": (5, 10), "bob": (7,)}
    assert pickle.loads(pickle.dumps(history)) == history


def test_a_change_of_one_stake_is_refused_by_the_limits_of_the_house() -> None:
    """The stakes near it and the totals are enough; an error of the house is blamed on it."""
    house = house_like("france-2007", "[limits]\nminimum = 10\nmaximum = 100\n")
    stake = Stake("s1", "ann", "rouge", 200)
    reasons = settlement.refusals_near(house, "s1", [stake], {"rouge": 200}, 1, History())
    assert [reason.code for reason in reasons] == ["above-maximum"]
    least = evolve(stake, amount=100)
    assert settlement.refusals_near(house, "s1", [least], {"rouge": 100}, 1, History()) == ()


def test_a_stake_that_cannot_be_settled_counts_towards_no_total() -> None:
    """T1: neither its units nor its number; a prisoner counted towards none before."""
    house = house_like(
        "monte-carlo-1911",
        "[limits]\nminimum = 10\nmaximum = 'none'\ntable_maximum = 150\ntable_most_stakes = 1\n"
        '[insurance]\nrule = "none"\n',
    )
    good, second = Stake("s1", "ann", "rouge", 100), Stake("s2", "ann", "rouge", 100)

    def codes(other: Stake) -> set[tuple[str, str]]:
        near = [good, other]
        free = [stake.amount for stake in near if stake.free]
        totals = {"rouge": sum(free)}
        found = settlement.refusals_near(house, "s2", near, totals, len(free), History())
        return {(reason.code, reason.stake) for reason in found}

    assert codes(second) == {("above-table-maximum", "s2"), ("above-table-most-stakes", "s2")}
    assert codes(evolve(second, insured=True)) == {("no-insurance", "s2")}
    assert codes(evolve(second, state="prison-9")) == {("unknown-state", "s2")}


def test_a_table_may_bound_stakes_in_number_and_on_one_chance() -> None:
    """D13: the facts name each bound; without a maximum, associations still count for one side."""
    text = (
        "[limits]\nminimum = 10\n[limits.per_chance.rouge]\nmaximum_multiple = 10\nminimum = 20\n"
    )
    facts = [*house_like("france-2007", text).limits_table.facts(("rouge",), prisons=False)]
    assert facts == [
        ("whole", {}),
        ("step", {"amount": 1}),
        ("chance_minimum", {"chance": "rouge", "amount": 20}),
        ("chance_multiple", {"chance": "rouge", "times": 10}),
        ("no_associations", {}),
        ("no_progression", {}),
        ("late_bets.refused", {}),
    ]


def test_a_bound_that_the_opening_sets_for_one_chance_is_a_fact() -> None:
    """The sentence says which bound is posted when the table opens."""
    facts = [*OwnBounds("rouge", None, None, posted=("minimum",)).facts()]
    assert facts == [("chance_minimum_posted", {"chance": "rouge"})]


def test_stakes_settled_by_position_begin_at_the_left_for_the_nearest() -> None:
    """The ends are sides of the layout where the order is by position."""
    assert load_house("italy-half-loss").settlement.ends == ("right", "left")
    assert load_house("france-2007").settlement.ends == ("nearest", "farthest")


def test_a_course_that_is_not_offered_is_named_with_those_that_are() -> None:
    """A stake settled by it is the error "course-not-offered"."""
    house = whole_house("france-2007")
    wager = settlement.wager_of(house, Stake("s1", "ann", "rouge", 100))
    refait = next(each for each in house.chance("rouge").possible() if each.kind == "tie")
    with pytest.raises(BetError, match="is not offered the course 'unheard'") as caught:
        wager.settle(Stake("s1", "ann", "rouge", 100), refait, "unheard")
    assert caught.value.code == "course-not-offered"


def test_what_is_taken_at_once_is_listed_with_what_stays() -> None:
    """Foster: a quarter is the bank's at the second refait; of one unit nothing is left to stay."""
    wager = house_like(
        "france-2007",
        '[refait]\nrule = "prison"\nlevels = 2\nagain = "quarter-taken"\nlast = "repeat"\n'
        'close = ["1/2", "1/4"]\npartage = []\n',
    ).wager("rouge")
    lines = [
        wager.settle(Stake("s1", "ann", "rouge", amount, "prison"), Verdict.REFAIT)
        for amount in (100, 2, 1)
    ]
    assert [(line.forfeited, line.staying) for line in lines] == [(25, 75), (1, 1), (1, 0)]
    assert [str(line) for line in lines] == [
        "ann's 100 on rouge in prison: 25 lost, 75 goes to prison-2",
        "ann's 2 on rouge in prison: 1 lost, 1 goes to prison-2",
        "ann's 1 on rouge in prison loses",
    ]
    assert [line.after is None for line in lines] == [False, False, True]


@pytest.mark.parametrize(
    ("rule", "last"),
    [
        (ShoeRule(packs=1, ends="last-card"), 51),
        (ShoeRule(packs=1, ends="no-coup"), 52 - LEAST_CARDS),
        (ShoeRule(packs=1, marker=Marker(from_end=20, on_marker="void")), 31),
        (ShoeRule(packs=1, marker=Marker(from_end=20, on_marker="last-coup")), 32),
        (ShoeRule(packs=1, shuffled="every-coup"), 0),
    ],
    ids=["last card", "no coup", "marker", "one more", "every coup"],
)
def test_the_end_of_a_shoe_is_that_of_the_plan_of_its_house(rule: ShoeRule, last: int) -> None:
    """A coup can begin while at most so many cards are out, the highest ones last."""
    shoe = Shoe.of_cards(sorted(PACK, key=lambda card: card.points), 1)
    if rule.marker:
        shoe = shoe.place_marker(20)
    ends = [rule.ended(evolve(shoe, position=position)) for position in range(53)]
    assert ends == [position > last for position in range(53)]


def test_a_coup_is_dealt_as_the_plan_of_its_house_says() -> None:
    """The last eight cards are tens: two rows of 40, or the marker, before which none is left."""
    shoe = evolve(Shoe.of_cards(sorted(PACK, key=lambda card: card.points), 1), position=44)
    dealt = ShoeRule(packs=1).deal(shoe)
    assert dealt.coup is not None
    assert [row.point for row in (dealt.coup.first, dealt.coup.second)] == [40, 40]
    stopped = ShoeRule(packs=1, marker=Marker(from_end=5, on_marker="void"))
    cut = stopped.deal(evolve(shoe, marker=47))
    assert (cut.coup, cut.marker, len(cut.cards)) == (None, True, 3)


# Houses of a name, and what a house extends


@pytest.mark.parametrize("name", ["x.toml", "./france-2007", "a/b"])
def test_the_name_of_an_installed_house_is_never_a_path(name: str) -> None:
    """S1: a name that comes out of a stranger's file opens no file."""
    with pytest.raises(ConfigurationError) as caught:
        installed_house(name)
    (fault,) = caught.value.faults
    assert (fault.key, fault.code) == ("house.name", "unknown-house")
    assert fault.hint == "a name was expected, and no path"


def test_an_installed_house_is_that_of_its_name() -> None:
    """The same house that ``load_house`` reads, and its faults."""
    assert installed_house("france-2007") == load_house("france-2007")
    with pytest.raises(ConfigurationError, match="did you mean 'france-2007'"):
        installed_house("france2007")


def test_the_documents_of_a_house_are_its_own_and_all_that_it_extends(tmp_path: Path) -> None:
    """One that cannot be read is the fault of the file that names it."""
    child, lost = tmp_path / "child.toml", tmp_path / "lost.toml"
    child.write_text(LIKE, "utf-8")
    lost.write_text(LIKE.replace("france-2007", "nonesuch"), "utf-8")
    own, parent = house_documents(child)
    assert (own.origin, own.text) == (str(child), LIKE)
    assert 'name = "france-2007"' in parent.text
    with pytest.raises(ConfigurationError) as caught:
        house_documents(lost)
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.code) == (str(lost), 3, "unknown-house")


@frozen
class _Unable:
    """A refait rule that no house can have: its own key is at fault, whatever it is."""

    close: int = key(1, "A key that the rule `prison` has too.")

    def build(self, _money: Money) -> dict[str, Any]:
        """Refuse the key."""
        raise RuleError("close cannot act", "key-cannot-act", "", "close")


def test_a_fault_of_a_house_put_in_place_of_a_lost_one_is_not_reported() -> None:
    """A base that is lost may have any rule; the faults of the rule tried are not the child's."""

    class Plugin:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named("aaa", _Unable)]

    manager = PluginManager(only=())
    manager.register(Plugin(), "my:rules")
    text = '[house]\nname = "x"\nextends = "nonesuch"\n[refait]\nclose = 2\n'
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, plugins=manager)
    assert [(fault.key, fault.code) for fault in caught.value.faults] == [
        ("house.extends", "unknown-house")
    ]


# Documents and catalogues


@pytest.mark.parametrize(
    ("broken", "line"),
    [("= 5", 4), ("[]1]", 4), ("[]1]\ny = 2", 5), ('"\\q" = 1', 4), ('"\\ud800" = 1', 4)],
)
def test_a_key_that_is_missing_or_broken_hides_no_other(broken: str, line: int) -> None:
    """S4: a pair or a header without a name, or with one that cannot be read."""
    found = places(f"x = 1\n{broken}\n[a]\nb = 1\n")
    assert found.place(("x",)) == (1, 5)
    assert found.place(("a", "b")) == (line, 5)


def test_a_key_that_cannot_be_read_is_found_as_it_is_written() -> None:
    """A lone surrogate is no character: no reader of TOML has such a key."""
    assert places('x = 1\n  "\\ud800" = { z = 3 }\n').place(('"\\ud800"', "z")) == (2, 20)


@pytest.mark.parametrize(
    ("text", "place"), [("x = 1\ny = ]\n", (2, 5)), ('x = 1\ny = "a', (2, 7)), ("[a", (1, 3))]
)
def test_a_document_that_is_not_toml_is_placed(text: str, place: tuple[int, int]) -> None:
    """A parser that names no line means the end of the document."""
    with pytest.raises(ConfigurationError) as caught:
        parse(Document("a.toml", text))
    (fault,) = caught.value.faults
    assert (fault.code, fault.line, fault.column) == ("not-toml", *place)
    assert "(at" not in fault.message


def catalogue(more: str) -> str:
    """Return a catalogue that has the number words of English, and more of its own."""
    numbers = [*load_house("france-2007").words.numbers]
    return f'code = "xx"\nname = "X"\nfallback = "en"\nnumbers = {numbers}\n[phrases]\n{more}'


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ("[rulebook.limits]\nwhole = 5\n", "bad-language", "rulebook.limits.whole: 5 is not"),
        ('[rulebook]\nwhole = "a ${bad"\n', "bad-language", "rulebook.whole: 'a ${bad' is not"),
        ('[rulebook]\ntitle = "$titel"\n', "unknown-placeholder", "no placeholder '$titel'"),
    ],
)
def test_a_sentence_of_a_language_is_a_text(more: str, code: str, words: str) -> None:
    """T11c: a number, half a placeholder, and one that the fallback does not have are faults."""
    english = PluginManager(only=()).language
    with pytest.raises(RuleError, match=re.escape(words)) as caught:
        Language.from_toml(catalogue(more), english)
    assert caught.value.code == code


def test_a_sentence_may_have_the_placeholders_of_its_fallback() -> None:
    """T11c: some of them, or all; what the language lacks is taken from the fallback."""
    english = PluginManager(only=()).language
    title = "Regras: $title"
    made = Language.from_toml(catalogue(f'[rulebook]\ntitle = "{title}"\n'), english)
    assert made.sentences["rulebook.title"] == title
    assert made.sentences["rulebook.quote"] == english("en").sentences["rulebook.quote"]


def test_a_folder_that_cannot_be_looked_at_has_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be barred between the two looks: the file is missing all the same."""

    def barred(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_dir", barred)
    with pytest.raises(TrenteError) as caught:
        regular_file("missing/file.toml", TrenteError)
    assert (caught.value.code, caught.value.hint) == ("file-missing", "")
