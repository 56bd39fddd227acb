"""Figures as a table for people or as JSON for programs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from sim.bench.figures import CHAPTERS, LEAST_RATE, LIBRARY_PLAYERS, TEAM, Figures, Rate


def figures_text(figures: Figures, shape: str) -> str:
    """Return figures as text; `shape` is "table" or "json"."""
    if shape == "json":
        return msgspec.json.format(msgspec.json.encode(figures), indent=1).decode()
    machine = figures.machine
    versions = ", ".join(f"{name} {machine[name]}" for name in ("python", "numpy", "numba", "polars"))
    lines = [f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['system']}; {versions}"]
    lines += ["quick: rough figures"] if figures.quick else []
    lines += [
        "",
        f"Rounds per second of CPU time: best of {figures.repeats}; ratio to the first line: median of {figures.repeats}",
    ]
    first = figures.baselines[0].rounds_per_second
    rows: list[tuple[str, ...]] = [
        (one.name, "", "4", f"{one.rounds_per_second:_.0f}", f"{one.rounds_per_second / first:.2f}", "")
        for one in figures.baselines
    ]
    rows += [
        (rate.policy, rate.chapter, str(rate.players), f"{rate.rounds_per_second:_.0f}", _ratio(rate), rate.target)
        for rate in figures.rates
        if rate.chapter in CHAPTERS
    ]
    lines += _table(("policy", "chapter", "players", "rounds/s", "ratio", "target"), rows, left=("policy", "target"))
    lines += [f"{figures.baselines[0].name}: {figures.baselines[0].note}", ""]
    if chapters := _chapters(figures):
        lines += [f"{TEAM}, chapter by chapter (a long chapter: the rounds of its attempts); at least {LEAST_RATE:_.0f}/s"]
        headings = [f"{name}, {players} players" for players in LIBRARY_PLAYERS for name in ("rounds/s", "ratio")]
        lines += [*_table(("chapter", *headings), chapters), ""]
    others = [(measure.what, f"{measure.value:.2f}", measure.unit, measure.target) for measure in figures.measures]
    return "\n".join([*lines, *_table(("what", "value", "unit", "target"), others, left=("what", "unit", "target"))])


def _ratio(rate: Rate) -> str:
    return f"{rate.ratio:.2f}" if rate.ratio >= 0.1 else f"{rate.ratio:.2g}"


def _chapters(figures: Figures) -> list[tuple[str, ...]]:
    """Return a line for each chapter under `team`: its rate and ratio for each of LIBRARY_PLAYERS."""
    found = {(rate.chapter, rate.players): rate for rate in figures.rates if rate.policy == TEAM}
    names = dict.fromkeys(chapter for chapter, _ in found)
    return [
        (name, *(text for players in LIBRARY_PLAYERS for text in _pair(found.get((name, players)))))
        for name in sorted(names, key=int)
    ]


def _pair(rate: Rate | None) -> tuple[str, str]:
    return (f"{rate.rounds_per_second:_.0f}", _ratio(rate)) if rate is not None else ("", "")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str] = ()) -> list[str]:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console(markup=False, emoji=False, highlight=False, width=1000)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
