"""Scenario files: the library loads and is sourced; a file of one's own works; each mistake is one line that helps."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scenarios import (
    Scenario,
    UserError,
    chapters,
    load,
    load_assumptions,
    load_book,
    load_characters,
    load_curses,
    load_events,
    load_gifts,
)
from scenarios.cards import select
from scenarios.model import HouseRules

Write = Callable[..., Path]

FILE = """schema = 1
title = "Mine"
never_lost = ["R1"]
{top}
[[roster]]
character = "frodo"
required = true
[[roster]]
character = "bilbo"
[[roster]]
character = "pippin"
[[roster]]
character = "gandalf"
{bottom}
"""
HERO = """
[[roster]]
character = "hero"
[characters.hero]
name = "Hero"
"""
ONE_TRICK = 'goal = [{ measure = "tricks", at_least = 1 }]\n'


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a scenario file and returns its path."""

    def written(top: str = "", bottom: str = "", text: str | None = None) -> Path:
        path = tmp_path / "mine.toml"
        path.write_text(FILE.format(top=top, bottom=bottom) if text is None else text, encoding="utf-8")
        return path

    return written


def hero(rest: str = ONE_TRICK) -> str:
    """Return the end of a file with a character of its own."""
    return HERO + rest


def goal(term: str, setup: str = "") -> str:
    """Return the end of a file whose own character has a goal of one term."""
    return hero(f"goal = [{{ {term} }}]\nsetup = [{setup}]\n")


def mistake(path: Path | str, **assume: str) -> str:
    """Return the line that tells of a mistake, after looking at what every such line has to be."""
    with pytest.raises(UserError) as caught:
        load(path, assume)
    line = str(caught.value)
    assert "\n" not in line
    assert "msgspec" not in line
    assert len(line) < 400 + len(str(path))
    return line


# The library.


@pytest.mark.parametrize("label", chapters())
def test_every_chapter_of_the_library_loads(label: str) -> None:
    scenario = load(label)
    assert scenario == load(int(label))
    assert scenario.label == label
    assert sorted(scenario.deals) == [1, 2, 3, 4]
    assert len(scenario.cards) == len(set(scenario.cards))
    for players, size in scenario.deals.items():
        assert size.seats == (4 if players in (1, 4) else 3)
        aside = scenario.event.pile.cards[str(players)] if scenario.event is not None and scenario.event.pile is not None else 0
        box = len(select(size.without, scenario.cards))
        assert size.seats * size.hand + size.lost + size.draw_deck + aside + box == len(scenario.cards)
    assert {entry.character for entry in scenario.roster} == set(scenario.characters)


def test_chapters_are_in_the_order_of_their_numbers() -> None:
    assert list(chapters()) == sorted(chapters(), key=int)
    assert {"1", "2", "3", "4"} <= set(chapters())


def test_rosters_of_the_first_chapters() -> None:
    stars = {label: " ".join(entry.character + "*" * entry.required for entry in load(label).roster) for label in "1234"}
    assert stars == {
        "1": "frodo* bilbo* gandalf pippin",
        "2": "frodo* sam* merry* gandalf pippin",
        "3": "frodo* farmer_maggot* gildor_inglorion* sam merry pippin",
        "4": "frodo* fatty_bolger* merry* sam pippin",
    }
    assert [load(label).threats for label in "1234"] == [(), *[(1, 2, 3, 4)] * 3]


