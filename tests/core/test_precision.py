"""The stopping rule: what it plans, how often its intervals hold, and that runs follow it whatever happens."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from coin_game import SIMULATE, cell, files
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from scenarios.errors import UserError
from sim.core.numbers import wilson_interval
from sim.core.precision import deals_for, fair_chunk, plan, reached, second_stage
from sim.core.runs import RunResult, RunSpec, execute

RATES = [0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 0.995]


def half(won: float, deals: int) -> float:
    low, high = proportion_confint(won, deals, method="wilson")
    return (min(1, high) - max(0, low)) / 2


@given(st.floats(1e-3, 0.25), st.floats(0, 1))
def test_deals_for_is_the_least_number_that_does(halfwidth: float, rate: float) -> None:
    deals = deals_for(halfwidth, rate)
    assert half(rate * deals, deals) <= halfwidth * (1 + 1e-9)
    if 0 < rate < 1 and deals > 1:
        assert half(rate * (deals - 1), deals - 1) > halfwidth * (1 - 1e-9)


@given(st.floats(1e-3, 0.2), st.integers(1, 5000), st.none() | st.integers(1, 10**6), st.data())
def test_the_plan(halfwidth: float, chunk: int, cap: int | None, data: st.DataObject) -> None:
    rule = plan(halfwidth, chunk=chunk, cap=cap)
    assert 1 <= rule.first <= rule.most
    assert cap is None or rule.most <= cap
    if cap is None:
        assert rule.first % chunk == rule.most % chunk == 0
        assert half(rule.most / 2, rule.most) <= halfwidth
    won = data.draw(st.integers(0, rule.first))
    end = second_stage(rule, won, chunk)
    assert rule.first <= end <= rule.most
    assert end % chunk == 0 or end == rule.most
    assert end == second_stage(rule, rule.first - won, chunk)
    # Only what is short enough for the rate that was found may end before the most.
    assert end == rule.most or half(end * won / rule.first, end) <= halfwidth


def exact(rate: float, halfwidth: float) -> tuple[float, float, float]:
    """Return, under the rule and for a true rate: coverage of the interval, how often the half-width is met, mean deals."""
    chunk = fair_chunk(halfwidth)
    rule = plan(halfwidth, chunk=chunk)
    firsts = np.arange(rule.first + 1)
    weights = binom.pmf(firsts, rule.first, rate)
    ends = {int(won): second_stage(rule, int(won), chunk) for won in firsts[weights > 1e-10]}
    covered = met = deals = 0.0
    for end in set(ends.values()):
        totals = np.arange(end + 1)
        low, high = proportion_confint(totals, end, method="wilson")
        holds = totals[(low <= rate) & (rate <= high)]
        wide = totals[(np.minimum(1, high) - np.maximum(0, low)) / 2 > halfwidth]
        for won in (won for won, last in ends.items() if last == end):
            more = binom(end - rule.first, rate)
            covered += weights[won] * (more.cdf(holds[-1] - won) - more.cdf(holds[0] - won - 1))
            met += weights[won] * (1 - (more.cdf(wide[-1] - won) - more.cdf(wide[0] - won - 1) if len(wide) else 0))
            deals += weights[won] * end
    return covered, met, deals


@pytest.mark.parametrize("halfwidth", [0.01, 0.005])
@pytest.mark.parametrize("rate", RATES)
def test_intervals_hold_as_often_as_they_say(rate: float, halfwidth: float) -> None:
    covered, met, _ = exact(rate, halfwidth)
    assert covered >= 0.945  # Wilson's interval of a fixed number of deals is between 0.932 and 0.956 at these rates
    assert met >= 0.995


@pytest.mark.parametrize(("rate", "most"), [(0.5, 1.05), (0.7, 1.1), (0.9, 1.25), (0.95, 1.4)])
def test_two_stages_cost_little_more_than_to_know_the_rate(rate: float, most: float) -> None:
    assert 1 <= exact(rate, 0.005)[2] / deals_for(0.005, rate) < most


@pytest.mark.parametrize("halfwidth", [0, -0.1, 0.3, 1e-9])
def test_half_widths_out_of_range(halfwidth: float) -> None:
    with pytest.raises(UserError, match=r"^--until-halfwidth .*: must be from 0.0001% to 25%"):
        plan(halfwidth, chunk=10)


def test_the_table_of_costs_in_the_documents() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")
    section = text.partition("## What precision costs")[2].partition("\n## ")[0]
    rows = [[field.strip() for field in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    halfwidths = [float(re.sub(r"[^0-9.]", "", field)) / 100 for field in rows[0][1:]]
    assert len(halfwidths) >= 5
    assert len(rows) >= 6
    for row in rows[2:]:
        rate = float(row[0].split("%")[0]) / 100
        assert [int(field) for field in row[1:]] == [deals_for(halfwidth, rate) for halfwidth in halfwidths]


# Runs that follow the rule: the coin game's rates are 0.343 with three seats and 0.24 with four.


def run(out: Path, *, halfwidth: float = 0.02, cap: int | None = None, chunk: int = 100, **more: object) -> RunResult:
    rule = plan(halfwidth, chunk=chunk, cap=cap)
    cells = [cell("4", 3), cell("4", 4), cell("5", 3, "team")]
    spec = RunSpec(seed=7, deals=rule.most, chunk=chunk, cells=cells, precision=rule)
    return execute(spec, out, simulate=SIMULATE, quiet=True, **more)  # type: ignore[arg-type]


def test_cells_end_where_the_first_stage_says(tmp_path: Path) -> None:
    result = run(tmp_path / "a")
    rule = result.manifest.precision
    assert rule is not None
    for found in result.manifest.cells:
        wins = [
            path
            for path in (tmp_path / "a/rounds").rglob("*.parquet")
            if f"chapter={found.chapter}/players={found.players}" in str(path)
        ]
        assert len(wins) == found.parts == found.done
        assert found.halfwidth == reached(rule, found.won, found.deals_done) <= 0.02
        low, high = wilson_interval(found.won, found.deals_done)
        assert found.halfwidth == pytest.approx((high - low) / 2)
        assert rule.first < found.deals_done <= rule.most
    assert min(found.deals_done for found in result.manifest.cells) < rule.most
    assert result.played == sum(found.deals_done for found in result.manifest.cells)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_do_not_matter(tmp_path: Path, workers: int) -> None:
    one, several = run(tmp_path / "one", workers=1), run(tmp_path / "several", workers=workers)
    assert files(tmp_path / "one") == files(tmp_path / "several")
    assert one.manifest.cells == several.manifest.cells


@pytest.mark.parametrize(
    "keep", [lambda first: False, lambda first: first < 100, lambda first: first < 300, lambda first: first >= 300]
)
def test_a_run_is_resumed_to_the_same_bytes(tmp_path: Path, keep: object) -> None:
    whole = run(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    for part in (tmp_path / "b").rglob("part-*.parquet"):
        if not keep(int(part.stem.removeprefix("part-"))):  # type: ignore[operator]
            part.unlink()
    again = run(tmp_path / "b", resume=True)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert again.manifest.cells == whole.manifest.cells
    assert run(tmp_path / "b", resume=True).played == 0


def test_the_cap_ends_a_cell(tmp_path: Path) -> None:
    result = run(tmp_path / "a", cap=450)
    assert [found.deals_done for found in result.manifest.cells] == [450, 450, 450]
    assert all(found.halfwidth is not None and found.halfwidth > 0.02 for found in result.manifest.cells)


def test_another_rule_on_resume_is_named(tmp_path: Path) -> None:
    run(tmp_path / "a")
    with pytest.raises(UserError, match=r"was started with --until-halfwidth 2%, not 3%"):
        run(tmp_path / "a", halfwidth=0.03, resume=True)
    rule = plan(0.02, chunk=100)
    with pytest.raises(UserError, match=r"^--shard 1/2: a share of the deals cannot tell"):
        execute(RunSpec(seed=7, deals=rule.most, chunk=100, cells=[cell()], precision=rule, shard=(1, 2)), tmp_path / "b")
