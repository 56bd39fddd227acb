"""Errors for programs: one JSON object on stderr, with what the line for people names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from invocation import SCENARIO, ringsim

from cli.options import POLICIES
from scenarios.errors import parts

pytestmark = pytest.mark.usefixtures("engine")


def told(*arguments: str, cwd: Path | None = None, **env: str) -> dict[str, Any]:
    done = ringsim(*arguments, cwd=cwd, **env)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    found = json.loads(line)
    assert found["exit_code"] == 2
    return found


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (
            ["run", "1", "--policy", "skript"],
            {
                "option": "--policy",
                "value": "skript",
                "allowed": list(POLICIES),
                "nearest": "script",
            },
        ),
        (
            ["replay", "1", "--format", "jsn"],
            {"option": "--format", "value": "jsn", "allowed": ["table", "json"], "nearest": "json"},
        ),
        (["run", "1", "--deals", "0"], {"option": "--deals", "value": "0"}),
        (["run", "1", "--polic", "x"], {"option": "--polic", "nearest": "--policy"}),
        (["run", "1", "--deals"], {"option": "--deals"}),
        (["chapter"], {"nearest": "chapters"}),
        (["report", "failures", "nothing"], {}),
    ],
)
def test_an_error_names_its_option_and_what_is_allowed(arguments: list[str], known: dict[str, Any]) -> None:
    found = told(*arguments, "--json-errors")
    assert {name: value for name, value in found.items() if name not in ("message", "exit_code")} == known
    # The same line that people get.
    assert ringsim(*arguments).stderr == f"error: {found['message']}\n"


def test_an_unknown_chapter_and_a_file_of_ones_own(tmp_path: Path) -> None:
    found = told("show", "44", "--json-errors")
    assert (found["field"], found["value"]) == ("chapter", "44")
    assert {"1", "18"} <= set(found["allowed"])
    (tmp_path / "mine.toml").write_text(SCENARIO.replace("threats =", "treats ="))
    found = told("show", "mine.toml", "--json-errors", cwd=tmp_path)
    assert found["file"] == "mine.toml"
    assert found["nearest"] == "threats"


def test_the_option_stands_anywhere_and_a_variable_does_the_same() -> None:
    arguments = ("show", "1", "--players", "5")
    usual = told(*arguments, "--json-errors")
    assert told("--json-errors", *arguments) == usual == told(*arguments, RINGSIM_JSON_ERRORS="1")
    assert ringsim(*arguments, RINGSIM_JSON_ERRORS="0").stderr.startswith("error: ")
    assert ringsim("show", "1", "--json-errors").returncode == 0


def test_without_a_command_programs_are_told_too() -> None:
    assert "--help" in told("--json-errors")["message"]


def test_the_parts_of_messages() -> None:
    assert parts("--assume A99=x: unknown assumption; allowed are A1, A2 (did you mean 'A9'?)") == {
        "option": "--assume", "value": "A99=x", "allowed": ["A1", "A2"], "nearest": "A9"
    }  # fmt: skip
    assert parts("games.jsonl:3: seats: must be a list") == {"file": "games.jsonl", "line": 3, "field": "seats"}
    assert parts("--retry kept: must be none or fresh or keep")["allowed"] == ["none", "fresh", "keep"]
    assert parts("--players 5: players must be 1 to 4") == {"option": "--players", "value": "5"}
    assert parts("something else went wrong") == {}