def sourced(table: dict[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Yield each rule of a table of the library with its source."""
    yield where, table.get("source", "")
    for name in ("roster", "setup", "lends"):
        for number, inner in enumerate(table.get(name, [])):
            yield f"{where}.{name}[{number}]", inner["source"]
    solo = table.get("solo")
    if solo and solo != msgspec.to_builtins(type(load_characters("fellowship")["frodo"].solo)()):
        yield f"{where}.solo", solo["source"]


def every_source() -> list[tuple[str, str]]:
    """Return every rule in the library's data with its source."""
    found: list[tuple[str, str]] = []
    book = load_book("fellowship")
    for name, kind in (("decks", book.decks), ("threats", book.threats), ("pyramids", book.pyramids), ("deals", book.deals)):
        for key, table in kind.items():
            found += sourced(msgspec.to_builtins(table), f"{name}.{key}")
    found += [(f"suits.{key}", suit.source) for key, suit in book.suits.items() if suit.lead_locked]
    found += [(f"rules.{rule}", book.rules_source.get(rule, "")) for rule in HouseRules.__struct_fields__]
    for key, character in load_characters("fellowship").items():
        found += sourced(msgspec.to_builtins(character), key)
    for load_table in (load_events, load_curses, load_gifts):
        for key, table in load_table("fellowship").items():
            found += sourced(msgspec.to_builtins(table), key)
    for key, assumption in load_assumptions("fellowship").items():
        found.append((key, assumption.source))
    for label in chapters():
        scenario = load(label)
        found.append((f"chapter {label}", scenario.source))
        found += [(f"chapter {label}, {entry.character}", entry.source) for entry in scenario.roster]
        found += [(kind.name, kind.source) for kind in scenario.rounds.values()]
        found += [(f"chapter {label}, note {n}", note) for n, note in enumerate(scenario.notes)]
    return found


@pytest.mark.parametrize(("rule", "source"), every_source(), ids=lambda value: value if len(value) < 40 else "")
def test_every_rule_names_a_source_that_the_book_explains(rule: str, source: str) -> None:
    tags = re.findall(r"\[([\w-]+)\]", source)
    known = load_book("fellowship").sources
    assert source
    if not (rule.startswith("A") and rule[1:].isdigit()):
        assert tags
    assert set(tags) <= set(known)


def test_house_rules_follow_the_defaults_of_the_assumptions() -> None:
    rules = msgspec.to_builtins(load_book("fellowship").rules)
    for name, assumption in load_assumptions("fellowship").items():
        assert assumption.default in assumption.options, name
        for rule, value in assumption.options[assumption.default].items():
            assert rules[rule] == value, name


@pytest.mark.parametrize(("name", "assumption"), load_assumptions("fellowship").items(), ids=lambda value: str(value)[:3])
def test_every_option_of_an_assumption_can_be_chosen(name: str, assumption) -> None:
    for option, rules in assumption.options.items():
        scenario = load(1, {name: option})
        assert scenario.assumptions[name] == option
        assert {rule: getattr(scenario.rules, rule) for rule in rules} == rules


# A file of one's own.


def test_a_file_of_ones_own(write: Write) -> None:
    path = write(
        'threats = "numbered"\n[rules]\ntake_lost = "optional"',
        goal('measure = "tricks", exactly = "threat"', '{ do = "draw_threat" }'),
    )
    scenario = load(path)
    assert isinstance(scenario, Scenario)
    assert scenario.label == "mine"
    assert scenario.characters["hero"].goal[0].exactly == "threat"
    assert scenario.threats == (1, 2, 3, 4, 5, 6, 7)
    assert scenario.rules.take_lost == "optional"
    assert load(path, {"A12": "compulsory"}).rules.take_lost == "compulsory"
    assert load(str(path)) == scenario


def test_a_deck_and_a_deal_of_ones_own(write: Write) -> None:
    scenario = load(write('deck = ["R1-5", "H1-8", "M1-6"]\n[deal.3]\nseats = 3\nhand = 6'))
    assert scenario.cards[:2] == ("H1", "H2")
    assert scenario.cards[-1] == "R5"
    assert list(scenario.deals) == [3]


# Mistakes: the parts that the line has to have.

MISTAKES: dict[str, tuple[str, str, list[str]]] = {
    "unknown key": ('tittle = "x"', "", ["unknown key 'tittle'", "allowed are schema, title", "did you mean 'title'?"]),
    "unknown key below": (
        "",
        "[[roster]]\ncharakter = 'sam'",
        ["roster[4]", "'charakter'", "allowed are character", "'character'?"],
    ),
    "unknown key of a character": ("", hero('nme = "x"\n' + ONE_TRICK), ["characters.hero", "'nme'", "'name'?"]),
    "unknown key of a rule": ('[rules]\ndeclar = "at_play"', "", ["rules", "'declar'", "allowed are declare", "'declare'?"]),
    "wrong type": ("deck = 5", "", ["deck = 5", "expected text or a list, got a whole number"]),
    "wrong type below": (
        "",
        "[[roster]]\ncharacter = 'sam'\nrequired = 'yes'",
        ["roster[4].required = 'yes'", "expected true or false, got text"],
    ),
    "wrong type of a goal": ("", hero("goal = 3"), ["characters.hero.goal = 3", "expected a list, got a whole number"]),
    "wrong literal": ('length = "shrt"', "", ["length = 'shrt'", "allowed are short", "'short'?"]),
    "wrong literal of a rule": (
        '[rules]\ndeclare = "at_plai"',
        "",
        ["rules.declare = 'at_plai'", "at_play, after_trick", "'at_play'?"],
    ),
    "wrong measure": ("", goal('measure = "trick", at_least = 1'), ["goal[0].measure = 'trick'", "tricks, cards", "'tricks'?"]),
    "wrong comparison": (
        "",
        goal('measure = "tricks", compare = "moist"'),
        ["compare = 'moist'", "fewest, most, between", "'most'?"],
    ),
    "wrong action": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "exchang" }'),
        ["setup[0].do = 'exchang'", "'exchange'?"],
    ),
    "number out of range": ("number = 0", "", ["number = 0", ">= 1"]),
    "unknown character": ("", "[[roster]]\ncharacter = 'gimly'", ["roster[4].character = 'gimly'", "'gimli'?"]),
    "character twice": ("", "[[roster]]\ncharacter = 'bilbo'", ["roster[4].character = 'bilbo'", "twice"]),
    "unknown deck": ('deck = "standart"', "", ["deck = 'standart'", "allowed are standard", "'standard'?"]),
    "unknown deal": ('deal = "standrd"', "", ["deal = 'standrd'", "allowed are standard", "'standard'?"]),
    "unknown threats": ('threats = "black_rider"', "", ["threats = 'black_rider'", "black_riders, numbered", "'black_riders'?"]),
    "threat twice": ("threats = [1, 1]", "", ["threats", "[1, 1]", "twice"]),
    "threat zero": ("threats = [0]", "", ["threats[0] = 0", ">= 1"]),
    "card twice": ('deck = ["H1-8", "H3"]', "", ["deck", "'H3' is in the deck twice"]),
    "no card": ('deck = ["Q1"]', "", ["deck", "'Q1'", "suits H, M, F, S, R"]),
    "rank too high": ('deck = ["H1-17"]', "", ["deck", "'H1-17'", "1 to 16"]),
    "deck too large": ('deck = ["H1-16", "M1-16", "F1-16", "S1-16", "R1-5"]', "", ["deck", "69 cards", "at most 64"]),
    "deck of another size": ('deck = ["H1-8"]', "", ["deal.1", "are 37 cards", "the deck has 8"]),
    "deal that does not add up": ("[deal.3]\nseats = 3\nhand = 11", "", ["deal.3", "3 hands of 11", "are 34 cards", "has 37"]),
    "deal for five": ("[deal.5]\nseats = 3\nhand = 12", "", ["deal.5", "must be 1 to 4"]),
    "seats that do not fit": ("[deal.4]\nseats = 3\nhand = 12", "", ["deal.4.seats = 3", "4 players have 4 seats"]),
    "two without pyramid": ("[deal.2]\nseats = 3\nhand = 12", "", ["deal.2", "need a pyramid"]),
    "unknown pyramid": ('[deal.2]\nseats = 3\nhand = 12\npyramid = "twelv"', "", ["deal.2.pyramid = 'twelv'", "'twelve'?"]),
    "unknown suit in a goal": (
        "",
        goal('measure = "cards", cards = "Q", at_least = 1'),
        ["goal[0].cards", "'Q' is no suit", "H, M, F, S, R"],
    ),
    "no card set in a goal": (
        "",
        goal('measure = "cards", cards = "h3", at_least = 1'),
        ["goal[0].cards", "'h3' is no card set", "H3"],
    ),
    "goal without cards": ("", goal('measure = "cards", at_least = 1'), ["goal[0].cards", "the measure cards needs cards"]),
    "goal with cards": ("", goal('measure = "tricks", cards = "H", at_least = 1'), ["goal[0].cards", "tricks takes no cards"]),
    "goal without target": ("", goal('measure = "tricks"'), ["goal[0]", "at_least, at_most, exactly or compare"]),
    "two kinds of target": ("", goal('measure = "tricks", exactly = 1, at_most = 2'), ["goal[0]", "exactly and at_most"]),
    "target and comparison": (
        "",
        goal('measure = "tricks", compare = "most", at_least = 1'),
        ["goal[0]", "compare = 'most'", "at_least"],
    ),
    "comparison of a streak": ("", goal('measure = "streak", compare = "most"'), ["goal[0]", "compare", "tricks and cards"]),
    "between cards": ("", goal('measure = "cards", cards = "H", compare = "between"'), ["goal[0]", "between", "tricks"]),
    "last of cards": ("", goal('measure = "cards", cards = "H", last = 2, at_least = 1'), ["goal[0].last", "tricks"]),
    "runs of others": (
        "",
        goal('measure = "run", cards = "H", of = "each", at_least = 1'),
        ["goal[0].of = 'each'", "tricks and cards"],
    ),
    "word as target": (
        "",
        goal('measure = "tricks", at_least = "thread"'),
        ["goal[0].at_least = 'thread'", "threat, threat+1, threat-1"],
    ),
    "table without four": (
        "",
        goal('measure = "tricks", at_least = { 1 = 1, 2 = 1, 3 = 1 }'),
        ["goal[0].at_least", "1, 2, 3 and 4"],
    ),
    "threat without draw": ("", goal('measure = "tricks", at_least = "threat"'), ["goal[0]", "threat", "draws none"]),
    "threat card without draw": ("", goal('measure = "cards", cards = "H{threat}", at_least = 1'), ["goal[0]", "draws none"]),
    "draw without deck": ("", "[[roster]]\ncharacter = 'sam'", ["threats", "sam draws a threat", "no threat deck"]),
    "threats too few": ("threats = [1]", "[[roster]]\ncharacter = 'sam'", ["threats: 1 number;", "2 may be drawn", "redraws"]),
    "exchange with nobody": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "exchange" }'),
        ["characters.hero.setup", "with ="],
    ),
    "exchange with a stranger": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "exchange", with = "frdo" }'),
        ["'frdo'", "'frodo'?"],
    ),
    "two bound characters": ("", hero(ONE_TRICK + 'taken_with = "H1"'), ["frodo and hero", "one at most"]),
    "unknown book": ('book = "felowship"', "", [": book = 'felowship'", "allowed are fellowship", "'fellowship'?"]),
    "unknown key of a deal": ("[deal.3]\nseats = 3\nhnd = 12", "", ["deal.3: unknown key 'hnd'", "'hand'?"]),
    "seats of a deal": ("[deal.3]\nseats = 2\nhand = 18", "", ["deal.3.seats = 2", "3 players have 3 seats"]),
    "seats of one player": ("[deal.1]\nseats = 3\nhand = 12", "", ["deal.1.seats = 3", "1 player has 4 seats"]),
    "keeps a card of no deck": ("", hero(ONE_TRICK + 'keeps = ["H1", "H9"]'), ["keeps: 'H9' names no card of the deck"]),
    "deck as text": ('deck = "H1-8"', "", ["deck = 'H1-8'", "allowed are standard, ", "or a list such as"]),
    "range backwards": ('deck = ["H8-1"]', "", ["deck: 'H8-1' runs backwards"]),
    "type of a rule": ("[rules]\ndeclare = 3", "", ["rules.declare = 3", "expected text, got a whole number"]),
    "character without a goal": ("", hero(""), ["characters.hero: the key 'goal' is missing"]),
    "keeps no card": ("", hero(ONE_TRICK + 'keeps = ["h"]'), ["characters.hero.keeps: 'h' is no card set"]),
    "keeps no suit": ("", hero(ONE_TRICK + 'keeps = ["Q"]'), ["characters.hero.keeps: 'Q' is no suit", "H, M, F, S, R"]),
    "keeps by the threat": ("", hero(ONE_TRICK + 'keeps = "H{threat}"'), ["keeps: 'H{threat}': the threat stands in goals only"]),
    "lends to nobody": (
        "",
        hero(ONE_TRICK + 'lends = [{ to = "frod", cards = "R" }]'),
        ["characters.hero.lends[0].to = 'frod': there is no such character", "'frodo'?"],
    ),
    "lends to itself": ("", hero(ONE_TRICK + 'lends = [{ to = "hero", cards = "R" }]'), ["lends[0].to = 'hero'", "itself"]),
    "lends no suit": ("", hero(ONE_TRICK + 'lends = [{ to = "frodo", cards = "Q" }]'), ["lends[0].cards: 'Q' is no suit"]),
    "lends no card": ("", hero(ONE_TRICK + 'lends = [{ to = "frodo", cards = [] }]'), ["lends[0].cards: names no card"]),
    "goal of a card of no deck": (
        "",
        goal('measure = "cards", cards = "H9", at_least = 1'),
        ["characters.hero.goal[0].cards: 'H9' names no card of the deck"],
    ),
    "goal of a part that is in no deck": (
        "",
        goal('measure = "cards", cards = ["H8", "*9"], at_least = 1'),
        ["goal[0].cards: '*9' names no card of the deck"],
    ),
    "goal of a range that runs backwards": (
        "",
        goal('measure = "cards", cards = "H8-1", at_least = 1'),
        ["goal[0].cards: 'H8-1' runs backwards"],
    ),
    "goal of no cards": ("", goal('measure = "cards", cards = [], at_least = 1'), ["goal[0].cards: names no card"]),
    "type of a card set": (
        "",
        goal('measure = "cards", cards = 3, at_least = 1'),
        ["goal[0].cards = 3: must be a card set (R, H3"],
    ),
    "more cards than there are": (
        "",
        goal('measure = "cards", cards = "H", at_least = 9'),
        ["goal[0]: asks for 9 cards; the deck has 8"],
    ),
    "impossible goal": (
        "",
        goal('measure = "tricks", at_least = 2, at_most = 1'),
        ["goal[0]: at_least = 2 is more than at_most = 1"],
    ),
    "impossible goal for some": (
        "",
        goal('measure = "tricks", at_least = { 1 = 1, 2 = 1, 3 = 1, 4 = 3 }, at_most = 2'),
        ["goal[0]: at_least = 3 is more than at_most = 2"],
    ),
    "impossible goal by the threat": (
        'threats = "black_riders"',
        goal('measure = "tricks", at_least = "threat+1", at_most = "threat"', '{ do = "draw_threat" }'),
        ["goal[0]: at_least = threat+1 is more than at_most = threat"],
    ),
    "fraction as target": (
        "",
        goal('measure = "tricks", at_least = 1.5'),
        ["goal[0].at_least = 1.5: must be a number from 0, threat, threat+1, threat-1, or a table by players"],
    ),
    "negative target": ("", goal('measure = "tricks", at_most = -1'), ["goal[0].at_most = -1: must be a number from 0, threat"]),
    "negative target for some": (
        "",
        goal('measure = "tricks", at_least = { 1 = 1, 2 = -1, 3 = 1, 4 = 1 }'),
        ["goal[0].at_least.2 = -1: expected a whole number >= 0"],
    ),
    "ties of a number": ("", goal('measure = "tricks", at_least = 1, ties = true'), ["goal[0].ties", "compare = 'fewest'"]),
    "keeps more threats than drawn": (
        'threats = "black_riders"',
        goal('measure = "tricks", at_least = 1', '{ do = "draw_threat", draw = 1, keep = 2 }'),
        ["characters.hero.setup[0].keep = 2", "the 1 drawn"],
    ),
    "redraw for no suit": (
        'threats = "black_riders"',
        goal('measure = "tricks", at_least = 1', '{ do = "draw_threat", redraw_if_lost = "HQ" }'),
        ["setup[0].redraw_if_lost: 'Q' is no suit", "H, M, F, S, R"],
    ),
    "more threats drawn than there are": (
        'threats = "black_riders"',
        goal('measure = "tricks", at_least = 1', '{ do = "draw_threat", draw = 7 }'),
        ["threats: 4 numbers; 7 may be drawn in one round"],
    ),
    "key of another action": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "take_lost", with = "any" }'),
        ["setup[0].with: is for exchange and swap_lost, not for take_lost"],
    ),
    "two that lead first": (
        "",
        hero(ONE_TRICK + "leads_first = true") + "\n[[roster]]\ncharacter = 'glorfindel'",
        ["roster: hero and glorfindel both lead first"],
    ),
    "more solo cards than there are": (
        "",
        hero(ONE_TRICK + "solo = { extra_cards = 21 }"),
        ["roster: solo.extra_cards may take 21 cards; the draw deck has 20"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_with_file_key_value_and_what_is_allowed(name: str, write: Write) -> None:
    top, bottom, parts = MISTAKES[name]
    path = write(top, bottom)
    line = mistake(path)
    assert line.startswith(f"{path}: ")
    assert [part for part in parts if part not in line] == [], line


def test_more_required_characters_than_seats(write: Write) -> None:
    text = (
        FILE.format(top="", bottom="")
        .replace('"bilbo"', '"bilbo"\nrequired = true')
        .replace('"pippin"', '"pippin"\nrequired = true')
    )
    line = mistake(write(text=text.replace('"gandalf"', '"gandalf"\nrequired = true')))
    assert "4 characters are required, but 2 players have 3 seats" in line


def test_fewer_characters_than_seats(write: Write) -> None:
    text = FILE.format(top="", bottom="").replace('[[roster]]\ncharacter = "gandalf"', "")
    assert "roster: 3 characters" in mistake(write(text=text))


EVENT = '[events.mine]\nname = "Mine"\n'
LATER_MISTAKES: dict[str, tuple[str, str, list[str]]] = {
    "unknown event": ('event = "old_man"', "", ["event = 'old_man'", "did you mean 'old_man_willow'?"]),
    "unknown key of an event": ('event = "mine"', EVENT + "trump = 'H'", ["events.mine: unknown key 'trump'", "'trumps'"]),
    "trumps that are no suit": ('event = "mine"', EVENT + "trumps = 'X'", ["trumps = 'X'", "H, M, F, S, R"]),
    "face down by nobody": ('event = "mine"', EVENT + 'face_down = "gimly"', ["face_down = 'gimly'", "did you mean 'gimli'?"]),
    "no cards to turn up": (
        'event = "mine"',
        EVENT + 'reveal = { cards = ["X"], each = { 1 = 1, 2 = 1, 3 = 1, 4 = 1 }, test = "sum" }',
        ["reveal.cards: 'X' is neither a card"],
    ),
    "too many to turn up": (
        'event = "mine"',
        EVENT + 'reveal = { cards = ["X1-4"], each = { 1 = 1, 2 = 1, 3 = 5, 4 = 1 }, test = "sum" }',
        ["4 cards, 5 each trick with 3 players"],
    ),
    "unknown test": (
        'event = "mine"',
        EVENT + 'reveal = { cards = ["X1-4"], each = { 3 = 1 }, test = "summ" }',
        ["'summ'", "winner, sum"],
    ),
    "a pile without its cards": (
        'event = "mine"',
        EVENT + "pile = { cards = { 3 = 5 } }",
        ["deal.3", "5 set aside", "42 cards; the deck has 37"],
    ),
    "change of nobody": (
        'event = "mine"',
        EVENT + "changes = { bilba = { leads_first = true } }",
        ["changes 'bilba'", "'bilbo'"],
    ),
    "unknown curse": ('curses = { bilbo = "wrath" }', "", ["curses.bilbo = 'wrath'", "did you mean 'wraith'?"]),
    "curse of nobody": (
        'curses = { bilba = "wraith" }',
        "",
        ["curses.bilba: there is no such character (did you mean 'bilbo'?)"],
    ),
    "unknown gift": ('gifts = ["horn"]', "", ["gifts[0] = 'horn'", "horn_of_gondor"]),
    "gift without its owner": (
        'gifts = ["horn_of_gondor"]',
        "",
        ["gifts: horn_of_gondor is for boromir, who is not in the roster"],
    ),
    "declared without declaring": (
        "",
        goal('measure = "tricks", at_least = 1, declared = "more"'),
        ["declared = 'more'", "declares nothing"],
    ),
    "declared what": ("", goal('measure = "tricks", at_least = 1, declared = "most"'), ["declared = 'most'", "more, fewer"]),
    "groups of numbers": (
        "",
        goal('measure = "tricks", exactly = "threat"', '{ do = "choose_threat", among = [[1, 3]] }'),
        ["among: [1, 3]", "follow on"],
    ),
    "groups of two sizes": (
        "",
        goal('measure = "tricks", exactly = "threat"', '{ do = "choose_threat", among = [[1], [2, 3]] }'),
        ["of one size"],
    ),
    "a pile where there is none": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "take_pile", cards = 2 }'),
        ["takes 2 cards of a pile", "sets none aside"],
    ),
    "how many of a pile": ("", goal('measure = "tricks", at_least = 1', '{ do = "take_pile" }'), ["take_pile needs a number"]),
    "three threats": (
        "threats = [1, 2, 3, 4, 5]",
        goal('measure = "tricks", exactly = "threat"', '{ do = "draw_threat", draw = 3 }'),
        ["one threat of at most 2"],
    ),
    "each one by one": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "exchange", with = "any", each = true }'),
        ["simultaneous and each"],
    ),
    "two tuck": (
        "",
        "[[roster]]\ncharacter = 'shadowfax'\n" + goal('measure = "tricks", at_least = 1', '{ do = "tuck" }'),
        ["shadowfax and hero both do tuck"],
    ),
    "tuck twice": ("", goal('measure = "tricks", at_least = 1', '{ do = "tuck" }, { do = "tuck" }'), ["tuck is there 2 times"]),
    "aside and taken": (
        "",
        goal('measure = "tricks", at_least = 1', '{ do = "take_lost" }, { do = "set_aside" }'),
        ["set_aside cannot stand beside"],
    ),
    "no such house rule": (
        "",
        hero(ONE_TRICK + "variants = [{ when = { declar = 'x' } }]"),
        ["unknown house rule 'declar'", "'declare'"],
    ),
    "no such value": (
        "",
        hero(ONE_TRICK + "variants = [{ when = { declare = 'now' } }]"),
        ["when.declare = 'now'", "at_play, after_trick"],
    ),
    "variants of what": ("", hero(ONE_TRICK + "variants = 3"), ["characters.hero.variants: must be a list of tables"]),
    "kind without title": ("[rounds.first]\nevent = 'saruman'", "", ["rounds.first: the key 'title' is missing"]),
    "kind after another": ("[rounds.first]\ntitle = 'A'\nafter = ['frist']", "", ["rounds.first.after = 'frist'", "'first'"]),
    "kind without whom": ("[rounds.first]\ntitle = 'A'\nwithout = ['sam']", "", ["rounds.first: roster = 'sam'"]),
    "kind with too small a deck": (
        "[rounds.first]\ntitle = 'A'\ndeck = 'without_forests'",
        "",
        ["rounds.first: deal.", "the deck has 29"],
    ),
    "cards in the box": (
        "[deal.3]\nseats = 3\nhand = 12\nlost = 1\nwithout = 'Q'",
        "",
        ["deal.3.without: 'Q' is no suit"],
    ),
}


