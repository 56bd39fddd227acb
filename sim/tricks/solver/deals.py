"""Many deals with open hands: set up by a policy, decided by the search, replayed by the line that wins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.core.jit import count, kernel, lowest, merged, nth
from sim.core.random import STREAM_SEARCH, below, new_source, start
from sim.tricks.attempts import close_round, new_course, open_round, shuffle_number
from sim.tricks.batch import GOAL_COLUMNS, ROUND_COLUMNS, check_tries, split_seed, write_place, write_row
from sim.tricks.condition import compile_condition
from sim.tricks.decisions import CARD, LEADER, UNTUCK
from sim.tricks.engine import advance, apply, get_ready, prepare
from sim.tricks.link import link
from sim.tricks.own_weights import brains_of
from sim.tricks.plan import compile_plan, kinds_of, single_rounds
from sim.tricks.policies import dispatch
from sim.tricks.policies.dispatch import POLICIES
from sim.tricks.round import is_won
from sim.tricks.rules import SEATS, compile_rules
from sim.tricks.solver.clock import microseconds
from sim.tricks.solver.search import DECLARED, LEVELS, LOST, UNKNOWN, WON, Memory, solve
from sim.tricks.table import MET, new_log, new_record, new_table
from sim.tricks.view import VIEW, look
from sim.tricks.where import EVERY_DEAL, Where

DEFAULT_BUDGET = 100_000
DEFAULT_SETUP = "script"
FIRST_SEARCH = 2_000
"""Positions that are searched before `team` tries its luck."""
PLAYOUTS = 60
CHANCE = 26
"""Of 256 choices of `team` in a playout, how many are left to chance."""
LINE = -1
"""The policy that follows a line."""

VERDICTS = {UNKNOWN: "unknown", WON: "won", LOST: "lost"}
VERDICT_COLUMNS = np.dtype(
    [
        ("verdict", np.uint8),
        ("nodes", np.uint32),
        ("microseconds", np.uint32),
        ("tricks", np.uint8),
        ("setup", np.uint16),
        ("tries", np.uint32),
    ]
)
"""One round: UNKNOWN, WON or LOST; positions looked at; processor time; tricks of the line until all goals are sealed; which
setup was won or, at last, tried (0: the policy's own); deals tried for this one under a condition (0: none fits, or there is no
condition)."""


@kernel
def set_up(rules, public, privates, hidden, view, brain, luck, choices, policy, log):
    """Let `policy` take the decisions of setup; afterwards the first seat is about to lead."""
    view.prepared = -1
    while get_ready(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        apply(rules, public, privates, hidden, dispatch.choose(policy, rules, public, view, brain, choices), log)


@kernel
def follow(public, hidden, work, length):
    """Return the decision that is due as the line in `work` has it: a card, a seat, or 1 for yes and 0 for no.

    Beyond the line's `length` tricks every goal is sealed: the lowest card will do.
    """
    trick = public.trick - work.first_trick
    if hidden.pending == CARD:
        return work.line[trick, hidden.actor] & (DECLARED - 1) if trick < length else lowest(hidden.options)
    if hidden.pending == LEADER:
        return work.named[trick] if trick < length else lowest(hidden.options)
    if hidden.pending == UNTUCK:
        return work.untuck[trick] if trick < length else 0
    return 1 if trick < length and work.line[trick, hidden.actor] >= DECLARED else 0


@kernel
def jot(public, hidden, work, choice):
    """Note a decision in the line, for `follow`."""
    trick = public.trick - work.first_trick
    if trick < LEVELS:
        if hidden.pending == CARD:
            work.line[trick, hidden.actor] = choice
        elif hidden.pending == LEADER:
            work.named[trick] = choice
        elif hidden.pending == UNTUCK:
            work.untuck[trick] = choice
        else:
            work.line[trick, hidden.actor] = (work.line[trick, hidden.actor] & (DECLARED - 1)) + DECLARED * choice


@kernel
def play_out(rules, public, privates, hidden, view, brain, luck, choices, policy, chance, work, length, log):
    """Play a round to its end and return whether it is won: by the line in `work` of `length` tricks, or by a policy.

    policy: its number (what it chooses is noted as the line), or LINE; chance: how many of 256 choices are left to chance.
    """
    view.prepared = -1
    if policy != LINE:
        work.first_trick = public.trick
        for trick in range(LEVELS):
            for seat in range(SEATS):
                work.line[trick, seat] = 0
    while advance(rules, public, privates, hidden, luck, log):
        if policy == LINE:
            choice = np.int64(follow(public, hidden, work, length))
        else:
            look(rules, public, privates, hidden, view)
            choice = np.int64(dispatch.choose(policy, rules, public, view, brain, choices))
            if chance > 0 and below(choices, 256) < chance:
                choice = np.int64(nth(hidden.options, below(choices, count(hidden.options))))
            jot(public, hidden, work, choice)
        apply(rules, public, privates, hidden, choice, log)
    return is_won(public, hidden)


@merged
def try_out(rules, public, privates, hidden, view, brain, luck, source, levels, private_levels, hidden_levels, work, log):
    """Let `team` play on from a table, over and over, some choices by chance; returns (verdict, tricks of the line)."""
    spare = LEVELS + 1
    work.nodes = 0
    for turn in range(PLAYOUTS):
        levels[spare] = public
        private_levels[spare] = privates
        hidden_levels[spare] = hidden
        hidden_levels[spare].stop_early = 1
        chance = CHANCE if turn > 0 else 0
        won = play_out(
            rules, levels[spare], private_levels[spare], hidden_levels[spare], view, brain, luck, source, dispatch.TEAM, chance,
            work, 0, log,
        )  # fmt: skip
        length = levels[spare].trick - public.trick
        work.nodes += length
        if won:
            return WON, length
    return UNKNOWN, np.int64(0)


@merged
def decide_round(
    rules, public, privates, hidden, view, brain, luck, source, levels, private_levels, hidden_levels, work, tries, lost, budget,
    log,
):  # fmt: skip
    """Decide a round that stands before its first trick; returns (verdict, tricks of the line, positions looked at).

    A short search comes first; then `team` tries to play it out; then the rest of the budget is searched. Where one goal may
    fail, each in turn is left out, with a budget of its own.
    """
    waives = public.seats if public.spare > 0 else 0
    nodes = 0
    verdict = UNKNOWN
    length = np.int64(0)
    all_lost = True
    for part in range(2 + waives):
        left = budget
        if part == 0:
            left = min(budget, FIRST_SEARCH)
        elif part == 1:
            if verdict == LOST or budget <= FIRST_SEARCH or public.tricks > LEVELS:
                continue
            verdict, length = try_out(
                rules, public, privates, hidden, view, brain, luck, source, levels, private_levels, hidden_levels, work, log
            )
            nodes += work.nodes
            left = budget - nodes
            if verdict == WON or left <= 0:
                break
        if part != 1:
            # What other searches left in memory means nothing to this one.
            work.salt += np.uint64(1)
        levels[0] = public
        private_levels[0] = privates
        hidden_levels[0] = hidden
        if part > 1:
            levels[0].terms[part - 2] = 0
            hidden_levels[0].verdict[part - 2] = MET
        verdict, length = solve(rules, levels, private_levels, hidden_levels, work, tries, lost, left, source, log)
        nodes += work.nodes
        if verdict == WON:
            break
        if part > 1 and verdict == UNKNOWN:
            all_lost = False
    if waives > 0 and verdict != WON:
        verdict = LOST if all_lost else UNKNOWN
    return verdict, length, nodes


@kernel
def solve_range(
    rules, plan, course, public, privates, hidden, view, brains, luck, choices, source, levels, private_levels, hidden_levels,
    work, tries, lost, policy, seed_low, seed_high, budget, setups, stop_early, log, answers, rounds, goals,
):  # fmt: skip
    """Decide the rounds of the deals of `course`, one in each row of `answers` (array of dtype VERDICT_COLUMNS), until the deals
    are over or the rows are used up; returns how many were written. rules, plan, course: see `batch.play_deals`.

    setups: how many setups of a deal are tried, the first by `policy`, the others by chance; `budget` holds for each.
    Unless `rounds` has no rows, the rounds are played too: a won one along its line, any other on by the policy.
    """
    i = 0
    while course.deal != course.end and i < answers.shape[0]:
        here = rules[course.kind]
        brain = brains[course.kind]
        open_round(plan, course, here, public)
        number = shuffle_number(course)
        answer = answers[i]
        began = microseconds()
        total = 0
        length = np.int64(0)
        verdict = UNKNOWN
        start(source, seed_low, seed_high, STREAM_SEARCH, number, course.deal)
        for attempt in range(setups):
            log.rows = 0
            prepare(here, public, privates, hidden, luck, choices, seed_low, seed_high, number, course.deal)
            who = policy if attempt == 0 else dispatch.RANDOM
            set_up(here, public, privates, hidden, view, brain, luck, choices if attempt == 0 else source, who, log)
            told = log.on
            log.on = 0
            verdict, length, nodes = decide_round(
                here, public, privates, hidden, view, brain, luck, source, levels, private_levels, hidden_levels, work, tries,
                lost, budget, log,
            )  # fmt: skip
            log.on = told
            total += nodes
            answer.setup = attempt
            if verdict == WON:
                break
        if setups > 1 and verdict == LOST:
            # Yet another setup may win.
            verdict = UNKNOWN
        answer.microseconds = microseconds() - began
        answer.nodes = total
        answer.tricks = length
        answer.tries = hidden.tries
        won = verdict == WON
        if rounds.shape[0] > 0:
            hidden.stop_early = stop_early
            who = LINE if won else policy
            won = play_out(here, public, privates, hidden, view, brain, luck, choices, who, 0, work, length, log)
            if won:
                verdict = WON
            write_place(course, rounds, i)
        answer.verdict = verdict
        won = close_round(plan, course, public, hidden, won)
        if rounds.shape[0] > 0:
            write_row(public, hidden, won, rounds, goals, i)
        i += 1
    return i


@dataclass
class Solver:
    """One cell's solver: rules, tables and memory, used for any number of deals.

    `setups`: see `solve_deals`. `whole`: whether a deal of a long chapter is an attempt of several rounds, and not a single
    one. Raises UserError for a number of players that the scenario has no deal for.
    """

    scenario: Scenario
    players: int
    policy: str = DEFAULT_SETUP
    budget: int = DEFAULT_BUDGET
    setups: int = 1
    where: Where = EVERY_DEAL
    whole: bool = False
    rules: Any = field(init=False)

    def __post_init__(self) -> None:
        self.kinds, self.plan = compile_plan(self.scenario, self.players, where=self.where)
        if not self.whole:
            # (Of a chapter with several kinds of round, one has to be named.)
            compile_rules(self.scenario, self.players)
            single_rounds(self.plan)
        link(self.kinds)
        self.rules = self.kinds[0]
        check_condition(self.where, kinds_of(self.scenario)[0], self.rules, self.setups)
        self.public, self.privates, self.hidden = new_table()
        self.view, self.brains, self.memory = new_record(VIEW), brains_of("team", kinds_of(self.scenario), self.players), Memory()
        self.luck, self.choices, self.source = new_source(), new_source(), new_source()

    def _solve(
        self, seed: int, course: Any, answers: np.recarray, rounds: Any, goals: Any, stop_early: bool, log: Any = None
    ) -> int:
        memory, first = self.memory, int(course.deal)
        low, high = split_seed(seed)
        played = solve_range(
            self.kinds, self.plan, course, self.public, self.privates, self.hidden, self.view, self.brains, self.luck,
            self.choices, self.source, memory.public, memory.privates, memory.hidden, memory.work, memory.tries, memory.lost,
            POLICIES[self.policy], low, high, self.budget, self.setups, stop_early, new_log(False) if log is None else log,
            answers, rounds, goals,
        )  # fmt: skip
        if self.where:
            numbers = rounds.deal[:played] if len(rounds) else first + np.arange(played)
            check_tries(self.scenario, self.players, self.where, seed, numbers, answers.tries[:played])
        return int(played)

    def deal(self, seed: int, deal: int, log: Any) -> np.record:
        """Return the verdict on one deal (VERDICT_COLUMNS), its setup noted in `log`; its first round, when it has several.

        The table (public, privates, hidden) then stands before the first lead, memory.work holds the line.
        """
        answers = np.zeros(1, VERDICT_COLUMNS).view(np.recarray)
        self._solve(seed, new_course(self.plan, deal, 1), answers, *self._columns(0), False, log)
        return answers[0]

    def position(self, public: Any, privates: Any, hidden: Any, seed: int = 0, deal: int = 0) -> tuple[int, int]:
        """Return (verdict, tricks of the line) for a table between two tricks; seed and deal are those of the luck only."""
        memory = self.memory
        low, high = split_seed(seed)
        start(self.source, low, high, STREAM_SEARCH, np.uint64(1), np.uint64(deal))
        verdict, length, _ = decide_round(
            self.rules, public, privates, hidden, self.view, self.brains[0], self.luck, self.source, memory.public,
            memory.privates, memory.hidden, memory.work, memory.tries, memory.lost, self.budget, new_log(False),
        )  # fmt: skip
        return verdict, length

    def answers(self, seed: int, first_deal: int, count: int) -> np.recarray:
        """Return the verdicts on `count` deals of one round (VERDICT_COLUMNS, shape (count,))."""
        answers = np.zeros(count, VERDICT_COLUMNS).view(np.recarray)
        self._solve(seed, new_course(self.plan, first_deal, count), answers, *self._columns(0), False)
        return answers

    def rounds(self, seed: int, first_deal: int, count: int, stop_early: bool) -> tuple[np.recarray, np.recarray, np.recarray]:
        """Return the columns of `count` deals played (ROUND_COLUMNS, GOAL_COLUMNS) and the verdict on each round."""
        course = new_course(self.plan, first_deal, count)
        found: list[tuple[Any, ...]] = []
        while course.deal != course.end:
            answers = np.zeros(count, VERDICT_COLUMNS).view(np.recarray)
            rounds, goals = self._columns(count)
            played = self._solve(seed, course, answers, rounds, goals, stop_early)
            found.append((rounds[:played], goals[:played], answers[:played]))
        whole: Any = tuple(np.concatenate([parts[side] for parts in found]).view(np.recarray) for side in range(3))
        return whole

    def _columns(self, count: int) -> tuple[np.recarray, np.recarray]:
        rounds = np.zeros(count, ROUND_COLUMNS).view(np.recarray)
        return rounds, np.zeros((count, int(self.rules.seats)), GOAL_COLUMNS).view(np.recarray)


def warm_up() -> None:
    """Compile the solver, or load it from the cache; says so on stderr when it compiles."""
    import scenarios
    from sim.core.jit import CACHE_FOLDER, compiling
    from sim.tricks.batch import warm_up as warm_up_engine

    warm_up_engine(search=False)
    mark = CACHE_FOLDER / "solver" if CACHE_FOLDER is not None else None
    with compiling(mark is None or not mark.exists()):
        Solver(scenarios.load("1"), 3, budget=1).answers(0, 0, 1)
    if mark is not None:
        mark.touch()


def check_condition(where: Where, scenario: Scenario, rules: Any, setups: int) -> None:
    """Raise UserError for a condition that does not fit a scenario, or not go with trying several setups of a deal."""
    if where and compile_condition(where, scenario, rules).after_setup and setups > 1:
        raise UserError(
            f"--where '{where.text}': depends on what is decided in setup, so that every setup would have a deal of its own; "
            "leave out --over-setup"
        )


def check_setup_policy(policy: str) -> str:
    """Return `policy`; UserError with the nearest name when no fast policy has that name."""
    if policy not in POLICIES:
        raise UserError(f"--policy '{policy}': allowed are {', '.join(POLICIES)}{nearest(policy, POLICIES)}")
    return policy


def solve_deals(
    scenario: Scenario,
    players: int,
    seed: int,
    first_deal: int,
    count: int,
    setup_policy: str = DEFAULT_SETUP,
    budget: int = DEFAULT_BUDGET,
    setups: int = 1,
) -> np.recarray:
    """Return whether `count` deals, set up by `setup_policy`, can be won with open hands (VERDICT_COLUMNS, shape (count,)).

    Each verdict is a pure function of the other arguments and the deal's number. With `setups` above 1 that many setups are
    tried, all but the first by chance, and nothing is called lost.
    """
    return Solver(scenario, players, setup_policy, budget, setups).answers(seed, first_deal, count)


def play_open(
    scenario: Scenario,
    players: int,
    seed: int,
    first_deal: int,
    count: int,
    stop_early: bool = False,
    setup_policy: str = DEFAULT_SETUP,
    budget: int = DEFAULT_BUDGET,
    where: Where = EVERY_DEAL,
) -> tuple[np.recarray, np.recarray, np.ndarray]:
    """Return the columns of `count` deals under `open` as `sim.tricks.batch.play_columns` does, and the verdicts (uint8).

    A won round is played along its line; a lost or unknown one by the policy that set it up, and an unknown one that this
    wins is won. In a long chapter a deal is an attempt, and goes on from round to round as long as they are won.
    """
    solver = Solver(scenario, players, setup_policy, budget, where=where, whole=True)
    rounds, goals, answers = solver.rounds(seed, first_deal, count, stop_early)
    return rounds, goals, np.ascontiguousarray(answers.verdict)
