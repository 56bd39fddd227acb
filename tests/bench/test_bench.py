"""The structure of what `ringsim bench` measures, never how fast it is; and that the yardstick does the same work."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import scenarios
from cli.main import app
from sim.bench import Figures, baseline, figures_text, measure
from sim.bench.figures import CHAPTERS, PLAYERS, SEED, _Cell
from sim.core.jit import COMPILED
from sim.tricks.batch import play_columns
from sim.tricks.policies.dispatch import POLICIES
from sim.tricks.replay import Replay

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="the yardstick is compiled by gcc")

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing to measure in plain Python")


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure(quick=True, policies=["random", "team"])


def mask(cards, deck):
    return sum(1 << deck.index(card) for card in cards)


class TestYardstick:
    @needs_gcc
    @pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
    def test_the_c_loop_deals_our_deals(self, tmp_path, seed):
        scenario = scenarios.load("1")
        replay = Replay(scenario, 4, "random", seed, 0)
        wanted = [int(replay.public.first_lost), *(mask(hand, scenario.cards) for hand in replay.dealt)]
        assert baseline.dealt(baseline.build(tmp_path), seed) == wanted

    @needs_gcc
    def test_c_and_python_play_alike(self, tmp_path):
        program = baseline.build(tmp_path)
        played = [baseline.play_in_python(3, deal)[1] for deal in range(40)]
        _, checksum = baseline._call(program, 3, 40)
        assert int(checksum) == sum(t[0] + 10 * t[1] + 100 * t[2] for t in played)
        assert all(sum(tricks) == 9 for tricks in played)

    def test_without_gcc_the_yardstick_says_so(self, tmp_path, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda name: None)
        (only,) = baseline.baselines(tmp_path)
        assert only.name == "Python loop"
        assert "no gcc" in only.note
        assert only.measure(2) > 0


class TestFigures:
    def test_every_cell_is_there_once(self, figures):
        first = [(policy, chapter, n) for policy in ("random", "team") for chapter in CHAPTERS for n in PLAYERS]
        later = [("team", chapter, n) for chapter in scenarios.chapters() if int(chapter) > 4 for n in (3, 4)]
        assert [(r.policy, r.chapter, r.players) for r in figures.rates] == first + later
        assert all(rate.rounds_per_second > 0 and rate.ratio > 0 for rate in figures.rates)

    def test_other_measures(self, figures):
        found = {measure.name: measure for measure in figures.measures}
        # Compiling anew takes long, so the quick figures are without it.
        assert set(found) == {"help", "warm_start", "whole_run", "report", "end_to_end", "bytes_per_round", "peak_memory"}
        assert all(measure.value > 0 for measure in found.values())
        assert found["bytes_per_round"].value < 64
        assert found["end_to_end"].value == pytest.approx(found["whole_run"].value + found["report"].value, abs=0.01)

    def test_a_long_chapter_is_measured_by_rounds(self, monkeypatch):
        cell = _Cell("random", "14", 3)
        cell.deals = 200
        clock = iter([0.0, 2.0])
        monkeypatch.setattr("sim.bench.figures.time.thread_time", lambda: next(clock))
        rate = cell.play()
        rounds, _ = play_columns(scenarios.load("14"), 3, "random", SEED, 0, 200, False)
        assert len(rounds) > 200
        assert rate == len(rounds) / 2

    def test_every_chapter_has_a_line(self, figures):
        table = figures_text(figures, "table").partition("chapter by chapter")[2]
        lines = [line.split() for line in table.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
        assert [line[0] for line in lines] == list(scenarios.chapters())
        rates = {(r.chapter, r.players): f"{r.rounds_per_second:_.0f}" for r in figures.rates if r.policy == "team"}
        assert [(line[1], line[3]) for line in lines] == [(rates[line[0], 3], rates[line[0], 4]) for line in lines]

    def test_table_and_json_say_the_same(self, figures):
        table = figures_text(figures, "table")
        data = json.loads(figures_text(figures, "json"))
        assert figures.baselines[0].name in table
        assert len(data["rates"]) == len(figures.rates)
        assert data["quick"] is True
        assert {"cpu", "cpus", "python", "numba"} <= set(data["machine"])
        for one in data["measures"]:
            assert one["what"] in table


class TestCommand:
    def test_format_is_checked_first(self):
        result = CliRunner().invoke(app, ["bench", "--format", "xml"], standalone_mode=False)
        assert "must be table or json" in str(result.exception)

    def test_all_policies_by_default(self, monkeypatch):
        asked = []
        monkeypatch.setattr("sim.bench.figures._measure_rates", lambda cells, *_: asked.extend(cells) or _stop())
        with pytest.raises(StopIteration):
            measure(quick=True)
        assert {cell.policy for cell in asked} == {*POLICIES, "search"}


def _stop():
    raise StopIteration