@pytest.mark.parametrize("name", LATER_MISTAKES)
def test_a_mistake_in_events_curses_gifts_and_kinds_is_one_line(name: str, write: Write) -> None:
    top, bottom, parts = LATER_MISTAKES[name]
    line = mistake(write(top=top, bottom=bottom))
    assert [part for part in parts if part not in line] == [], line


def test_what_depends_on_house_rules(write: Write) -> None:
    bottom = hero(
        "variants = [{ when = { declare = 'after_trick' }, name = 'Late' }]\n"
        "goal = [{ measure = 'tricks', at_least = 1 },"
        " { when = { declare = ['after_trick'] }, measure = 'tricks', at_most = 2 }]\n"
    )
    path = write(bottom=bottom)
    usual, late = load(path), load(path, {"A10": "after_trick"})
    assert (usual.characters["hero"].name, len(usual.characters["hero"].goal)) == ("Hero", 1)
    assert (late.characters["hero"].name, len(late.characters["hero"].goal)) == ("Late", 2)


def test_the_kinds_of_round_of_a_chapter() -> None:
    moria = load("14")
    assert list(moria.rounds) == ["doors_of_durin", "balins_tomb", "long_dark", "bridge_of_khazad_dum"]
    stars = {kind: {e.character for e in one.roster if e.required} for kind, one in moria.rounds.items()}
    assert stars == {
        "doors_of_durin": {"frodo", "gandalf"}, "balins_tomb": {"frodo", "gimli"}, "long_dark": {"frodo", "aragorn"},
        "bridge_of_khazad_dum": {"frodo", "gandalf_servant"},
    }  # fmt: skip
    bridge = load("14-bridge_of_khazad_dum")
    assert bridge == msgspec.structs.replace(moria.rounds["bridge_of_khazad_dum"], alone=True)
    assert (bridge.name, len(bridge.cards), bridge.deals[3].lost) == ("14-bridge_of_khazad_dum", 29, 2)
    assert [moria.rounds[kind].times for kind in moria.rounds] == ["once", "once", "any", "once"]
    assert len({one.hash for one in [moria, *moria.rounds.values()]}) == 5
    assert [entry.complete for entry in load("13").roster].count(False) == 1
    assert "14-doors_of_durin, 14-balins_tomb" in mistake("14-long_drak")
    assert "chapter '5-x': allowed are 5" in mistake("5-x")


