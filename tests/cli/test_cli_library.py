"""`ringsim chapters` and `ringsim show`: the rules, to be read by people and by programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from invocation import SCENARIO, output

from scenarios import chapters, library, load, load_assumptions, load_book

ACTIONS = ("pass", "declare_direction", "pile_taken", "tuck", "set_aside", "swap_lost", "choose_threat")
OF_SOME = (
    "keep", "redraw", "names_leader", "announce", "reveal_test", "mirror", "curse", "wandering_curse", "fetch_lost", "free_first",
)  # fmt: skip
"""Rules that are shown only where a chapter has what they are about."""
RULES_FOR_SOME = {"solo": 1, "refill": 1, "solo_selection": 1, "pyramid": 2}


def joined(text: str) -> str:
    """Return a text without its line breaks and runs of spaces."""
    return " ".join(text.split())


# chapters


def test_the_table_of_chapters() -> None:
    text = output("chapters")
    lines = text.splitlines()
    assert lines[0].split()[:3] == ["chapter", "title", "players"]
    assert "…" not in "".join(lines)
    assert all(line == line.rstrip() for line in lines)
    for line, label in zip(lines[1:], library(), strict=False):
        scenario = load(label)
        assert line.split()[0] == label
        assert scenario.title in line
        for entry in scenario.roster:
            assert scenario.characters[entry.character].name + "*" * entry.required in line
    for name, assumption in load_assumptions("fellowship").items():
        said = joined(text.partition(f"  {name} ")[2])
        assert said.startswith(assumption.question)
        assert f"{assumption.default}*" in said


def test_chapters_as_json() -> None:
    rows = json.loads(output("chapters", "--format", "json"))
    assert [row["chapter"] for row in rows] == [*chapters(), "road"]
    assert [row["title"] for row in rows] == [load(label).title for label in library()]
    assert rows[-1]["drawn"] == {
        "fellowship": {"1": 5, "2": 4, "3": 4, "4": 5}, "others": {"1": 6, "2": 3, "3": 3, "4": 6},
    }  # fmt: skip
    assert rows[3]["required"] == ["frodo", "fatty_bolger", "merry"]
    assert rows[3]["optional"] == ["sam", "pippin"]
    assert all(row["source"] for row in rows)


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_nothing_is_wider_than_the_terminal(columns: str) -> None:
    text = output("show", "4", COLUMNS=columns)
    assert max(map(len, text.splitlines())) <= int(columns)
    assert joined(text) == joined(output("show", "4", COLUMNS="120"))


# show


@pytest.mark.parametrize("label", chapters())
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_chapter_for_some_players(label: str, players: int) -> None:
    scenario = load(label)
    book = load_book(scenario.book)
    text = output("show", label, "--players", str(players))
    assert text.startswith(f"Chapter {label}: {scenario.title}\n{scenario.book_title}")
    kinds = list(scenario.rounds.values()) or [scenario]
    assert re.findall(r"^  (\d) players?  ", text, re.MULTILINE) == [str(players)] * len(kinds)
    flat = joined(text)
    for kind in kinds:
        for entry in kind.roster:
            character = kind.characters[entry.character]
            assert f"{character.name}{'*' * entry.required} ({entry.character}) {entry.source}" in flat
            assert joined(f"{character.text} {character.source}") in flat
            for action in character.setup:
                assert action.source in flat
        if kind.event is not None:
            assert joined(f"{kind.event.name}: {kind.event.text} {kind.event.source}") in flat
        for _, curse in kind.curses.values():
            assert joined(f"{curse.text} {curse.source}") in flat
        for gift in kind.gifts.values():
            assert joined(f"{gift.name}: {gift.text} {gift.source}") in flat
        assert not kind.kind or f"Round '{kind.name}': {kind.kind_title}" in flat
    for note in scenario.notes:
        assert note in flat
    asked = {rule: one for one in load_assumptions(scenario.book).values() for sets in one.options.values() for rule in sets}
    for rule in scenario.rules.__struct_fields__:
        concerns = not asked[rule].chapters or int(label) in asked[rule].chapters
        shown = RULES_FOR_SOME.get(rule, players) == players and concerns
        assert (f"{rule} = {getattr(scenario.rules, rule)};" in flat) == shown, rule
    for rule, source in book.rules_source.items():
        if rule not in asked and rule not in ACTIONS and rule not in OF_SOME:
            assert (source in flat) == (RULES_FOR_SOME.get(rule, players) == players), rule
    for tag, source in book.sources.items():
        assert f"[{tag}] {source}" in flat


@pytest.mark.parametrize(("players", "fellowship", "others"), [(1, 5, 6), (2, 4, 3), (3, 4, 3), (4, 5, 6)])
def test_a_chapter_that_is_drawn(players: int, fellowship: int, others: int) -> None:
    scenario, text = load("road"), output("show", "road", "--players", str(players))
    assert text.startswith("The Road Goes Ever On (road)\n")
    flat = joined(text)
    assert f"{fellowship} of fellowship: Sam, Merry" in flat
    assert f"{others} of others: Gildor Inglorion" in flat
    assert "1 of them turned: Samwise Gamgee" in flat
    assert "one wandering curse: The Black Breath, Morgul-knife, Wraith, Unseen, Terror" in flat
    for gift in scenario.gifts.values():
        assert joined(f"{gift.name}: {gift.text} {gift.source}") in flat
    for note in scenario.notes:
        assert note in flat
    assert "take_lost = group (the book: compulsory); otherwise: compulsory, optional" in flat
    assert "A23 How many Rings does Frodo need beside Elrond?" in flat
    sources = load_book("fellowship").rules_source
    for rule in ("wandering_curse", "fetch_lost", "free_first"):
        assert joined(sources[rule]) in flat
        assert joined(sources[rule]) not in joined(output("show", "2"))


def test_rules_are_shown_where_they_matter() -> None:
    shown = {
        label: joined(output("show", label)).partition("Other rules")[2] for label in ("1", "5", "6", "10", "12", "16", "18")
    }
    sources = load_book("fellowship").rules_source
    for rule, labels in {"reveal_test": "5", "pile_taken": "6", "pass": "10", "tuck": "12", "mirror": "16", "keep": "18"}.items():
        assert [label for label, text in shown.items() if joined(sources[rule]) in text] == [labels], rule


@pytest.mark.parametrize("label", library())
def test_a_chapter_as_json(label: str) -> None:
    data = json.loads(output("show", label, "--format", "json"))
    scenario = load(label)
    assert data["label"] == label
    assert data["hash"] == scenario.hash
    assert data["cards"] == list(scenario.cards)
    assert list(data["deals"]) == ["1", "2", "3", "4"]
    assert data["assumptions"] == scenario.assumptions
    assert list(data["characters"]) == [entry["character"] for entry in data["roster"]]
    assert data["rules_source"] == load_book(scenario.book).rules_source


def test_assumptions_that_were_chosen_are_shown() -> None:
    text = joined(output("show", "1", "--assume", "A10=after_trick", "--assume", "A12=optional"))
    assert "A10 When does the player of the 1 of Rings say" in text
    assert "declare = after_trick (the book: at_play); otherwise: at_play" in text
    assert "take_lost = optional (the book: compulsory); otherwise: compulsory" in text
    data = json.loads(output("show", "1", "--assume", "A10=after_trick", "--format", "json", "--players", "2-3"))
    assert data["rules"]["declare"] == data["assumptions"]["A10"] == "after_trick"
    assert list(data["deals"]) == ["2", "3"]


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SCENARIO)
    text = output("show", "mine.toml", cwd=tmp_path)
    flat = joined(text)
    assert text.startswith("Mine (mine)\n")
    assert "goal cards won of H3 S: at least 1 (1, 4 players) or 2 (2, 3 players)" in flat
    assert "setup draw a threat, again when the card of its rank in Hills is lost mine" in flat
    assert "declare = after_trick (the book: at_play); otherwise: at_play" in flat
    assert "declare = at_play; otherwise: after_trick" in joined(
        output("show", "../mine.toml", "--assume", "A10=at_play", cwd=_below(tmp_path))
    )


def _below(folder: Path) -> Path:
    below = folder / "below"
    below.mkdir()
    return below
