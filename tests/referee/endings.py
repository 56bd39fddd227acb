"""Every way in which a recorded round could have gone on from a given trick, tried out one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from .preparation import Record
from .referee import prepare, replay
from .table import Table


def reachable(record: Record, after_trick: int, scenario: Any = None, assume: Mapping[str, str] | None = None) -> list[set[bool]]:
    """Return for each seat the verdicts that its goal can still end with after trick `after_trick` (0: before the first).

    All legal plays, leaders, returns of a tucked card, cards of the Old Forest and both declarations of the 1 of Rings are
    tried. The hands are those of the record, and so is the order of a solo draw deck. The record has to be a good one;
    meant for two or three tricks to go. Raises DifferenceError where the record leaves the rules.
    """
    table = prepare(record, scenario, assume or {}, [])
    position = replay(record, scenario, table, [])[after_trick]
    found: list[set[bool]] = [set() for _ in position.seats]
    for verdicts in endings(position):
        for seat, verdict in enumerate(verdicts):
            found[seat].add(verdict)
        if all(len(seen) == 2 for seen in found):
            break
    return found


def endings(position: Table) -> Iterator[list[bool]]:
    """Yield the verdicts of every seat for every end of the round from a position."""
    if position.over():
        yield position.verdicts()
        return
    for start in untuckings(position):
        for leader in start.leaders():
            for plays in ways_to_play(start, start.turn_order(leader), []):
                declarations = [False, True] if start.declaring in [card for _, card in plays] else [False]
                for declared, reveal in product(declarations, start.forest or [None]):
                    following = start.copy()
                    winner = following.winner(plays, declared, reveal)
                    following.finish_trick(plays, winner, [reveal] if reveal else [], leader)
                    yield from endings(following)


def untuckings(position: Table) -> Iterator[Table]:
    """Yield the position with each choice of tucked cards that are taken back before the trick."""
    tucked = [seat for seat in position.seats if position.tucked[seat] is not None]
    for choices in product([False, True], repeat=len(tucked)):
        table = position.copy()
        for seat, taken in zip(tucked, choices, strict=True):
            if taken or table.must_untuck(seat):
                table.untuck(seat)
        yield table


def ways_to_play(position: Table, order: list[int], plays: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Yield every legal way in which the seats of `order` can play to a trick that has begun with `plays`."""
    if not order:
        yield plays
        return
    for card in position.legal(order[0], plays):
        yield from ways_to_play(position, order[1:], [*plays, (order[0], card)])