def test_never_lost(write: Write) -> None:
    text = FILE.format(top="", bottom="")
    assert "never_lost: 'R9' is not in the deck (did you mean" in mistake(write(text=text.replace('["R1"]', '["R9", "R1"]')))
    assert "never_lost: must name R1, the card that frodo is taken with" in mistake(write(text=text.replace('["R1"]', "[]")))
    assert "never_lost: names R1 twice" in mistake(write(text=text.replace('["R1"]', '["R1", "R1"]')))


def test_a_character_taken_with_a_card_of_no_deck(write: Write) -> None:
    text = FILE.format(top="", bottom="").replace('character = "frodo"', 'character = "hero"')
    path = write(text=text + '[characters.hero]\nname = "Hero"\ntaken_with = "R9"\n' + ONE_TRICK)
    assert "characters.hero.taken_with = 'R9': is not in the deck" in mistake(path)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("schema = 1\ntitle =", "is not valid TOML"),
        ('schema = 1\ntitle = "x"\ntitle = "y"\n', "is not valid TOML"),
        ("", "the key 'schema' is missing"),
        ('schema = 1\ntitle = "x"\n', "the key 'roster' is missing"),
        ('schema = 2\ntitle = "x"\nroster = []', "schema = 2: allowed are 1"),
        ('schema = 1\ntitle = "x"\nroster = []\ncharacters = 3', "characters = 3: must be tables"),
    ],
)
def test_files_that_are_no_scenario(write: Write, text: str, part: str) -> None:
    path = write(text=text)
    line = mistake(path)
    assert line.startswith(f"{path}: ")
    assert part in line


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing, folder, bytes_ = tmp_path / "missing.toml", tmp_path / "folder.toml", tmp_path / "bytes.toml"
    folder.mkdir()
    bytes_.write_bytes(b"\xff\xfe")
    assert mistake(missing) == f"{missing}: there is no such file"
    assert mistake(folder).startswith(f"{folder}: cannot be read")
    assert mistake(bytes_).startswith(f"{bytes_}: cannot be read")


