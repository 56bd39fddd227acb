"""Making the weights of `team` from nothing: search plays, its choices are imitated, search plays on with the new policy;
then the policy practises by itself.

Each iteration takes lessons from fresh deals of every cell (search over the fast policy of the iteration before, `script`
in the first), fits the nets to the lessons of all iterations so far that used `team` (or to the first's), and measures the
win rate on held-out deals that no lesson used. The best iteration goes on to practice (`sim.tricks.practice`), and is kept if
practice makes it no better. The same arguments give the same weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenarios.model import Scenario
from sim.core.workers import run_tasks
from sim.tricks import batch, fit
from sim.tricks.lessons import Lessons, LessonTask, join, take_lessons
from sim.tricks.policies import team
from sim.tricks.policies.dispatch import SCRIPT, TEAM
from sim.tricks.practice import REPEATS, practice

LESSON_DEALS = 25
"""Deals of one task."""
HELD_OUT = 1 << 40
"""Held-out deals start here; lessons never get so far."""
EPOCHS = 30
PACE = 3e-3
"""Step size of practice at its start."""
PRACTICE_DEALS = 200
"""Deals of a step of practice, shared by the cells; none has fewer than LEAST."""
LEAST = 16


def _lessons_of_task(task: tuple[LessonTask, str]) -> Lessons:
    lesson, path = task
    return take_lessons(lesson, team.load_brain(path) if path else None)


def win_rates(cells: Sequence[tuple[Scenario, int]], deals: int, seed: int, brain: Any) -> list[float]:
    """Return the win rate of `team` with the weights `brain` on held-out deals of each cell."""
    rates = []
    for scenario, players in cells:
        rounds, _ = batch.play_columns(scenario, players, "team", seed, HELD_OUT, deals, True, brain=brain)
        rates.append(float(rounds.won.mean()))
    return rates


def tune(
    cells: Sequence[tuple[Scenario, int]],
    *,
    seed: int,
    deals: int,
    worlds: int,
    iterations: int,
    units: int,
    test_deals: int,
    out: Path,
    workers: int,
    say: Callable[[str], None],
    start: str = "",
    practice_steps: int = 0,
    practice_deals: int = 0,
) -> dict[str, Any]:
    """Make weights for the cells (scenario, players), write them to `out` (npz) and return the record of how they came about.

    deals: lessons' deals of each cell and iteration; worlds: imagined worlds of each decision; units: hidden units of a net;
    test_deals: held-out deals of each cell; start: weights to begin from instead of `script`; practice_steps, practice_deals:
    steps of practice after the iterations, and each one's deals of each cell.
    """
    record: dict[str, Any] = {
        "seed": seed, "deals": deals, "worlds": worlds, "units": units, "test_deals": test_deals, "start": bool(start),
        "cells": [f"{scenario.name}x{players}" for scenario, players in cells], "iterations": [],
    }  # fmt: skip
    best_mean, best = -1.0, start
    path = start
    kept: list[Lessons] = []
    for iteration in range(iterations):
        policy = TEAM if path else SCRIPT
        first = iteration * deals
        tasks = [
            (LessonTask(scenario, players, policy, worlds, seed, at, min(LESSON_DEALS, first + deals - at)), path)
            for at in range(first, first + deals, LESSON_DEALS)
            for scenario, players in cells
        ]
        parts: dict[int, Lessons] = {}
        for index, lessons in run_tasks(_lessons_of_task, tasks, workers):
            parts[index] = lessons
            if len(parts) % max(1, len(tasks) // 10) == 0:
                say(f"iteration {iteration + 1}: lessons {len(parts)} of {len(tasks)}")
        fresh = join([parts[index] for index in sorted(parts)])
        kept = [fresh] if iteration == 1 and not start else [*kept, fresh]
        together = join(kept)
        say(f"iteration {iteration + 1}: fitting to {len(together.net)} decisions")
        arrays = fit.fit_brain(together, units, EPOCHS, seed + iteration, say)
        trial = out.with_name(f"{out.stem}-{iteration + 1}.npz")
        np.savez_compressed(trial, **arrays)  # type: ignore[arg-type]
        rates = win_rates(cells, test_deals, seed, team.load_brain(str(trial)))
        mean = float(np.mean(rates))
        say(f"iteration {iteration + 1}: team wins {mean:.1%} on held-out deals ({' '.join(f'{rate:.1%}' for rate in rates)})")
        record["iterations"].append(
            {"over": "team" if policy == TEAM else "script", "decisions": len(fresh.net), "rates": rates, "mean": mean}
        )
        path = str(trial)
        if mean > best_mean:
            best_mean, best = mean, path
            out.write_bytes(trial.read_bytes())
            record["best"] = iteration + 1
        out.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    each = practice_deals or max(LEAST, PRACTICE_DEALS // len(cells))
    if practice_steps:
        with np.load(best) as data:
            weights = {name: data[name] for name in ("linear", "first", "bias", "second")}
        practised = practice(cells, weights, seed=seed, steps=practice_steps, deals=each, rate=PACE, workers=workers, say=say)
        trial = out.with_name(f"{out.stem}-practice.npz")
        np.savez_compressed(trial, **practised)  # type: ignore[arg-type]
        before = best_mean if iterations else float(np.mean(win_rates(cells, test_deals, seed, team.load_brain(best))))
        rates = win_rates(cells, test_deals, seed, team.load_brain(str(trial)))
        mean = float(np.mean(rates))
        say(f"practice: team wins {mean:.1%} on held-out deals ({' '.join(f'{rate:.1%}' for rate in rates)})")
        record["practice"] = {
            "steps": practice_steps, "deals": each, "repeats": REPEATS, "before": before, "rates": rates, "mean": mean,
        }  # fmt: skip
        if mean > before or not iterations:
            out.write_bytes(trial.read_bytes())
            record["best"] = "practice"
        out.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    return record
