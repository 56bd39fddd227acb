"""Pools: the characters and the curse that a chapter which is drawn is played with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from scenarios import UserError, drawn, library, load
from scenarios.drawing import STREAM

ROAD = load("road")
SIDES = ROAD.draw.turning.sides
FELLOWSHIP = set(ROAD.draw.groups["fellowship"].among)
OTHERS = set(ROAD.draw.groups["others"].among)
SEEDS = st.integers(min_value=0, max_value=(1 << 128) - 1)
POOLS = st.integers(min_value=0, max_value=10**12 - 1)


def names(players: int, seed: int, pool: int) -> list[str]:
    """Return the characters of a pool of the road, in the order of its roster."""
    return [entry.character for entry in drawn(ROAD, players, seed, pool).roster]


@given(seed=SEEDS, pool=POOLS, players=st.sampled_from([1, 2, 3, 4]))
def test_a_pool_has_frodo_gandalf_and_as_many_of_each_group_as_the_tables_say(seed: int, pool: int, players: int) -> None:
    there = names(players, seed, pool)
    of_fellowship, of_others = ((4, 3), (5, 6))[players in (1, 4)]
    assert len(there) == len(set(there)) == 2 + of_fellowship + of_others
    assert {"frodo", "gandalf"} <= set(there)
    burdened = [name for name in there if name in SIDES.values()]
    assert len(burdened) == 1
    back = {other: name for name, other in SIDES.items()}
    members = [back.get(name, name) for name in there]
    assert len(set(members) & FELLOWSHIP) == of_fellowship
    assert len(set(members) & OTHERS) == of_others


@given(seed=SEEDS, pool=POOLS, players=st.sampled_from([1, 2, 3, 4]))
def test_the_wandering_curse_is_for_somebody_of_the_pool(seed: int, pool: int, players: int) -> None:
    scenario = drawn(ROAD, players, seed, pool)
    assert scenario.wandering is not None
    key, curse = scenario.wandering
    assert key in ROAD.draw.curses
    assert players in curse.players
    if key == "unseen":
        assert players != 1
        drawing = [name for name, one in scenario.characters.items() if any(action.do == "draw_threat" for action in one.setup)]
        assert set(drawing) - set(SIDES.values())


@given(seed=SEEDS, pool=POOLS)
def test_a_pool_depends_on_seed_seats_and_number_alone(seed: int, pool: int) -> None:
    assert names(2, seed, pool) == names(3, seed, pool)
    assert names(1, seed, pool) == names(4, seed, pool)
    assert drawn(ROAD, 2, seed, pool).wandering == drawn(ROAD, 3, seed, pool).wandering
    again = drawn(load("road", {"A10": "after_trick"}), 3, seed, pool)
    assert [entry.character for entry in again.roster] == names(3, seed, pool)
    others = [names(3, seed ^ 1, pool), names(3, seed, pool + 1), names(3, seed, pool + 2), names(3, seed ^ 2, pool)]
    assert any(other != names(3, seed, pool) for other in others)


def test_pools_of_format_1() -> None:
    """A change here changes every run of the road: count POOL_FORMAT up."""
    assert names(3, 7, 0) == [
        "frodo", "gandalf", "aragorn", "boromir", "legolas", "gimli_son_of_gloin", "fatty_bolger", "glorfindel",
        "gloin",
    ]  # fmt: skip
    assert drawn(ROAD, 3, 7, 0).wandering[0] == "wraith"
    assert names(4, 7, 0) == [
        "frodo", "gandalf", "merry", "peregrin_took", "aragorn", "boromir", "legolas", "barliman_butterbur",
        "glorfindel", "bilbo_baggins", "gwaihir", "radagast", "galadriel",
    ]  # fmt: skip


def test_the_first_character_drawn_from_numpy_alone() -> None:
    among = ROAD.draw.groups["fellowship"].among
    for pool in range(50):
        word = int(np.random.Philox(key=7, counter=[0, STREAM, 3, pool]).random_raw())
        first = among[((word & 0xFFFFFFFF) * len(among)) >> 32]
        assert first in names(3, 7, pool) or SIDES[first] in names(3, 7, pool)


def test_the_stream_of_pools_is_none_of_the_deals() -> None:
    from sim.core import random

    assert STREAM not in {int(value) for name, value in vars(random).items() if name.startswith("STREAM_")}


@pytest.mark.parametrize("players", [3, 4])
def test_characters_of_a_group_sides_and_curses_are_drawn_alike(players: int) -> None:
    pools = [drawn(ROAD, players, 11, pool) for pool in range(3000)]
    counts = Counter(name for pool in pools for name in pool.characters)
    assert chisquare([counts[name] for name in OTHERS]).pvalue > 1e-4
    assert chisquare([counts[name] for name in SIDES.values()]).pvalue > 1e-4
    assert chisquare([counts[name] + counts[SIDES[name]] for name in FELLOWSHIP]).pvalue > 1e-4
    # Unseen is drawn again now and then, where nobody could have it.
    curses = Counter(pool.wandering[0] for pool in pools)
    unseen = curses.pop("unseen")
    assert chisquare(list(curses.values())).pvalue > 1e-4
    assert 0 < unseen < 1.15 * np.mean(list(curses.values()))


def test_a_chapter_that_is_not_drawn_stays_as_it_is() -> None:
    scenario = load("2")
    assert drawn(scenario, 3, 7, 5) is scenario


DRAWN = """schema = 1
title = "Mine"
length = "long"
threats = [1, 2, 3, 4, 5]
never_lost = ["R1"]
[[roster]]
character = "frodo"
required = true
[draw]
curses = ["terror"]
[draw.groups.some]
among = ["sam", "merry", "pippin", "gandalf"]
count = { 1 = 4, 2 = 3, 3 = 3, 4 = 4 }
[draw.turning]
count = 1
sides = { sam = "samwise_gamgee", merry = "meriadoc_brandybuck" }
"""


def written(folder: Path, text: str) -> Path:
    """Write a scenario file."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_may_draw(tmp_path: Path) -> None:
    scenario = load(written(tmp_path, DRAWN))
    sizes = {players: len(drawn(scenario, players, 3, 0).roster) for players in scenario.deals}
    assert sizes == {1: 5, 2: 4, 3: 4, 4: 5}
    assert drawn(scenario, 3, 3, 0).wandering[0] == "terror"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"pippin", ',
            '"pipin", ',
            r"draw\.groups\.some\.among\[2\] = 'pipin': there is no .*did you mean 'pippin'",
        ),
        ('"pippin", ', '"frodo", ', r"draw\.groups\.some\.among\[2\] = 'frodo': is in the roster or in a group already"),
        ("3 = 3, 4 = 4 }", "3 = 6, 4 = 4 }", r"draw\.groups\.some\.count\.3 = 6: there are 4 characters"),
        (", 4 = 4 }", " }", r"draw\.groups\.some\.count: a table by players needs the keys 1, 2, 3 and 4"),
        ("{ 1 = 4,", "{ 5 = 4,", r"draw\.groups\.some\.count\.5: the number of players must be 1 to 4"),
        ('["terror"]', '["teror"]', r"draw\.curses\[0\] = 'teror': allowed are .* \(did you mean 'terror'"),
        ('["terror"]', '["unseen"]', r"draw\.curses: none of them is for every group"),
        ("sides = { sam", "sides = { elrond", r"draw\.turning\.sides\.elrond: is in no group"),
        ('merry = "meriadoc_brandybuck"', 'merry = "pippin"', "is in the roster or in a group already"),
        ("count = 1\n", "count = 3\n", r"draw\.turning\.count = 3: as few as \d characters drawn"),
        ('never_lost = ["R1"]\n', 'never_lost = ["R1"]\nwandering_curse = "terror"\n', r"wandering_curse = 'terror': is drawn"),
        ("[draw]\n", "[draw]\ncurse = 1\n", "unknown key 'curse'"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in DRAWN
    with pytest.raises(UserError, match=message):
        load(written(tmp_path, DRAWN.replace(old, new, 1)))


def test_the_library_has_the_road_beside_the_chapters() -> None:
    assert [*library()][-1] == "road"
    with pytest.raises(UserError, match=r"chapter 'rod': .*did you mean 'road'"):
        load("rod")
