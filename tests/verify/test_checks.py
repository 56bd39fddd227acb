"""Each check accepts the real kernels and rejects kernels broken in the classic ways."""

import dataclasses
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from cli.main import app
from sim.core.jit import COMPILED
from sim.verify import DEFAULT_SEED, draws, hands, rejected, run_checks, shuffles, threats
from sim.verify.check import chi_square, combined

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes hours in plain Python")
DEALS = 60_000
SEED = DEFAULT_SEED


@pytest.fixture(scope="module")
def counted():
    return {players: shuffles.count(players, DEALS, SEED) for players in (1, 2, 3, 4)}


def only(players, counts, **arrays):
    """The counts of one number of players, with some arrays replaced."""
    return {players: dataclasses.replace(counts, **arrays)}


def shuffled_wrongly(rng, deals, cards=36):
    """The classic bug: every position swaps with any position. Shape (deals, cards)."""
    order = np.tile(np.arange(cards), (deals, 1))
    rows = np.arange(deals)
    for i in range(cards):
        j = rng.integers(0, cards, deals)
        order[rows, i], order[rows, j] = order[rows, j], order[rows, i].copy()
    return order


def shuffled_rightly(rng, deals, cards=36):
    return rng.permuted(np.tile(np.arange(cards), (deals, 1)), axis=1)


def count_positions(order):
    table = np.zeros((37, order.shape[1]), np.int64)
    for position in range(order.shape[1]):
        table[:, position] = np.bincount(order[:, position], minlength=37)
    return table


class TestRealKernels:
    def test_nothing_is_rejected(self):
        checks = list(run_checks(DEALS, SEED))
        assert rejected(checks) == []
        assert {"lost-card", "positions", "pyramid", "bounded-draws", "streams", "threats"} <= {check.name for check in checks}
        assert all(0 <= line.p <= 1 and line.tests >= 1 for check in checks for line in check.lines)

    def test_every_deal_is_counted_once(self, counted):
        for players, counts in counted.items():
            seats = {1: 4, 2: 3, 3: 3, 4: 4}[players]
            assert counts.lost.sum() == DEALS
            assert counts.first.sum() == DEALS
            assert counts.positions.sum() == DEALS * (35 if players == 1 else 36)
            assert counts.places.sum() == DEALS * 36
            assert counts.suits.sum() == DEALS * seats * 5
            assert counts.slots.sum() == (DEALS * 12 if players == 2 else 0)


class TestBrokenShuffles:
    def test_swapping_with_any_position(self, counted):
        order = shuffled_wrongly(np.random.default_rng(1), DEALS)
        # Slots 0 to 35 stand for the cards that are not lost: the fault is visible without the lost card's part.
        table = count_positions(order)
        counts = dataclasses.replace(counted[3], positions=table[:36], cards=counted[3].cards[:36], holder=-1, lost=np.ones(36))
        assert combined_rows(counts) < 1e-100
        right = dataclasses.replace(counts, positions=count_positions(shuffled_rightly(np.random.default_rng(1), DEALS))[:36])
        assert combined_rows(right) > 1e-6

    def test_positions_reject_two_cards_that_prefer_a_place(self, counted):
        table = counted[3].positions.copy()
        moved = table[3, 0] // 4
        table[3, 0] += moved
        table[3, 1] -= moved
        table[4, 0] -= moved
        table[4, 1] += moved
        assert rejected([shuffles.positions(only(3, counted[3], positions=table))])

    def test_the_one_ring_lost(self, counted):
        lost = counted[3].lost.copy()
        lost[counted[3].holder] += 1
        lost[0] -= 1
        assert rejected([shuffles.lost_card(only(3, counted[3], lost=lost))])

    def test_a_lost_card_that_is_likelier(self, counted):
        lost = counted[4].lost.copy()
        lost[5] += 400
        lost[6] -= 400
        assert rejected([shuffles.lost_card(only(4, counted[4], lost=lost))])

    def test_a_seat_that_gets_a_card_too_often(self, counted):
        places = counted[1].places.copy()
        places[7, 0] += 700
        places[7, 4] -= 700
        assert rejected([shuffles.seats(only(1, counted[1], places=places))])

    def test_the_same_stream_for_lost_card_and_shuffle(self, counted):
        first = counted[3].first.copy()
        half = first[2] // 2
        first[2] -= half
        first[2, 10] += half.sum()
        assert rejected([shuffles.lost_and_first(only(3, counted[3], first=first))])
        first = counted[3].first.copy()
        first[2, 2] += 1
        assert rejected([shuffles.lost_and_first(only(3, counted[3], first=first))])

    def test_pyramid_slots_and_bottom_row(self, counted):
        slots = counted[2].slots.copy()
        holder = counted[2].holder
        slots[holder, 0] += 900
        slots[holder, 8] -= 900
        assert rejected([shuffles.pyramid(only(2, counted[2], slots=slots))])
        assert rejected([hands.bottom_row(only(2, counted[2], slots=slots))])

    def test_hands_of_another_size(self, counted):
        suits = counted[4].suits.copy()
        suits[0, 0, 0] += 600
        suits[0, 0, 2] -= 600
        wrong = only(4, counted[4], suits=suits)
        assert rejected([hands.suit_counts(wrong)])
        assert rejected([hands.voids(wrong)])


