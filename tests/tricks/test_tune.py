"""`ringsim tune`: lessons from search, a fit that learns from them, weights that play, and the same ones each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.core.jit import COMPILED
from sim.tricks.fit import fit_net
from sim.tricks.lessons import Lessons, LessonTask, take_lessons
from sim.tricks.policies.dispatch import SCRIPT
from sim.tricks.policies.features import UNIT, WIDTH
from sim.tricks.policies.team import NET_CARD, SIZES, blank_brain, load_brain, score
from sim.tricks.table import new_record
from sim.tricks.view import VIEW

from .games import chapter

pytestmark = pytest.mark.skipif(not COMPILED, reason="search is slow as plain Python")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "cli.main", *arguments], capture_output=True, text=True, check=False)


def tuned(out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    few = [
        "--deals",
        "60",
        "--playouts",
        "8",
        "--iterations",
        "2",
        "--units",
        "4",
        "--test-deals",
        "300",
        "--seed",
        "5",
        "--practice",
        "600",
    ]
    return command("tune", "1", "--players", "3", *few, "--out", str(out), *more)


def test_tune_makes_weights_that_beat_no_weights_and_the_same_ones_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    done = tuned(first)
    assert done.returncode == 0, done.stderr
    assert "held-out deals" in done.stderr
    assert tuned(second, "--workers", "1").returncode == 0
    with np.load(first) as one, np.load(second) as other:
        assert set(one.files) == {"linear", "first", "bias", "second"}
        for name in one.files:
            assert (one[name] == other[name]).all(), name
    told = json.loads(first.with_suffix(".json").read_text())
    assert [step["over"] for step in told["iterations"]] == ["script", "team"]
    assert told["practice"]["mean"] > 0.6

    from sim.tricks.batch import play_columns

    rates = [
        play_columns(chapter("1"), 3, "team", 11, 0, 1000, True, brain=brain)[0].won.mean()
        for brain in (blank_brain(), load_brain(str(first)))
    ]
    assert rates[1] > rates[0] + 0.3


def test_tune_refuses_to_overwrite_and_names_the_file(tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    out.write_bytes(b"mine")
    refused = tuned(out)
    assert refused.returncode == 2
    assert str(out) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert out.read_bytes() == b"mine"


def test_lessons_are_decisions_with_a_choice_and_shares_of_worlds() -> None:
    lessons = take_lessons(LessonTask(chapter("2"), 3, SCRIPT, 8, 3, 0, 4))
    assert lessons.size.sum() == len(lessons.x) == len(lessons.wins)
    assert (lessons.size > 1).all()
    assert ((lessons.wins >= 0) & (lessons.wins <= 1)).all()
    starts = np.concatenate([[0], np.cumsum(lessons.size.astype(int))])
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        assert lessons.wins[a:b].max() > lessons.wins[a:b].min()


def test_a_fit_finds_the_option_that_a_feature_tells() -> None:
    rng = np.random.default_rng(0)
    decisions, options = 20_000, 3
    x = np.zeros((decisions * options, WIDTH), np.int16)
    x[:, :4] = rng.integers(0, UNIT, (len(x), 4))
    # Worth having: the first feature far from its middle; no linear score tells that.
    value = np.abs(x[:, 0] / UNIT - 0.5) * 2
    lessons = Lessons(x, value.astype(np.float32), np.full(decisions, NET_CARD, np.uint8), np.full(decisions, options, np.uint8))
    weights = fit_net(lessons, NET_CARD, 8, 30, 1)
    hidden = np.maximum(x[:, : SIZES[NET_CARD]] / UNIT @ weights["first"] + weights["bias"], 0)
    scores = (x[:, : SIZES[NET_CARD]] / UNIT @ weights["linear"] + hidden @ weights["second"]).reshape(-1, options)
    best = value.reshape(-1, options).argmax(1)
    assert (scores.argmax(1) == best).mean() > 0.85


PROGRAM = """
import numpy as np
from sim.tricks.policies.team import NETS, load_brain, score
from sim.tricks.table import new_record
from sim.tricks.view import VIEW
view, brain, rng = new_record(VIEW), load_brain(), np.random.default_rng(4)
for net in range(NETS):
    for _ in range(20):
        view.x[:] = rng.integers(-300, 600, 64)
        print(int(score(view, brain, net)))
"""


def test_scores_are_the_same_by_vector_instructions_and_in_plain_python() -> None:
    said = [
        subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | more, capture_output=True, text=True, check=True).stdout
        for more in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert said[0] == said[1]
    assert len(set(said[0].split())) > 90


def test_whole_weights_score_as_the_fitted_ones_do(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    nets, width, units = len(SIZES), max(SIZES), 20
    arrays = {
        "linear": rng.normal(0, 0.5, (nets, width)), "first": rng.normal(0, 0.5, (nets, width, units)),
        "bias": rng.normal(0, 0.5, (nets, units)), "second": rng.normal(0, 0.5, (nets, units)),
    }  # fmt: skip
    path = tmp_path / "weights.npz"
    np.savez(path, **arrays)
    brain, view = load_brain(str(path)), new_record(VIEW)
    for net, size in enumerate(SIZES):
        x = np.zeros(WIDTH)
        x[:size] = rng.integers(-UNIT, 2 * UNIT, size)
        view.x[:] = x
        hidden = np.maximum(x[:size] / UNIT @ arrays["first"][net, :size] + arrays["bias"][net], 0)
        fitted = x[:size] / UNIT @ arrays["linear"][net, :size] + hidden @ arrays["second"][net]
        assert abs(score(view, brain, net) / (1 << 18) - fitted) < 0.1