@pytest.mark.parametrize("label", ["99", "ch4", "", "0"])
def test_unknown_chapters(label: str) -> None:
    assert mistake(label).startswith(f"chapter '{label}': allowed are 1, 2, 3, 4")


def test_a_file_cannot_be_called_like_a_chapter(tmp_path: Path) -> None:
    path = tmp_path / "4.toml"
    path.write_text(FILE.format(top="", bottom=""))
    assert "named like chapter 4" in mistake(path)


def test_unknown_assumptions() -> None:
    assert "unknown assumption; allowed are A1, A2, A3" in mistake("1", A99="x")
    line = mistake("1", A10="after_trik")
    assert line.startswith("--assume A10=after_trik: allowed are at_play, after_trick (did you mean 'after_trick'?)")


@pytest.mark.parametrize(("players", "lost"), [(3, 3), (1, 4)])
def test_cards_that_are_never_lost_leave_enough_to_lose(write: Write, players: int, lost: int) -> None:
    sizes = {3: "seats = 3\nhand = 1\nlost = {}", 1: "seats = 4\nhand = 1\nlost = {}\ndraw_deck = 3"}
    deck = {3: '["R1", "H1-4", "S1"]', 1: '["R1-4", "H1-4", "S1-3"]'}[players]
    text = FILE.format(top=f"deck = {deck}\n[deal.{players}]\n{sizes[players].format(lost)}", bottom="")
    kept = {3: ["R1", "H1", "H2", "H3"], 1: ["R1", "H1", "H2", "H3", "H4", "S1", "S2", "S3"]}[players]
    line = mistake(write(text=text.replace('["R1"]\ndeck', f"{kept}\ndeck")))
    assert f"never_lost: leaves {lost - 1} cards that may be lost; deal.{players} loses {lost}" in line