def combined_rows(counts):
    size = counts.positions.shape[1]
    return combined(chi_square(row, np.full(size, row.sum() / size)) for row in counts.positions)[1]


class TestBrokenDraws:
    @pytest.mark.parametrize("n", [3 * 2**30, 2**32 - 1 - 2**31])
    def test_right_draws_pass(self, n):
        line, _ = draws.bounded_line(n, draws.drawn(n, DEALS, SEED))
        assert line.p > 1e-6

    def test_multiply_shift_without_rejection(self):
        n = 3 * 2**30
        raw = np.random.default_rng(2).integers(0, 2**32, DEALS, dtype=np.uint64)
        values = (raw * np.uint64(n) >> np.uint64(32)).astype(np.int64)
        assert draws.bounded_line(n, values)[0].p < 1e-100

    def test_remainder(self):
        n = 3 * 2**30
        raw = np.random.default_rng(3).integers(0, 2**32, DEALS, dtype=np.uint64)
        assert draws.bounded_line(n, (raw % np.uint64(n)).astype(np.int64))[0].p < 1e-100

    def test_a_value_out_of_range(self):
        assert draws.bounded_line(7, np.array([0, 7]))[0].p == 0

    def test_streams_that_share_numbers(self):
        table = draws.stream_draws(DEALS, SEED)
        assert not rejected([draws.streams_check(table)])
        assert rejected([draws.streams_check(table | {"search": table["choices"]})])
        assert rejected([draws.streams_check(table | {"next deal": table["deal"] ^ np.uint64(1)})])


class TestBrokenThreats:
    def test_a_void_threat_and_a_threat_drawn_twice(self):
        # Only the real rounds have lost cards and threats that belong together, so break those.
        two = threats._by_character("2", 3, DEALS, SEED)
        three = threats._by_character("3", 4, DEALS, SEED)
        assert not rejected([threats.threats_check(two, three)])
        void = two["sam"].copy()
        void[np.flatnonzero(two["lost"] == "H2")[:1]] = 2
        assert rejected([threats.threats_check(two | {"sam": void}, three)])
        alike = three["sam"].copy()
        both = (three["sam"] > 0) & (three["farmer_maggot"] > 0) & (three["lost"] == "M1")
        alike[np.flatnonzero(both)[:1]] = three["farmer_maggot"][np.flatnonzero(both)[:1]]
        assert rejected([threats.threats_check(two, three | {"sam": alike})])


class TestCommand:
    def test_lines_plots_and_exit_code(self, tmp_path):
        out = tmp_path / "plots"
        result = CliRunner().invoke(app, ["verify", "--deals", "20_000", "--out", str(out)])
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        assert all(re.search(r": expected .+; observed .+; p = [\d.e-]+", line) for line in lines)
        assert any(line.startswith("lost card, 3 players") for line in lines)
        pngs = sorted(out.glob("*.png"))
        assert [path.stem for path in pngs] == sorted(path.stem for path in out.glob("*.svg"))
        assert len(pngs) == 11
        assert all(path.read_bytes().startswith(b"\x89PNG") for path in pngs)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--deals", "5"], "--deals 5: at least 10_000"),
            (["--format", "csv"], "--format csv: must be table or json"),
        ],
    )
    def test_wrong_input(self, arguments, message):
        result = CliRunner().invoke(app, ["verify", *arguments], standalone_mode=False)
        assert str(result.exception).startswith(message)

    def test_a_folder_with_files_is_left_alone(self, tmp_path):
        (tmp_path / "mine.txt").write_text("mine")
        result = CliRunner().invoke(app, ["verify", "--out", str(tmp_path)], standalone_mode=False)
        assert "holds files" in str(result.exception)
