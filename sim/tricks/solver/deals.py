"""Many deals with open hands: set up by a policy, decided by the search, replayed by the line that wins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scenarios.errors import UserError, nearest
from scenarios.model import Scenario
from sim.core.jit import kernel, lowest
from sim.core.random import STREAM_SEARCH, new_source, start
from sim.tricks.batch import GOAL_COLUMNS, ROUND_COLUMNS, split_seed, write_row
from sim.tricks.decisions import CARD, LEADER, UNTUCK
from sim.tricks.engine import advance, apply, get_ready, prepare
from sim.tricks.link import load_rules
from sim.tricks.policies import dispatch
from sim.tricks.policies.dispatch import POLICIES
from sim.tricks.policies.team import weights_of
from sim.tricks.round import finish
from sim.tricks.solver.clock import microseconds
from sim.tricks.solver.search import DECLARED, LOST, UNKNOWN, WON, Memory, solve
from sim.tricks.table import new_log, new_record, new_table
from sim.tricks.view import VIEW, look

DEFAULT_BUDGET = 100_000
DEFAULT_SETUP = "script"

VERDICTS = {UNKNOWN: "unknown", WON: "won", LOST: "lost"}
VERDICT_COLUMNS = np.dtype(
    [("verdict", np.uint8), ("nodes", np.uint32), ("microseconds", np.uint32), ("tricks", np.uint8), ("setup", np.uint16)]
)
"""One deal: UNKNOWN, WON or LOST; positions looked at; processor time; tricks of the line until all goals are sealed; which
setup was won or, at last, tried (0: the policy's own)."""


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
def solve_range(
    rules, public, privates, hidden, view, brain, luck, choices, source, levels, private_levels, hidden_levels, work, tries, lost,
    policy, seed_low, seed_high, first_deal, budget, setups, stop_early, log, answers, rounds, goals,
):  # fmt: skip
    """Decide `answers.shape[0]` deals from `first_deal` on (array of dtype VERDICT_COLUMNS).

    setups: how many setups of a deal are tried, the first by `policy`, the others by chance; `budget` holds for each.
    Unless `rounds` has no rows, the deals are played too: a won one along its line, any other on by the policy.
    """
    one = np.uint64(1)
    for i in range(answers.shape[0]):
        deal = first_deal + np.uint64(i)
        answer = answers[i]
        began = microseconds()
        nodes = 0
        length = 0
        verdict = UNKNOWN
        start(source, seed_low, seed_high, STREAM_SEARCH, one, deal)
        for attempt in range(setups):
            log.rows = 0
            prepare(rules, public, privates, hidden, luck, choices, seed_low, seed_high, one, deal)
            who = policy if attempt == 0 else dispatch.RANDOM
            set_up(rules, public, privates, hidden, view, brain, luck, choices if attempt == 0 else source, who, log)
            levels[0] = public
            private_levels[0] = privates
            hidden_levels[0] = hidden
            # What earlier searches left in memory means nothing to this one.
            work.salt += one
            told = log.on
            log.on = 0
            verdict, length = solve(rules, levels, private_levels, hidden_levels, work, tries, lost, budget, source, log)
            log.on = told
            nodes += work.nodes
            answer.setup = attempt
            if verdict == WON:
                break
        if setups > 1 and verdict == LOST:
            # Yet another setup may win.
            verdict = UNKNOWN
        answer.microseconds = microseconds() - began
        answer.nodes = nodes
        answer.tricks = length
        if i < rounds.shape[0]:
            hidden.stop_early = stop_early
            if verdict == WON:
                while advance(rules, public, privates, hidden, luck, log):
                    apply(rules, public, privates, hidden, follow(public, hidden, work, length), log)
            else:
                finish(rules, public, privates, hidden, view, brain, luck, choices, policy, log)
            won = hidden.met == public.seats
            if won:
                verdict = WON
            write_row(public, hidden, won, rounds, goals, i)
        answer.verdict = verdict


@dataclass
class Solver:
    """One cell's solver: rules, tables and memory, used for any number of deals.

    `setups`: see `solve_deal`. Raises UserError for a number of players that the scenario has no deal for.
    """

    scenario: Scenario
    players: int
    policy: str = DEFAULT_SETUP
    budget: int = DEFAULT_BUDGET
    setups: int = 1
    rules: Any = field(init=False)

    def __post_init__(self) -> None:
        self.rules = load_rules(self.scenario, self.players)
        self.public, self.privates, self.hidden = new_table()
        self.view, self.brain, self.memory = new_record(VIEW), weights_of(self.scenario, self.players), Memory()
        self.luck, self.choices, self.source = new_source(), new_source(), new_source()

    def _solve(
        self, seed: int, first_deal: int, answers: np.recarray, rounds: Any, goals: Any, stop_early: bool, log: Any = None
    ) -> None:
        memory = self.memory
        low, high = split_seed(seed)
        solve_range(
            self.rules, self.public, self.privates, self.hidden, self.view, self.brain, self.luck, self.choices, self.source,
            memory.public, memory.privates, memory.hidden, memory.work, memory.tries, memory.lost, POLICIES[self.policy],
            low, high, np.uint64(first_deal), self.budget, self.setups, stop_early, new_log(False) if log is None else log,
            answers, rounds, goals,
        )  # fmt: skip

    def deal(self, seed: int, deal: int, log: Any) -> np.record:
        """Return the verdict on one deal (VERDICT_COLUMNS), its setup noted in `log`.

        The table (public, privates, hidden) then stands before the first lead, memory.work holds the line.
        """
        answers = np.zeros(1, VERDICT_COLUMNS).view(np.recarray)
        self._solve(seed, deal, answers, *self._columns(0), False, log)
        return answers[0]

    def position(self, public: Any, privates: Any, hidden: Any, seed: int = 0, deal: int = 0) -> tuple[int, int]:
        """Return (verdict, tricks of the line) for a table between two tricks; seed and deal are those of the luck only."""
        memory = self.memory
        memory.public[0], memory.privates[0], memory.hidden[0] = public, privates, hidden
        memory.work.salt += np.uint64(1)
        low, high = split_seed(seed)
        start(self.source, low, high, STREAM_SEARCH, np.uint64(1), np.uint64(deal))
        return solve(
            self.rules, memory.public, memory.privates, memory.hidden, memory.work, memory.tries, memory.lost, self.budget,
            self.source, new_log(False),
        )  # fmt: skip

    def answers(self, seed: int, first_deal: int, count: int) -> np.recarray:
        """Return the verdicts on `count` deals (VERDICT_COLUMNS, shape (count,))."""
        answers = np.zeros(count, VERDICT_COLUMNS).view(np.recarray)
        rounds, goals = self._columns(0)
        self._solve(seed, first_deal, answers, rounds, goals, False)
        return answers

    def rounds(self, seed: int, first_deal: int, count: int, stop_early: bool) -> tuple[np.recarray, np.recarray, np.recarray]:
        """Return the columns of `count` deals played (ROUND_COLUMNS, GOAL_COLUMNS) and the verdicts on them."""
        answers = np.zeros(count, VERDICT_COLUMNS).view(np.recarray)
        rounds, goals = self._columns(count)
        self._solve(seed, first_deal, answers, rounds, goals, stop_early)
        rounds.deal, rounds.attempt, rounds.number = np.arange(first_deal, first_deal + count), 1, 1
        return rounds, goals, answers

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
) -> tuple[np.recarray, np.recarray, np.ndarray]:
    """Return the columns of `count` deals under `open` as `sim.tricks.batch.play_columns` does, and the verdicts (uint8).

    A won deal is played along its line; a lost or unknown one by the policy that set it up, and an unknown one that this
    wins is won.
    """
    rounds, goals, answers = Solver(scenario, players, setup_policy, budget).rounds(seed, first_deal, count, stop_early)
    return rounds, goals, np.ascontiguousarray(answers.verdict)
