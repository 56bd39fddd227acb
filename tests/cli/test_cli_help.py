"""Every command explains itself, with an example, and does so without loading anything heavy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from invocation import HEAVY, PEER, output, ringsim

from cli.main import app

ROOT = Path(__file__).parents[2]


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


def example(command: tuple[str, ...]) -> list[str]:
    """Return the words of a command's example, after `ringsim`."""
    found: Any = typer.main.get_command(app)
    for name in command:
        found = found.commands[name]
    return shlex.split(found.epilog.removeprefix("Example: ringsim "))


def parse(words: list[str]) -> None:
    """Let Typer parse a command line; raises its usage errors. (`--json-errors` may stand anywhere and is taken off before.)"""
    command: Any = typer.main.get_command(app)
    context = command.make_context("ringsim", [word for word in words if word != "--json-errors"])
    while getattr(command, "commands", None) is not None:
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_the_example_is_of_the_command_and_typer_parses_it(command: tuple[str, ...]) -> None:
    words = example(command)
    assert command == tuple(words[: len(command)])
    parse(words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the examples speak of: two runs of one seed, a book, recorded games."""
    here = tmp_path_factory.mktemp("examples")
    small = ("--deals", "30", "--quiet", "--workers", "1")
    for name, seed, *cells in (
        ("first", "7", "1-2", "--players", "3,4", "--policy", "script,team"),
        ("luck", "7", "1-2", "--players", "3", "--policy", "search,open,team", "--playouts", "2"),
        ("second", "8", "1-2", "--players", "3,4", "--policy", "team"),
        ("book", "7", "1-18", "--players", "3", "--retry", "keep", "--attempts", "20"),
    ):
        output("run", *cells, *small, "--seed", seed, "--out", f"runs/{name}", cwd=here)
    (here / "games.jsonl").write_text((PEER / "ch01_p3.jsonl").read_text().splitlines()[0] + "\n")
    return here


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_the_example_runs(command: tuple[str, ...], folder: Path) -> None:
    words = example(command)
    if command in {("tune",), ("bench",)}:
        pytest.skip("takes minutes; tests/tricks/test_tune.py and tests/bench run these")
    if command == ("report", "luck"):
        words[words.index("runs/first")] = "runs/luck"
    if command in {(), ("run",)}:
        words[words.index("runs/first")] = f"runs/of-{'-'.join(command)}"
    if "--deals" in words:
        at = words.index("--deals") + 1
        words[at] = "20"
    if command == ("verify",):
        words += ["--deals", "10_000"]
    if command == ("campaign",):
        words += ["--workers", "1"]
    done = ringsim(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    if "--out" in words:
        assert (folder / words[words.index("--out") + 1]).exists()
    else:
        assert done.stdout or done.stderr


PAGES = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))]


def commands_of(page: Path) -> Iterator[list[str]]:
    """Yield the whole command lines of `ringsim` on a page, without what only stands for something and without comments."""
    text = page.read_text(encoding="utf-8").replace("\\|", "|")
    for line in re.findall(r"^(?:\$ )?ringsim (.*)$|`(?:\.venv/bin/)?ringsim ([^`]*)`", text, re.MULTILINE):
        words = re.split(r"  +| [|>] | #", line[0] or line[1])[0]
        if not re.search(r"RUN|CHAPTER|\.\.\.|\||-completion", words):
            yield shlex.split(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_typer_parses_the_commands_of_the_pages(page: Path) -> None:
    wrong = []
    for words in commands_of(page):
        try:
            parse(words)
        except Exception as error:
            said = error.format_message() if hasattr(error, "format_message") else str(error)
            # In running text a command may be named without all that it needs.
            named = said.startswith("Missing") or "requires an argument" in said
            if not named and type(error).__name__ not in ("Exit", "NoArgsIsHelpError"):
                wrong.append((words, said))
    assert wrong == []


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
