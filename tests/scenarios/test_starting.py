"""A file to start from is its chapter until it is changed; the schema accepts what the loader does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from typer.testing import CliRunner

from cli.main import app
from scenarios import chapters, load
from scenarios.errors import UserError
from scenarios.schema import chapter_schema
from scenarios.starting import starting_text, write_start


def start(tmp_path: Path, chapter: str, name: str = "my.toml") -> Path:
    write_start(tmp_path / name, chapter)
    return tmp_path / name


@pytest.mark.parametrize("chapter", chapters())
def test_the_copy_is_the_chapter(tmp_path: Path, chapter: str) -> None:
    copy, ours = load(start(tmp_path, chapter)), load(chapter)
    assert copy.hash == ours.hash
    assert (copy.label, copy.based_on, copy.title) == ("my", chapter, f"{ours.title}, changed")
    everybody = set(ours.characters) | {name for kind in ours.rounds.values() for name in kind.characters}
    assert set(tomllib.loads((tmp_path / "my.toml").read_text())["characters"]) == everybody


@pytest.mark.parametrize("chapter", chapters())
def test_every_character_can_be_changed(tmp_path: Path, chapter: str) -> None:
    path = start(tmp_path, chapter)
    text = path.read_text()
    for key in load(chapter).characters:
        path.write_text(re.sub(rf'(\[characters\.{key}\]\nname = )"[^"]*"', r'\1"Nobody"', text))
        assert load(path).characters[key].name == "Nobody"


def test_house_rules_stand_ready(tmp_path: Path) -> None:
    path = start(tmp_path, "2")
    rules = re.search(r"# \[rules\]\n(# .*\n)+", path.read_text())
    assert rules
    path.write_text(path.read_text().replace(rules[0], rules[0].replace("# ", "").replace('"at_play"  or', '"at_play"  # or')))
    text = re.sub(r'^(\w+ = "\w+")  or.*$', r"\1", path.read_text(), flags=re.MULTILINE)
    path.write_text(text)
    assert load(path).hash == load("2").hash
    path.write_text(text.replace('declare = "at_play"', 'declare = "after_trick"'))
    assert load(path).rules.declare == "after_trick"


def test_lines_are_readable() -> None:
    for chapter in chapters():
        text = starting_text(chapter, "my.toml")
        assert all(len(line) <= 120 for line in text.splitlines() if line.startswith("#"))
        assert "ringsim run my.toml" in text


def test_a_file_of_ones_own_can_be_started_from(tmp_path: Path) -> None:
    first = start(tmp_path, "3", "first.toml")
    first.write_text(first.read_text().replace("threats = ", "# threats = ") + "\n")
    text = first.read_text().replace('# threats = "black_riders"', 'threats = [2, 3, 4, 5] # once "black_riders"')
    first.write_text(text)
    second = load(start(tmp_path, str(first), "second.toml"))
    assert second.hash == load(first).hash
    assert second.based_on == "first"


def test_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.toml").write_text("mine")

    def refusal(*arguments: str) -> str:
        with pytest.raises(UserError) as caught:
            CliRunner().invoke(app, ["new", *arguments], catch_exceptions=False)
        return str(caught.value)

    assert refusal("my.toml", "--from", "2") == "my.toml: exists already; choose another name"
    assert Path("my.toml").read_text() == "mine"
    assert refusal("my", "--from", "2") == "my: must end in .toml, such as my.toml"
    assert refusal("4.toml", "--from", "2").startswith("4.toml: a file named like chapter 4 of the library")
    assert refusal("no/my.toml", "--from", "2") == "no/my.toml: cannot be written (No such file or directory)"
    assert refusal("x.toml", "--from", "99").startswith("chapter '99': allowed are 1, 2")
    assert not Path("x.toml").exists()


# The schema.


@pytest.mark.parametrize("chapter", chapters())
def test_the_schema_accepts_chapters_and_copies(tmp_path: Path, chapter: str) -> None:
    validator = Draft202012Validator(chapter_schema())
    for path in (chapters()[chapter], start(tmp_path, chapter)):
        validator.validate(tomllib.loads(path.read_text()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("schema = 1", "schema = 2"),
        ('measure = "tricks"', 'measure = "trick"'),
        ('character = "frodo"', 'character = "frodo"\nneeded = true'),
        ("title =", "titel ="),
        ('do = "exchange"', 'do = "swap"'),
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(tmp_path: Path, old: str, new: str) -> None:
    path = start(tmp_path, "2")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError):
        load(path)
    with pytest.raises(ValidationError):
        Draft202012Validator(chapter_schema()).validate(tomllib.loads(path.read_text()))


def test_the_command_writes_the_schema() -> None:
    result = CliRunner().invoke(app, ["schema"], catch_exceptions=False)
    written = json.loads(result.stdout)
    assert written == json.loads(json.dumps(chapter_schema()))
    Draft202012Validator.check_schema(written)
