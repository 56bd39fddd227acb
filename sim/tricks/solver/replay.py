"""A deal under `open`, step by step: what the solver decided, as a record or a transcript."""

from __future__ import annotations

from typing import Any

from scenarios.model import Scenario
from sim.tricks.decisions import CARD, DECLARE, LEADER, UNTUCK
from sim.tricks.policies.dispatch import POLICIES, choose
from sim.tricks.replay import Replay
from sim.tricks.solver.deals import DEFAULT_BUDGET, DEFAULT_SETUP, Solver, follow
from sim.tricks.solver.search import WON
from sim.tricks.where import EVERY_DEAL, Where


class OpenReplay(Replay):
    """The replay of a deal that the solver plays: along its line when it is won, else on by the policy of the setup.

    `answer` (dtype VERDICT_COLUMNS) is the verdict. Raises UserError as Solver does.
    """

    def __init__(
        self,
        scenario: Scenario,
        players: int,
        seed: int,
        deal: int,
        setup_policy: str = DEFAULT_SETUP,
        budget: int = DEFAULT_BUDGET,
        setups: int = 1,
        where: Where = EVERY_DEAL,
    ) -> None:
        super().__init__(scenario, players, setup_policy, seed, deal, where=where)
        self.solver = Solver(scenario, players, setup_policy, budget, setups, where)
        self.answer: Any = self.solver.deal(seed, deal, self.log)
        self.policy = "open"

    def set_up(self) -> None:
        """Take over the table as the solver set it up."""
        solver = self.solver
        self.public, self.privates, self.hidden = solver.public, solver.privates, solver.hidden
        self._luck, self._choices = solver.luck, solver.choices
        self._note_deal()
        self._view.prepared = -1
        self.at_play = self.hands()
        self.lost_at_play = self.cards(self.public.lost)
        self.pyramid_at_play = self.pyramid()

    def _choose(self) -> int:
        if self.answer.verdict == WON and int(self.hidden.pending) in (CARD, DECLARE, UNTUCK, LEADER):
            return int(follow(self.public, self.hidden, self.solver.memory.work, int(self.answer.tricks)))
        return int(
            choose(POLICIES[self.solver.policy], self.rules, self.public, self._view, self.solver.brains[0], self._choices)
        )
