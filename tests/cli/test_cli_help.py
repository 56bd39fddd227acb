"""Every command explains itself, with an example, and does so without loading anything heavy."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest
import typer
from invocation import HEAVY, output, ringsim

from cli.main import app


def commands() -> list[tuple[str, ...]]:
    """Return all commands, with those of groups, and the empty one for `ringsim` itself."""
    found: list[tuple[str, ...]] = [()]
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        found.append((name,))
        found += [(name, inner) for inner in getattr(command, "commands", {})]
    return found


def imported(stderr: str) -> set[str]:
    """Return the packages that a process imported, from what PYTHONPROFILEIMPORTTIME made it say."""
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_help(command: tuple[str, ...]) -> None:
    done = ringsim(*command, "--help", PYTHONPROFILEIMPORTTIME="1", COLUMNS="200")
    assert done.returncode == 0
    assert "typer" in imported(done.stderr)
    assert imported(done.stderr) & HEAVY == set()
    example = re.search(r"Example: (ringsim .*)", done.stdout)
    assert example
    words = example[1].split()[1:]
    if command:
        assert words[: len(command)] == list(command)
        assert [word for word in words if word.startswith("--") and word not in done.stdout.partition("Example")[0]] == []


@pytest.mark.parametrize("command", [("chapters",), ("show", "4"), ("show", "4", "--format", "json")], ids=" ".join)
def test_what_is_asked_about_the_rules_needs_no_engine(command: tuple[str, ...]) -> None:
    done = ringsim(*command, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert imported(done.stderr) & HEAVY == set()


def test_every_command_is_listed() -> None:
    listed = output("--help").partition("Commands:")[2]
    assert [name for name, *_ in filter(None, commands()) if not re.search(rf"^  {name} ", listed, re.MULTILINE)] == []


def test_version() -> None:
    assert output("--version") == f"ringsim {version('ringsim')}\n"


@pytest.mark.parametrize("command", [(), ("report",)])
def test_without_a_command_the_help_is_shown(command: tuple[str, ...]) -> None:
    done = ringsim(*command)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Usage: ringsim")
    assert "Commands:" in done.stderr
