"""A group that plays a chapter's rounds with given results: everything about attempts but the cards."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

import scenarios
from sim.core.jit import lowest
from sim.tricks import attempts, setup
from sim.tricks.plan import compile_plan, everybody_in, kinds_of
from sim.tricks.policies.planning import choosable
from sim.tricks.table import new_record, new_table
from sim.tricks.view import VIEW


class Group:
    """Plays deal 0 of a chapter. `luck`: who chooses by chance among what the plan leaves; None: the first of these."""

    def __init__(
        self,
        chapter: str,
        players: int,
        retry: str = "none",
        most: int = 1,
        luck: int | None = None,
        assume: dict[str, str] | None = None,
    ) -> None:
        self.scenario = scenarios.load(chapter, assume)
        self.kinds = kinds_of(self.scenario)
        self.names = everybody_in(self.scenario)
        self.rules, self.plan = compile_plan(self.scenario, players, retry, most)
        self.course = attempts.new_course(self.plan, 0, 1)
        self.public, _, self.hidden = new_table()
        self.view = new_record(VIEW)
        self.random = random.Random(luck) if luck is not None else None
        self.events: list[str] = []
        self.casts: list[list[str]] = []
        self.won: list[bool] = []

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return bool(self.course.deal == self.course.end)

    @property
    def completed(self) -> set[str]:
        """Who is completed at the moment."""
        return {name for index, name in enumerate(self.names) if int(self.course.completed) >> index & 1}

    def play(self, failed: int = 0, wanted: Sequence[str] | None = None) -> bool:
        """Play a round in which so many goals fail; returns whether it counts as won.

        wanted: whom the seats choose, clockwise from the holder, where the rules of the game allow it; else by the plan.
        """
        kind = int(self.course.kind)
        rules, public = self.rules[kind], self.public
        attempts.open_round(self.plan, self.course, rules, public)
        roster = [entry.character for entry in self.kinds[kind].roster]
        public.seats, public.holder, public.pyramid = int(rules.seats), 0, -1
        if rules.cast:
            # Characters are dealt: those that must be in the round, and others.
            order = sorted(range(len(roster)), key=lambda role: not int(rules.required) >> role & 1)
            public.character[: int(rules.seats)] = order[: int(rules.seats)]
        taken = np.uint64(0)
        for step in range(0 if rules.cast else int(rules.seats)):
            options = np.uint64(setup.may_take(rules, public, taken, step))
            if wanted is not None:
                choice = roster.index(wanted[step])
                assert int(options) >> choice & 1, f"{wanted[step]} may not be chosen"
            else:
                choice = self._choose(rules, options)
            public.character[step] = choice
            taken |= np.uint64(1 << choice)
        self.casts.append([roster[int(role)] for role in public.character[: public.seats]])
        self.events.append(self.kinds[kind].kind)
        self.hidden.met = int(rules.seats) - failed
        won = int(self.hidden.met) + int(public.spare) >= int(public.seats)
        self.won.append(bool(attempts.close_round(self.plan, self.course, public, self.hidden, won)))
        return self.won[-1]

    def _choose(self, rules: Any, options: np.uint64) -> int:
        self.view.options = options
        left = int(choosable(rules, self.public, self.view))
        assert left
        assert left & ~int(options) == 0
        if self.random is None:
            return int(lowest(np.uint64(left)))
        return self.random.choice([role for role in range(64) if left >> role & 1])

    def win_all(self) -> int:
        """Win every round; returns how many there were."""
        while not self.over:
            assert self.play()
        return len(self.won)
