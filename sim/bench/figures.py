"""What is measured: rounds per second of every policy and chapter, start-up, compiling, and a whole run with its report.

Every cell is measured several times, in rounds over all cells, with the baseline measured before and after it: other
load on the machine then meets both alike. Rates count CPU time, of which a busy machine takes nothing away; they are the
best of their repeats, ratios the median of theirs. Everything else is seconds by the clock.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

import scenarios
from sim.bench.baseline import Baseline, baselines
from sim.core.messages import say
from sim.core.runs import usable_cpus
from sim.tricks.batch import play_columns, warm_up
from sim.tricks.policies.dispatch import POLICIES

CHAPTERS = ("1", "2", "3", "4")
"""Those in which every policy is measured."""
PLAYERS = (1, 2, 3, 4)
TEAM = "team"
SEARCH = ("search", "2", 3)
"""Where the slow policy is measured."""
LIBRARY_PLAYERS = (3, 4)
"""Numbers of people for whom `team` is measured in every chapter."""
LEAST_RATE = 30_000.0
"""Rounds per second that `team` is to reach in every chapter."""
SEED = 7
REPORT_CHAPTER, REPORT_PLAYERS, WORKERS = "1", 3, 2

RATE_TARGETS = {
    ("random", "1", 4): ("ratio", 0.7),
    ("script", "1", 4): ("rate", 350_000.0),
    ("team", "1", 4): ("rate", 100_000.0),
    SEARCH: ("rate", 25.0),
}
"""Figures to reach: at least so many rounds/s, or at least this ratio to the baseline. A deal of a short chapter is one round."""


class Rate(msgspec.Struct, kw_only=True):
    """Rounds per second of CPU time of one policy on one core, and as a ratio to the baseline's."""

    policy: str
    chapter: str
    players: int
    rounds_per_second: float
    ratio: float
    target: str = ""


class Yardstick(msgspec.Struct, kw_only=True):
    """A baseline: the bare loop's deals, of one round each, per second."""

    name: str
    note: str
    rounds_per_second: float


class Measure(msgspec.Struct, kw_only=True):
    """One other figure: seconds, bytes or MiB, and at most how much it should be."""

    name: str
    what: str
    value: float
    unit: str
    target: str = ""


class Figures(msgspec.Struct, kw_only=True):
    """All figures of one run of `ringsim bench`."""

    machine: dict[str, str]
    quick: bool
    repeats: int
    baselines: list[Yardstick]
    rates: list[Rate]
    measures: list[Measure]


class _Cell:
    def __init__(self, policy: str, chapter: str, players: int) -> None:
        self.policy, self.chapter, self.players = policy, chapter, players
        self.scenario = scenarios.load(chapter)
        self.deals = 1
        self.took = 0.0
        self.rates: list[float] = []
        self.ratios: list[float] = []

    def play(self) -> float:
        """Play once and return rounds per second of CPU time; a deal of a long chapter is an attempt of several."""
        began = time.thread_time()
        rounds, _ = play_columns(self.scenario, self.players, self.policy, SEED, 0, self.deals, False)
        self.took = max(time.thread_time() - began, 1e-9)
        return len(rounds) / self.took

    def calibrate(self, seconds: float) -> None:
        """Find how many deals take about so long, after a first one that loads weights and the like."""
        self.play()
        while True:
            self.play()
            if self.took > seconds / 4:
                self.deals = max(1, int(self.deals * seconds / self.took))
                return
            self.deals *= 4


def measure(quick: bool = False, policies: Sequence[str] | None = None) -> Figures:
    """Measure and return everything; `quick` plays less and leaves the cold compile out.

    `policies`: names to measure, all when None. Progress goes to stderr.
    """
    repeats, seconds = (2, 0.05) if quick else (3, 0.2)
    with tempfile.TemporaryDirectory(prefix="ringsim-bench-") as name:
        folder = Path(name)
        yardsticks = baselines(folder)
        warm_up()
        cells = [_Cell(*key) for key in _keys(policies or [*POLICIES, SEARCH[0]])]
        speeds = _measure_rates(cells, yardsticks, repeats, seconds)
        measures = _start_up(folder, quick) + _whole_run(folder, quick)
    return Figures(
        machine=_machine(),
        quick=quick,
        repeats=repeats,
        baselines=[
            Yardstick(name=yardstick.name, note=yardstick.note, rounds_per_second=round(max(speed), 1))
            for yardstick, speed in zip(yardsticks, speeds, strict=True)
        ],
        rates=[_rate(cell) for cell in cells],
        measures=measures,
    )


