"""No sentence claims more than its interval: what is told apart differs at the level of all comparisons together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import wilson_by_hand

from reports.pictures.words import extreme, listed, percent, points, sentence, span

COUNTS = st.lists(
    st.tuples(st.integers(0, 300), st.integers(1, 300)).map(lambda pair: (min(pair), max(pair))), min_size=1, max_size=6
)


@given(COUNTS, st.booleans(), st.sampled_from([0.5, 0.95, 0.999]))
def test_only_what_stands_out_is_clear(counts: list[tuple[int, int]], lowest: bool, confidence: float) -> None:
    end = extreme([(str(place), *count) for place, count in enumerate(counts)], confidence=confidence, lowest=lowest)
    limits = [wilson_by_hand(*count, 1 - (1 - confidence) / len(counts)) for count in counts]
    rates = [count / total for count, total in counts]
    best = int(end.names[0])
    assert rates[best] == (min(rates) if lowest else max(rates))
    assert (end.low, end.high) == pytest.approx(limits[best], abs=1e-9)
    for place, (low, high) in enumerate(limits):
        apart = low > end.high + 1e-12 if lowest else high < end.low - 1e-12
        meets = low < end.high - 1e-12 if lowest else high > end.low + 1e-12
        if place != best and (apart or meets):
            assert (str(place) in end.names) is meets
    if end.clear and len(counts) > 1:
        assert not end.all_equal


def test_two_of_one_rate_are_not_told_apart() -> None:
    end = extreme([("a", 50, 100), ("b", 50, 100), ("c", 0, 100)], confidence=0.95)
    assert (end.names, end.clear, end.all_equal) == (("a", "b"), False, False)
    assert extreme([("a", 50, 100), ("b", 52, 100)], confidence=0.95).all_equal
    with pytest.raises(ValueError, match="nothing was counted"):
        extreme([("a", 0, 0)], confidence=0.95)


def test_words() -> None:
    assert percent(0.12345) == "12.3\u00a0%"
    assert span(0.1, 0.25) == "10.0 to 25.0\u00a0%"
    assert points(-0.1, 0.02) == "-10.0 to 2.0"
    assert points(-0.1, -0.02, sign=-1) == "2.0 to 10.0"
    assert (listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"], "or")) == ("A", "A and B", "A, B or C")
    assert sentence("one", "", "two") == "One; two."
