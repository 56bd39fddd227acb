"""`ringsim tune`: lessons from search, a fit that learns from them, weights that play, and the same ones each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scenarios import load
from scenarios.errors import UserError
from sim.core.jit import COMPILED
from sim.tricks.fit import fit_net
from sim.tricks.lessons import Lessons, LessonTask, take_lessons
from sim.tricks.own_weights import file_at
from sim.tricks.policies.dispatch import SCRIPT
from sim.tricks.policies.features import UNIT, WIDTH
from sim.tricks.policies.team import (
    ALL_SIZES,
    BRAIN,
    NET_CARD,
    SIZES,
    blank_brain,
    file_of,
    load_brain,
    names_of,
    score,
    to_brain,
)
from sim.tricks.practice import Lane
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
for net in range(0, NETS, 2):
    brain.wide[net] = 1
    brain.linear[net, 64:] = rng.integers(-900, 900, 32)
    brain.first[net, :, 32:] = rng.integers(-900, 900, brain.first[net, :, 32:].shape)
for net in range(NETS):
    for _ in range(20):
        view.x[:] = rng.integers(-300, 600, len(view.x))
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
    nets, width, units = len(SIZES), WIDTH, 20
    arrays = {
        "linear": rng.normal(0, 0.5, (nets, width)), "first": rng.normal(0, 0.5, (nets, width, units)),
        "bias": rng.normal(0, 0.5, (nets, units)), "second": rng.normal(0, 0.5, (nets, units)),
    }  # fmt: skip
    path = tmp_path / "weights.npz"
    np.savez(path, **arrays)
    brain, view = load_brain(str(path)), new_record(VIEW)
    for net, size in enumerate(ALL_SIZES):
        x = np.zeros(WIDTH)
        x[:size] = rng.integers(-UNIT, 2 * UNIT, size)
        view.x[:] = x
        hidden = np.maximum(x[:size] / UNIT @ arrays["first"][net, :size] + arrays["bias"][net], 0)
        fitted = x[:size] / UNIT @ arrays["linear"][net, :size] + hidden @ arrays["second"][net]
        assert abs(score(view, brain, net) / (1 << 18) - fitted) < 0.1


def test_a_kind_of_round_played_by_itself_may_have_other_weights_than_in_its_chapter(tmp_path: Path) -> None:
    alone, in_chapter = load("14-balins_tomb"), load("14").rounds["balins_tomb"]
    assert alone.hash == in_chapter.hash
    names = ["14-balins_tomb-alone-3.npz", "14-balins_tomb-3.npz"]
    assert (names_of(alone, 3), names_of(in_chapter, 3)) == (names, names[1:])
    assert [file_of(scenario, 3).name for scenario in (alone, in_chapter)] == names
    # In a folder of one's own those of the chapter serve where there are no others.
    (tmp_path / names[1]).touch()
    assert [file_at(tmp_path, scenario, 3, "--policy") for scenario in (alone, in_chapter)] == [tmp_path / names[1]] * 2
    (tmp_path / names[0]).touch()
    assert [file_at(tmp_path, scenario, 3, "--policy").name for scenario in (alone, in_chapter)] == names
    with pytest.raises(UserError, match="14-balins_tomb-alone-4.npz or 14-balins_tomb-4.npz"):
        file_at(tmp_path, alone, 4, "--policy")


def test_practice_follows_a_long_chapter_to_its_last_rounds() -> None:
    lane = Lane(chapter("13"), 4, 40)
    (weights,) = ({name: np.array(value) for name, value in np.load(file_of(chapter("13"), 4)).items()},)
    brains = np.array([to_brain(weights)], BRAIN).view(np.recarray)
    numbers, completed = set(), set()
    for _ in range(4):
        lane.gradient(brains, [weights], 3)
        numbers.add(int(lane.courses[0].number))
        completed.add(int(lane.courses[0].completed).bit_count())
    assert int(lane.courses[0].deal) > 10  # attempts come to an end, won or lost
    assert max(numbers) > 1
    assert max(completed) > 3


def test_sure_choices_are_noted_seldom_and_count_for_all_of_them() -> None:
    lane = Lane(chapter("2"), 3, 60)
    (weights,) = ({name: np.array(value) for name, value in np.load(file_of(chapter("2"), 3)).items()},)
    lane.gradient(np.array([to_brain(weights)], BRAIN).view(np.recarray), [weights], 3)
    noted = int((lane.counts > 0).sum())
    counts = lane.counts[:noted]
    assert counts.max() > 20
    assert counts.min() == 1
    # What was left out is stood for: about as many decisions as are taken in so many rounds.
    assert 15 < counts.sum() / lane.won.size < 45
    assert noted < counts.sum() / 2


def test_tune_practises_each_cell_into_a_folder_and_a_run_plays_with_it(tmp_path: Path) -> None:
    out, runs = tmp_path / "mine", tmp_path / "run"
    few = ["--practice", "60", "--test-deals", "500", "--seed", "3", "--foresight", "--quiet"]
    done = command("tune", "2", "--players", "1,4", *few, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in out.iterdir()) == ["2-1.npz", "2-4.npz", "record.json"]
    told = json.loads((out / "record.json").read_text())["cells"]["2-1"]["practice"][0]
    assert told["steps"] == 60
    assert told["kept"] == (told["after"] > told["before"])
    refused = command("tune", "2", "--players", "4", *few, "--out", str(out))
    assert (refused.returncode, "2-4.npz" in refused.stderr) == (2, True)

    own = f"team:{out}"
    played = command(
        "run", "2", "--players", "1,4", "--policy", f"team,{own}", "--deals", "2_000", "--seed", "1", "--out", str(runs)
    )
    assert played.returncode == 0, played.stderr
    cells = {(cell["players"], cell["policy"]): cell for cell in json.loads((runs / "manifest.json").read_text())["cells"]}
    assert len(cells) == 4
    assert cells[1, "team"]["weights"] == ""
    assert len(cells[1, own]["weights"]) == 16
    assert cells[1, own]["weights"] != cells[4, own]["weights"]
    compared = command("compare", str(runs), "--policy", f"team,{own}", "--format", "json")
    assert compared.returncode == 0, compared.stderr
    shown = command("replay", "2", "--players", "1", "--policy", own, "--deal", "0", "--seed", "1", "--explain")
    assert "best of" in shown.stdout, shown.stderr

    # Another's weights under the same name are no part of this run.
    (out / "2-1.npz").write_bytes((out / "2-4.npz").read_bytes())
    again = command("run", "--out", str(runs), "--resume")
    assert again.returncode == 2
    assert "weights of chapter 2 with 1 players" in again.stderr


def test_weights_that_do_not_fit_are_refused_in_one_line(tmp_path: Path) -> None:
    text, wrong, folder = tmp_path / "text.npz", tmp_path / "wrong.npz", tmp_path / "folder"
    text.write_text("no weights")
    np.savez(wrong, linear=np.zeros((6, 64)), first=np.zeros((6, 64, 8)), bias=np.zeros((6, 4)), second=np.zeros((6, 8)))
    folder.mkdir()
    for place, said in (
        (text, "holds no weights"),
        (wrong, "do not fit"),
        (folder, "2-3.npz"),
        (tmp_path / "none", "there is no"),
    ):
        refused = command(
            "run", "2", "--players", "3", "--policy", f"team:{place}", "--deals", "10", "--out", str(tmp_path / "r")
        )
        assert refused.returncode == 2, place
        assert said in refused.stderr
        assert str(place) in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not (tmp_path / "r").exists()
