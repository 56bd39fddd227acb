"""The hash of a scenario: the same for the same rules, whatever they are called; another one for other rules."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scenarios import chapters, load

FILE = """schema = 1
title = "One"
notes = ["a note"]
source = "me"
threats = "black_riders"
never_lost = ["R1"]
[[roster]]
character = "frodo"
required = true
source = "me"
[[roster]]
character = "hero"
[[roster]]
character = "pippin"
[[roster]]
character = "gandalf"
[characters.hero]
name = "Hero"
text = "win a trick"
source = "me"
goal = [{ measure = "tricks", at_least = 1, source = "me" }]
setup = [{ do = "draw_threat", source = "me" }]
"""


def hash_of(tmp_path: Path, text: str, name: str = "mine.toml") -> str:
    """Return the hash of a scenario file."""
    path = tmp_path / name
    path.write_text(text)
    return load(path).hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('title = "One"', 'title = "Another"'),
        ('notes = ["a note"]', 'notes = ["another", "and one more"]'),
        ('notes = ["a note"]\n', ""),
        ('source = "me"', 'source = "you"'),
        ('name = "Hero"', 'name = "Heroine"\ncard = "9.99"'),
        ('text = "win a trick"', 'text = "win one"'),
        ('threats = "black_riders"', "threats = [1, 2, 3, 4]"),
    ],
)
def test_words_do_not_change_the_hash(tmp_path: Path, old: str, new: str) -> None:
    assert old in FILE
    assert hash_of(tmp_path, FILE) == hash_of(tmp_path, FILE.replace(old, new))


def test_the_name_of_the_file_does_not_change_the_hash(tmp_path: Path) -> None:
    assert hash_of(tmp_path, FILE) == hash_of(tmp_path, FILE, "yours.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at_least = 1", "at_least = 2"),
        ("at_least = 1", "at_most = 1"),
        ('"draw_threat"', '"choose_threat"'),
        ('"draw_threat"', '"draw_threat", redraw_if_lost = "H"'),
        ('threats = "black_riders"', 'threats = "numbered"'),
        ('never_lost = ["R1"]', 'never_lost = ["R1", "R2"]'),
        ('character = "hero"', 'character = "hero"\nrequired = true'),
        ('character = "pippin"', 'character = "merry"'),
        ('never_lost = ["R1"]', 'never_lost = ["R1"]\ndeal = { 3 = { seats = 3, hand = 12 } }'),
        ('title = "One"', 'title = "One"\nrules = { take_lost = "optional" }'),
    ],
)
def test_rules_change_the_hash(tmp_path: Path, old: str, new: str) -> None:
    assert old in FILE
    assert hash_of(tmp_path, FILE) != hash_of(tmp_path, FILE.replace(old, new))


def test_assumptions_change_the_hash() -> None:
    hashes = [load(1).hash, load(1, {"A10": "after_trick"}).hash, load(1, {"A12": "optional"}).hash]
    assert len(set(hashes)) == 3
    assert load(1, {"A10": "at_play"}).hash == hashes[0]


def test_chapters_have_hashes_of_their_own() -> None:
    hashes = {load(label).hash for label in chapters()}
    assert len(hashes) == len(chapters())
    assert all(value.startswith("sha256:") and len(value) == 7 + 64 for value in hashes)


def test_the_title_of_a_resolved_scenario_does_not_count() -> None:
    scenario = load(2)
    renamed = msgspec.structs.replace(scenario, title="x", notes=(), source="", sources={}, book_title="y", label="z")
    assert renamed.hash == scenario.hash
    assert msgspec.structs.replace(scenario, threats=(1, 2, 3)).hash != scenario.hash


@pytest.mark.parametrize("name", ["text", "notes", "source", "name", "card", "title"])
def test_a_character_may_be_called_like_a_field(tmp_path: Path, name: str) -> None:
    named = FILE.replace("characters.hero", f"characters.{name}").replace('"hero"', f'"{name}"')
    assert hash_of(tmp_path, named) != hash_of(tmp_path, named.replace("at_least = 1", "at_least = 2"))


def test_a_rule_counts_the_same_wherever_it_was_chosen(tmp_path: Path) -> None:
    plain = tmp_path / "plain.toml"
    plain.write_text(FILE)
    ruled = FILE.replace('title = "One"', 'title = "One"\nrules = { declare = "after_trick" }')
    assert hash_of(tmp_path, ruled) == load(plain, {"A10": "after_trick"}).hash != load(plain).hash
