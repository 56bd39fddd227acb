"""Figures as a table for people or as JSON for programs, on stdout."""

from __future__ import annotations

import sys

import msgspec

from sim.bench.figures import Figures


def print_figures(figures: Figures, shape: str) -> None:
    """Print figures; `shape` is "table" or "json"."""
    if shape == "json":
        print(msgspec.json.format(msgspec.json.encode(figures), indent=1).decode())
        return
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False, emoji=False, highlight=False, width=None if sys.stdout.isatty() else 1000)
    machine = figures.machine
    versions = ", ".join(f"{name} {machine[name]}" for name in ("python", "numpy", "numba", "polars"))
    print(f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['system']}; {versions}")
    if figures.quick:
        print("quick: rough figures")
    print(f"\nDeals per second of CPU time: best of {figures.repeats}; ratio to the first line: median of {figures.repeats}")
    table = Table(box=None, pad_edge=False)
    for heading in ("policy", "chapter", "players", "deals/s", "ratio", "target"):
        table.add_column(heading, justify="left" if heading in ("policy", "target") else "right", no_wrap=True)
    first = figures.baselines[0].deals_per_second
    for yardstick in figures.baselines:
        table.add_row(
            yardstick.name, "", "4", f"{yardstick.deals_per_second:_.0f}", f"{yardstick.deals_per_second / first:.2f}", ""
        )
    for rate in figures.rates:
        ratio = f"{rate.ratio:.2f}" if rate.ratio >= 0.1 else f"{rate.ratio:.2g}"
        table.add_row(rate.policy, rate.chapter, str(rate.players), f"{rate.deals_per_second:_.0f}", ratio, rate.target)
    console.print(table)
    print(f"{figures.baselines[0].name}: {figures.baselines[0].note}\n")
    others = Table(box=None, pad_edge=False)
    for heading in ("what", "value", "unit", "target"):
        others.add_column(heading, justify="right" if heading == "value" else "left", no_wrap=True)
    for measure in figures.measures:
        others.add_row(measure.what, f"{measure.value:.2f}", measure.unit, measure.target)
    console.print(others)
