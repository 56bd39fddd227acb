"""What a shell is offered when the user presses the tabulator key."""

from __future__ import annotations

from pathlib import Path

import pytest
from invocation import HEAVY, ringsim

from cli.options import POLICIES


def offered(line: str, cwd: Path | None = None) -> list[str]:
    """Return the words offered for the last word of a command line."""
    words = line.split(" ")
    done = ringsim(cwd=cwd, _RINGSIM_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ringsim re", ["replay", "report"]),
        ("ringsim report eff", ["effects"]),
        ("ringsim run --until", ["--until-halfwidth"]),
        ("ringsim run --policy s", ["script", "search"]),
        ("ringsim run --policy script,te", ["script,team"]),
        ("ringsim run 4", ["4"]),
    ],
)
def test_words_are_completed(line: str, words: list[str], tmp_path: Path) -> None:
    assert set(words) <= set(offered(line, tmp_path))
    assert all(word.startswith(line.split(" ")[-1]) for word in offered(line, tmp_path))


def test_scenario_files_are_offered(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("")
    assert offered("ringsim run m", tmp_path) == ["my.toml"]


def test_the_policies_are_those_of_the_engine() -> None:
    from sim.tricks.library import VERSIONS

    assert list(VERSIONS) == list(POLICIES)


def test_completing_loads_nothing_heavy() -> None:
    done = ringsim(
        _RINGSIM_COMPLETE="complete_bash", COMP_WORDS="ringsim run --policy s", COMP_CWORD="3", PYTHONPROFILEIMPORTTIME="1"
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert imported & HEAVY == set()
