from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from scenarios.errors import UserError
from sim.core.numbers import COUNT_LIMIT, parse_count, parse_players, parse_shard, parse_share, parse_span, wilson_interval


@settings(deadline=None)
@given(st.integers(1, COUNT_LIMIT))
def test_counts_with_and_without_underscores(count: int) -> None:
    assert parse_count(str(count), "--deals") == parse_count(f"{count:_}", "--deals") == count
    assert parse_count(count, "--deals") == count


@pytest.mark.parametrize(
    ("text", "count"), [("1e6", 10**6), ("1E6", 10**6), ("2.5e3", 2500), ("1.0", 1), ("007", 7), (" 12 ", 12), ("1e+2", 100)]
)
def test_whole_numbers_however_written(text: str, count: int) -> None:
    assert parse_count(text, "--deals") == count


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", "must be at least 1"),
        ("-5", "must be at least 1"),
        ("0e9", "must be at least 1"),
        ("1.5", "must be a whole number"),
        ("1e-3", "must be a whole number"),
        ("1.23e1", "must be a whole number"),
        ("many", "not a number"),
        ("", "not a number"),
        ("inf", "not a number"),
        ("1_000_", "must be a whole number"),
        ("0x10", "not a number"),
        ("1e13", "at most 1_000_000_000_000"),
        ("1e999999999", "at most 1_000_000_000_000"),
        ("9" * 5000, "at most 1_000_000_000_000"),
    ],
)
def test_what_is_no_count(text: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_count(text, "--deals")
    assert str(caught.value).startswith("--deals ")
    assert reason in str(caught.value)


@settings(deadline=None)
@given(st.text(max_size=10))
def test_any_text_is_a_count_or_a_user_error(text: str) -> None:
    with contextlib.suppress(UserError):  # and nothing else
        assert 1 <= parse_count(text, "--chunk") <= COUNT_LIMIT


@pytest.mark.parametrize(
    ("text", "chapters"),
    [
        ("1-4,7", ["1", "2", "3", "4", "7"]),
        ("3", ["3"]),
        ("1, 3", ["1", "3"]),
        ("2-2", ["2"]),
        ("1-3,2,1", ["1", "2", "3"]),
        ("04", ["4"]),
        ("my.toml", ["my.toml"]),
        ("house/rules-2.toml,1", ["house/rules-2.toml", "1"]),
        ("moria", ["moria"]),
    ],
)
def test_spans(text: str, chapters: list[str]) -> None:
    assert parse_span(text) == chapters


@pytest.mark.parametrize("text", ["", "1,,2", "4-1", "1-", "-3", "1-9999"])
def test_what_is_no_span(text: str) -> None:
    with pytest.raises(UserError, match="^chapters "):
        parse_span(text)


def test_players() -> None:
    assert parse_players("1,2,3,4") == [1, 2, 3, 4]
    assert parse_players("4, 3,4") == [4, 3]
    assert parse_players("2-4") == [2, 3, 4]


@pytest.mark.parametrize("text", ["5", "0", "-1", "three", "1.5", "3,5", "2-5", "4-2", "", "1,"])
def test_what_is_no_number_of_players(text: str) -> None:
    with pytest.raises(UserError, match="^--players .*: players must be 1 to 4$"):
        parse_players(text)


def test_five_players_are_named() -> None:
    with pytest.raises(UserError, match="^--players 5: players must be 1 to 4$"):
        parse_players("3,5")


def test_shards() -> None:
    assert parse_shard("1/4") == (1, 4)
    assert parse_shard("4/4") == (4, 4)
    for text in ("0/4", "5/4", "1", "1/0", "a/b", "-1/4", "1/4/2", ""):
        with pytest.raises(UserError, match="^--shard "):
            parse_shard(text)


@settings(deadline=None)
@given(st.integers(0, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_agrees_with_statsmodels(counts: tuple[int, int]) -> None:
    won, deals = counts
    low, high = wilson_interval(won, deals)
    assert 0 <= low <= high <= 1
    if deals == 0:
        assert (low, high) == (0, 1)
        return
    assert low <= won / deals <= high
    expected = proportion_confint(won, deals, method="wilson")
    assert low == pytest.approx(expected[0], abs=1e-12)
    assert high == pytest.approx(expected[1], abs=1e-12)
    assert (low == 0) == (won == 0)
    assert (high == 1) == (won == deals)


def test_shares() -> None:
    assert parse_share("0.1%", "--x") == parse_share("0.001", "--x") == parse_share(" .1 % ", "--x") == parse_share("1e-3", "--x")
    for wrong in ("", "%", "x", "-1%", "0", "1", "100%", "1_0%"):
        with pytest.raises(UserError, match="^--x "):
            parse_share(wrong, "--x")
