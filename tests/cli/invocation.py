"""The `ringsim` command as users run it: its entry point, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RINGSIM = Path(sys.executable).parent / "ringsim"
PEER = Path(__file__).parents[1] / "data" / "peer" / "cos"
HEAVY = {"numba", "llvmlite", "numpy", "polars", "altair", "scipy", "statsmodels", "vl_convert"}

SCENARIO = """schema = 1
title = "Mine"
threats = [1, 2, 3, 4]
never_lost = ["R1"]
[rules]
declare = "after_trick"
[[roster]]
character = "frodo"
required = true
[[roster]]
character = "hero"
required = true
[[roster]]
character = "pippin"
[[roster]]
character = "gandalf"
[characters.hero]
name = "Hero"
goal = [{ measure = "cards", cards = ["H3", "S"], at_least = { 1 = 1, 2 = 2, 3 = 2, 4 = 1 } }]
setup = [{ do = "draw_threat", redraw_if_lost = "H", source = "mine" }]
"""


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a command that is not run in a terminal of some width."""
    return {name: value for name, value in os.environ.items() if name != "COLUMNS"} | more


def ringsim(*arguments: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `ringsim` and return what it said; no traceback is ever right."""
    done = subprocess.run(
        [str(RINGSIM), *map(str, arguments)], cwd=cwd, env=environment(**env), capture_output=True, text=True, timeout=300
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def output(*arguments: str | Path, cwd: Path | None = None, **env: str) -> str:
    """Run `ringsim` and return its standard output, after looking that it went well."""
    done = ringsim(*arguments, cwd=cwd, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mistake(*arguments: str | Path, cwd: Path | None = None) -> str:
    """Run `ringsim` with bad input and return the one line that it says."""
    done = ringsim(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")