def _keys(policies: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return every fast policy in the first chapters for all numbers of players, `search` in one, then `team` in the others."""
    fast = [policy for policy in policies if policy != SEARCH[0]]
    first = [(policy, chapter, players) for policy in fast for chapter in CHAPTERS for players in PLAYERS]
    first += [SEARCH] if SEARCH[0] in policies else []
    others = [chapter for chapter in scenarios.chapters() if chapter not in CHAPTERS]
    return first + [(TEAM, chapter, players) for chapter in others for players in LIBRARY_PLAYERS if TEAM in policies]


def _measure_rates(cells: list[_Cell], yardsticks: list[Baseline], repeats: int, seconds: float) -> list[list[float]]:
    deals = [max(1, int(y.measure(y.warm_deals) * seconds)) for y in yardsticks]
    speeds: list[list[float]] = [[] for _ in yardsticks]

    def measure_yardsticks() -> float:
        for yardstick, number, speed in zip(yardsticks, deals, speeds, strict=True):
            speed.append(yardstick.measure(number))
        return speeds[0][-1]

    for cell in cells:
        cell.calibrate(seconds)
    for repeat in range(repeats):
        _say(f"rounds per second, repeat {repeat + 1} of {repeats} ({len(cells)} cells)")
        before = measure_yardsticks()
        for start in range(0, len(cells), len(PLAYERS)):
            block = cells[start : start + len(PLAYERS)]
            rates = [cell.play() for cell in block]
            after = measure_yardsticks()
            for cell, rate in zip(block, rates, strict=True):
                cell.rates.append(rate)
                cell.ratios.append(2 * rate / (before + after))
            before = after
    return speeds


def _rate(cell: _Cell) -> Rate:
    usual = ("rate", LEAST_RATE) if cell.policy == TEAM else ("", 0.0)
    kind, least = RATE_TARGETS.get((cell.policy, cell.chapter, cell.players), usual)
    target = {"": "", "ratio": f">= {least:g} x", "rate": f">= {least:_.0f}/s"}[kind]
    return Rate(
        policy=cell.policy,
        chapter=cell.chapter,
        players=cell.players,
        rounds_per_second=round(max(cell.rates), 1),
        ratio=round(statistics.median(cell.ratios), 4),
        target=target,
    )


def _start_up(folder: Path, quick: bool) -> list[Measure]:
    _say("start-up")
    times = 1 if quick else 3
    tiny = ["run", "1", "--players", "3", "--deals", "1", "--seed", "1", "--quiet", "--out"]
    help_seconds = min(_ringsim("--help") for _ in range(times))
    run_seconds = min(_ringsim(*tiny, str(folder / f"tiny-{i}")) for i in range(times))
    found = [
        Measure(name="help", what="ringsim --help", value=help_seconds, unit="s", target="<= 0.25"),
        Measure(name="warm_start", what="ringsim run of one deal, warm", value=run_seconds, unit="s", target="<= 1.5"),
    ]
    if not quick:
        _say("compiling everything anew")
        cold = _ringsim("warmup", cache=folder / "cold")
        found.append(Measure(name="compile", what="ringsim warmup, cold", value=cold, unit="s", target="<= 60"))
    return found


def _whole_run(folder: Path, quick: bool) -> list[Measure]:
    deals = 20_000 if quick else 1_000_000
    _say(f"a whole run of {deals:_} deals")
    out = folder / "run"
    cell = ["run", REPORT_CHAPTER, "--players", str(REPORT_PLAYERS), "--deals", str(deals), "--seed", str(SEED)]
    play = _ringsim(*cell, "--workers", str(WORKERS), "--quiet", "--out", str(out))
    report = _ringsim("report", "failures", str(out), "--out", str(folder / "failures.csv"))
    manifest = json.loads((out / "manifest.json").read_text())
    policy = manifest["cells"][0]["policy"]
    size = sum(part.stat().st_size for part in out.rglob("*.parquet"))
    what = f"{deals:_} deals, chapter {REPORT_CHAPTER}, {REPORT_PLAYERS} players, {policy}, {WORKERS} workers"
    return [
        Measure(name="whole_run", what=f"{what}: dataset", value=play, unit="s"),
        Measure(name="report", what=f"{what}: report failures", value=report, unit="s"),
        Measure(
            name="end_to_end",
            what=f"{what}: both",
            value=round(play + report, 3),
            unit="s",
            target="" if quick else "<= 12",
        ),
        Measure(
            name="bytes_per_round", what=f"{what}: on disk", value=round(size / deals, 2), unit="bytes/round", target="<= 16"
        ),
        Measure(
            name="peak_memory",
            what=f"{what}: peak memory of all processes",
            value=float(manifest["peak_memory_mib"] or 0.0),
            unit="MiB",
            target="< 1024",
        ),
    ]


def _ringsim(*arguments: str, cache: Path | None = None) -> float:
    """Run the command line and return its seconds; RuntimeError with its last words when it fails."""
    environment = os.environ | ({"RINGSIM_CACHE_DIR": str(cache)} if cache else {})
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "cli.main", *arguments], env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"ringsim {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
    return round(seconds, 3)


def _machine() -> dict[str, str]:
    import numba
    import numpy
    import polars

    return {
        "cpu": _cpu_name(),
        "cpus": str(usable_cpus()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "polars": polars.__version__,
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _say(text: str) -> None:
    say(f"measuring {text} ...")
