from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.errors import UserError
from sim.core.seed import parse_seed, seed_hex

SEEDS = st.integers(0, 2**128 - 1)


@settings(deadline=None)
@given(SEEDS)
def test_decimal_hex_and_underscores_mean_the_same(seed: int) -> None:
    for text in (str(seed), f"{seed:_}", hex(seed), f"0X{seed:X}", f"0x{seed:_x}", f" {seed}\n", seed_hex(seed)):
        assert parse_seed(text) == seed
    assert parse_seed(seed) == seed


@settings(deadline=None)
@given(st.text(max_size=12))
def test_text_is_a_seed_or_a_user_error(text: str) -> None:
    with contextlib.suppress(UserError):  # and nothing else
        assert 0 <= parse_seed(text) < 2**128


def test_no_seed_draws_64_bits() -> None:
    drawn = {parse_seed(None) for _ in range(50)}
    assert len(drawn) == 50
    assert max(drawn) < 2**64


@pytest.mark.parametrize(
    "text",
    ["", "-1", "1.5", "1e6", "0x", "x2a", "1__0", "_1", "1_", "seven", "\u0663", str(2**128), hex(2**128), "9" * 200, -1, 2**128],
)
def test_what_is_no_seed(text: str | int) -> None:
    with pytest.raises(UserError, match=r"^--seed .*: must be .*from 0 to 2\*\*128 - 1") as caught:
        parse_seed(text)
    assert len(str(caught.value)) < 160
