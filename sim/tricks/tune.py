"""Making the weights of `team` from nothing: search plays, its choices are imitated, search plays on with the new policy;
then the policy practises by itself.

Each iteration takes lessons from fresh deals of every cell (search over the fast policy of the iteration before, `script`
in the first), fits the nets to the lessons of all iterations so far that used `team` (or to the first's), and measures the
win rate on held-out deals that no lesson used. The best iteration goes on to practice (`sim.tricks.practice`), and is kept if
practice makes it no better. `practise_each` gives every kind of round and number of people weights of its own, by practice on
just that. The same arguments give the same weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from scenarios.model import Scenario
from sim.core.workers import run_tasks
from sim.tricks import batch, fit
from sim.tricks.lessons import Lessons, LessonTask, join, take_lessons
from sim.tricks.own_weights import file_at, read_weights
from sim.tricks.plan import kinds_of
from sim.tricks.policies import team
from sim.tricks.policies.dispatch import SCRIPT, TEAM
from sim.tricks.practice import REPEATS, complete, practice

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
RECORD = "record.json"
"""How the weights of a folder came about."""


class PracticeTask(msgspec.Struct, frozen=True, array_like=True):
    """A chapter and number of people to practise from the weights in the files `start` (by kind of round)."""

    scenario: Scenario
    players: int
    start: tuple[str, ...]
    seed: int
    steps: int
    deals: int
    test_deals: int
    foresight: bool
    units: int


def _practise_task(task: PracticeTask) -> tuple[list[dict[str, np.ndarray]], dict[str, Any]]:
    """Return the better of the weights before and after practice by kind of round, and what was measured of them."""
    before = [read_weights(Path(file), "--start") for file in task.start]
    begin = [complete(weights, task.seed, task.foresight, task.units) for weights in before]
    cell = (task.scenario, task.players)
    after = practice(
        [cell], begin, seed=task.seed, steps=task.steps, deals=task.deals, rate=PACE, workers=1, say=lambda line: None
    )
    rates = [
        win_rate(*cell, task.test_deals, task.seed, team.side_by_side([team.to_brain(each) for each in weights]))
        for weights in (before, after)
    ]
    better = rates[1] > rates[0]
    told = {
        "before": round(100 * rates[0], 2), "after": round(100 * rates[1], 2), "kept": better, "seed": task.seed,
        "steps": task.steps, "deals": task.deals, "foresight": task.foresight, "units": int(after[0]["bias"].shape[1]),
    }  # fmt: skip
    return after if better else before, told


def practise_each(
    cells: Sequence[tuple[Scenario, int]],
    *,
    seed: int,
    steps: int,
    test_deals: int,
    start: Path | None,
    out: Path,
    foresight: bool,
    units: int,
    workers: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Practise every cell (chapter, players) by itself and write its weights to the folder `out`, one file a kind of round.

    start: a file or a folder of weights to begin with, by default those that `team` plays with; foresight: with weights for the
    features of `sim.tricks.policies.foresight`; units: hidden units of a net at least. Returns the record of how they came about,
    which stands in `record.json` there and names cells that were practised before with what was measured then.
    """
    tasks = []
    for scenario, players in cells:
        kinds = kinds_of(scenario)
        files = [file_at(start, kind, players, f"--start {start}") if start else team.file_of(kind, players) for kind in kinds]
        # Kinds of round share the deals of a step.
        deals = PRACTICE_DEALS if len(kinds) == 1 else 2 * PRACTICE_DEALS
        place = tuple(map(str, files))
        tasks.append(PracticeTask(scenario, players, place, seed, steps, deals, test_deals, foresight, units))
    out.mkdir(exist_ok=True)
    file = out / RECORD
    record: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    done: dict[str, Any] = {}
    for index, (weights, told) in run_tasks(_practise_task, tasks, workers):
        scenario, players = cells[index]
        for kind, arrays in zip(kinds_of(scenario), weights, strict=True):
            np.savez_compressed(out / team.names_of(kind, players)[0], **arrays)  # type: ignore[arg-type]
        name = f"{scenario.name}-{players}"
        done[name] = told
        record.setdefault("measured", f"percent of rounds won on {test_deals} held-out deals, before and after")
        record.setdefault("cells", {}).setdefault(name, {}).setdefault("practice", []).append(told)
        file.write_text(json.dumps(record, indent=1) + "\n")
        kept = "" if told["kept"] else ", so the weights before are kept"
        shares = f"{told['before']} % of rounds won before, {told['after']} % after"
        say(f"{len(done)} of {len(tasks)}: chapter {scenario.name} with {players} players: {shares}{kept}")
    return done


def win_rate(scenario: Scenario, players: int, deals: int, seed: int, brains: Any) -> float:
    """Return the share of rounds that `team` wins on held-out deals (of a long chapter: attempts); brains: by kind of round."""
    rounds, _ = batch.play_columns(scenario, players, "team", seed, HELD_OUT, deals, True, brain=brains)
    return float(rounds.won.mean())


def _lessons_of_task(task: tuple[LessonTask, str]) -> Lessons:
    lesson, path = task
    return take_lessons(lesson, team.load_brain(path) if path else None)


def win_rates(cells: Sequence[tuple[Scenario, int]], deals: int, seed: int, brain: Any) -> list[float]:
    """Return the win rate of `team` with the weights `brain` on held-out deals of each cell."""
    return [win_rate(scenario, players, deals, seed, brain) for scenario, players in cells]


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
    foresight: bool = False,
) -> dict[str, Any]:
    """Make one set of weights for the cells (chapter, players), write them to `out` (npz) and return how they came about.

    deals: lessons' deals of each cell and iteration; worlds: imagined worlds of each decision; units: hidden units of a net;
    test_deals: held-out deals of each cell; start: weights to begin from instead of `script`; practice_steps, practice_deals:
    steps of practice after the iterations, and each one's deals of each cell; foresight: practise with those features too.
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
            for chapter, players in cells
            for scenario in kinds_of(chapter)
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
        weights = complete(read_weights(Path(best), "--start"), seed, foresight, units)
        (practised,) = practice(
            cells, [weights], seed=seed, steps=practice_steps, deals=each, rate=PACE, workers=workers, say=say
        )
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
