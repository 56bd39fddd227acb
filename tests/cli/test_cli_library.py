"""`ringsim chapters` and `ringsim show`: the rules, to be read by people and by programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from invocation import SCENARIO, output

from scenarios import chapters, load, load_assumptions, load_book

RULES_FOR_SOME = {"solo": 1, "refill": 1, "solo_selection": 1, "pyramid": 2}


def joined(text: str) -> str:
    """Return a text without its line breaks and runs of spaces."""
    return " ".join(text.split())


# chapters


def test_the_table_of_chapters() -> None:
    text = output("chapters")
    lines = text.splitlines()
    assert lines[0].split()[:3] == ["chapter", "title", "length"]
    assert "…" not in "".join(lines)
    assert all(line == line.rstrip() for line in lines)
    for line, label in zip(lines[1:], chapters(), strict=False):
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
    assert [row["chapter"] for row in rows] == list(chapters())
    assert [row["title"] for row in rows] == [load(label).title for label in chapters()]
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
    kinds = max(1, len(scenario.rounds))
    assert re.findall(r"^  (\d) players?  ", text, re.MULTILINE) == [str(players)] * kinds
    flat = joined(text)
    for entry in scenario.roster:
        character = scenario.characters[entry.character]
        assert f"{character.name}{'*' * entry.required} ({entry.character}) {entry.source}" in flat
        assert joined(f"{character.text} {character.source}") in flat
        for action in character.setup:
            assert action.source in flat
    for note in scenario.notes:
        assert note in flat
    for rule in scenario.rules.__struct_fields__:
        asked = [one for one in load_assumptions(scenario.book).values() if any(rule in sets for sets in one.options.values())]
        touches = not asked or any(not one.chapters or int(label) in one.chapters for one in asked)
        shown = touches and RULES_FOR_SOME.get(rule, players) == players
        assert (f"{rule} = {getattr(scenario.rules, rule)};" in flat) == shown, rule
        assert not shown or book.rules_source[rule] in flat, rule
    for tag, source in book.sources.items():
        assert f"[{tag}] {source}" in flat


@pytest.mark.parametrize("label", chapters())
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