def test_the_assumptions_tell_which_house_rules_are_in_force(write: Write) -> None:
    path = write('[rules]\ndeclare = "after_trick"\nsolo_selection = "required_first"')
    scenario = load(path)
    assert scenario.rules.declare == "after_trick"
    assert scenario.assumptions == load(1).assumptions | {"A10": "after_trick", "A21": "required_first"}
    # The command line goes before the file.
    chosen = load(path, {"A10": "at_play", "A12": "optional"})
    assert (chosen.rules.declare, chosen.rules.take_lost) == ("at_play", "optional")
    assert chosen.assumptions == load(1).assumptions | {"A12": "optional", "A21": "required_first"}


def test_a_wrong_rule_of_the_file_is_told_whatever_is_assumed(write: Write) -> None:
    assert "rules.declare = 'x': allowed are at_play" in mistake(write('[rules]\ndeclare = "x"'), A10="after_trick")


@pytest.mark.parametrize("read", [load_book, load_characters, load_assumptions])
def test_books_that_the_library_does_not_have(read: Callable[[str], object]) -> None:
    with pytest.raises(UserError, match=r"^book = 'felowship': allowed are fellowship \(did you mean 'fellowship'\?\)$"):
        read("felowship")


def test_a_file_is_found_from_wherever_one_is(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write()
    known = load(path)
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert load("../mine.toml") == load(path) == known
    monkeypatch.chdir(tmp_path)
    assert load("mine.toml") == load("./mine.toml") == known
    assert load("4").hash == load(chapters()["4"]).hash


def test_a_character_of_the_file_takes_the_place_of_the_one_of_the_book(write: Write) -> None:
    scenario = load(write("", '[characters.bilbo]\nname = "Bilbo"\ngoal = [{ measure = "tricks", exactly = 0 }]'))
    assert scenario.characters["bilbo"].goal[0].exactly == 0
    assert load_characters("fellowship")["bilbo"].goal[0].at_least == 3


def test_loading_is_quick() -> None:
    load("4")
    started = time.perf_counter()
    for _ in range(20):
        load("4")
    assert (time.perf_counter() - started) / 20 < 0.02
