"""`ringsim replay` in a terminal and out of it: colours, what was known, why."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from invocation import RINGSIM, environment, mistake, output

DEAL = ("replay", "4", "--players", "3", "--seed", "7", "--deal", "123")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

pytestmark = pytest.mark.usefixtures("engine")


def in_terminal(*arguments: str, **env: str) -> str:
    """Run `ringsim` with a terminal as its output and return what it wrote there."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(RINGSIM), *arguments],
        env=environment(**({"TERM": "xterm-256color"} | env)),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            # So Linux says that the other side of a terminal was closed.
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(timeout=120) == 0
    # Numba's messages reset the colours of a terminal at the end where the package colorama is installed.
    return written.decode().replace("\r\n", "\n").removesuffix("\x1b[0m")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_colours_and_the_same_text() -> None:
    plain = output(*DEAL, "--explain", "--knowledge")
    assert "\x1b" not in plain
    shown = in_terminal(*DEAL, "--explain", "--knowledge")
    assert ESCAPE.sub("", shown) == plain
    # Every card of a suit has the colour of the suit, and suits differ (in reasons all are dim besides).
    colours = {suit: set(re.findall(rf"\x1b\[(?:2;)?([0-9;]*)m{suit}[1-8]\x1b", shown)) for suit in "HMFSR"}
    assert all(len(found) == 1 for found in colours.values()), colours
    assert len(set.union(*colours.values())) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb terminal"])
def test_colours_can_be_refused(wish: dict[str, str]) -> None:
    assert in_terminal(*DEAL, **wish) == output(*DEAL)


def test_the_options_only_add_lines() -> None:
    plain = output(*DEAL).splitlines()
    for option in ("--explain", "--knowledge"):
        more = iter(output(*DEAL, option).splitlines())
        # A subsequence: `in` on an iterator goes on from where it stopped.
        assert all(line in more for line in plain)


def test_search_tells_how_many_imagined_worlds_each_option_wins() -> None:
    told = output(*DEAL[:4], "--seed", "7", "--policy", "search", "--playouts", "8", "--explain")
    reasons = re.findall(r"^    (\S+) (\S+): best of (.*) of 8 imagined worlds won$", told, re.MULTILINE)
    assert len(reasons) > 20
    for _, chosen, options in reasons:
        pairs = [option.split(" ") for option in options.split(", ")]
        assert pairs[0][0] == chosen or chosen in ("declares", "declare")
        wins = [int(count) for _, count in pairs]
        assert wins == sorted(wins, reverse=True)
        assert all(0 <= count <= 8 for count in wins)


def test_what_gives_no_reasons_says_so() -> None:
    line = mistake(*DEAL, "--policy", "random", "--explain")
    assert line == "--explain: the policy random gives no reasons; script, team, search do"
    assert "ringsim solve 4 --line 123" in mistake(*DEAL, "--policy", "open", "--explain")
    assert mistake(*DEAL, "--knowledge", "--format", "json").startswith("--knowledge: what was known stands in the transcript")
