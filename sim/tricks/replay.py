"""One deal, step by step, with the same kernels as the batch: snapshots for records, transcripts and explanations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scenarios.model import Scenario
from sim.core.random import STREAM_SEARCH, new_source, start
from sim.tricks import engine
from sim.tricks import table as t
from sim.tricks.batch import split_seed
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.library import check_policy
from sim.tricks.policies.dispatch import POLICIES, TEAM, choose
from sim.tricks.policies.reasons import Reason, explain
from sim.tricks.policies.team import load_brain
from sim.tricks.rules import compile_rules
from sim.tricks.search import DEFAULT_PLAYOUTS, best_option, new_worlds, weigh
from sim.tricks.view import VIEW, look

WHY = {engine.WHY_SOLO: "solo", engine.WHY_NO_PARTNER: "no_partner"}


@dataclass
class Replay:
    """A deal being played: the table's records and the log, moved on by `play`."""

    scenario: Scenario
    players: int
    policy: str
    seed: int
    deal: int
    round: int = 1
    playouts: int = DEFAULT_PLAYOUTS
    """Worlds a decision, for the policy `search`."""
    explain: bool = False
    """Whether every decision's reason is kept in `reasons`."""
    reasons: list[Reason] = field(default_factory=list)
    rules: Any = None
    public: Any = None
    privates: Any = None
    hidden: Any = None
    log: Any = None
    dealt: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_policy(self.policy)
        self.rules = compile_rules(self.scenario, self.players)
        self.public, self.privates, self.hidden = t.new_table()
        self.log = t.new_log(True)
        self._luck, self._choices = new_source(), new_source()
        self._view = t.new_record(VIEW)
        low, high = split_seed(self.seed)
        prepare(
            self.rules, self.public, self.privates, self.hidden, self._luck, self._choices, low, high, np.uint64(self.round),
            np.uint64(self.deal),
        )  # fmt: skip
        if self.policy == "search":
            self._worlds, self._wins = new_worlds(), np.zeros(64)
            start(self._choices, low, high, STREAM_SEARCH, np.uint64(self.round), np.uint64(self.deal))
        self.dealt = self.hands()
        self.draw_order = self.card_list(self.hidden.order[int(self.hidden.next_draw) : int(self.hidden.draw_end)])
        self.pyramid_dealt = self.pyramid()

    # Reading the table -----------------------------------------------------------------------------------------------

    @property
    def seats(self) -> int:
        return int(self.rules.seats)

    def cards(self, mask: Any) -> list[str]:
        """Return the cards of a mask in slot order."""
        return [card for slot, card in enumerate(self.scenario.cards) if int(mask) >> slot & 1]

    def card_list(self, slots: Any) -> list[str]:
        """Return the cards of a list of slots, in its order."""
        return [self.scenario.cards[int(slot)] for slot in slots]

    def hands(self) -> list[list[str]]:
        """Return every seat's hand."""
        return [self.cards(self.privates.hand[seat]) for seat in range(self.seats)]

    def character(self, seat: int) -> str:
        """Return the character of a seat."""
        return self.scenario.roster[int(self.public.character[seat])].character

    def pyramid(self) -> list[dict[str, Any]]:
        """Return the pyramid's cards with row (0: bottom, -1: beside), column and facing."""
        if int(self.public.pyramid) == t.NOBODY:
            return []
        name = self.scenario.deals[self.players].pyramid
        shown = int(self.public.shown[int(self.public.pyramid)])
        found = []
        slot = 0
        for row, width in enumerate(self.scenario.pyramids[name].rows):
            for column in range(width):
                card = int(self.hidden.slot_card[slot])
                if card != t.NOBODY:
                    found.append({"row": row, "col": column, "card": self.scenario.cards[card], "up": bool(shown >> card & 1)})
                slot += 1
        found += [{"row": -1, "col": i, "card": card, "up": True} for i, card in enumerate(self.cards(self.hidden.loose))]
        return found

    # Playing ---------------------------------------------------------------------------------------------------------

    @property
    def _table(self) -> tuple[Any, Any, Any, Any]:
        return self.rules, self.public, self.privates, self.hidden

    def _decide(self) -> None:
        """Take the decision that is due."""
        options = int(self.hidden.options)
        if options & (options - 1):
            look(*self._table, self._view)
            if self.explain:
                self.reasons.append(explain(self.policy, self.scenario, self.rules, self.public, self._view))
            choice = self._search() if self.policy == "search" else self._choose()
        else:
            choice = options.bit_length() - 1
        apply(*self._table, choice, self.log)

    def _choose(self) -> int:
        return int(choose(POLICIES[self.policy], self.rules, self.public, self._view, load_brain(), self._choices))

    def _search(self) -> int:
        where = self.rules, self.public
        weigh(
            *where, self.hidden, self._view, load_brain(), self._choices, TEAM, self.playouts, *self._worlds, t.new_log(False),
            self._wins,
        )  # fmt: skip
        return int(best_option(*where, self._view, load_brain(), self._wins))

    def set_up(self) -> None:
        """Play everything up to the first lead."""
        self._view.prepared = -1
        steps = {
            engine.SELECTING: lambda: engine.select(self.rules, self.public, self.hidden, self.log),
            engine.PREPARING: lambda: engine.prepare_solo(*self._table, self.log),
            engine.ACTING: lambda: engine.act(*self._table, self._luck, self.log),
        }
        while (step := steps.get(int(self.hidden.stage))) is not None:
            if step():
                self._decide()
        self.at_play = self.hands()
        self.lost_at_play = self.cards(self.public.lost)
        self.pyramid_at_play = self.pyramid()

    def play(self) -> None:
        """Play the tricks to the end of the round."""
        while advance(*self._table, self._luck, self.log):
            self._decide()

    def events(self) -> list[list[int]]:
        """Return the rows of the log so far, as lists of integers (see `sim.tricks.table`)."""
        return [[int(x) for x in row] for row in self.log.row[: int(self.log.rows)]]


def record(replay: Replay) -> dict[str, Any]:
    """Play `replay` to its end and return the game record (docs/records.md)."""
    replay.set_up()
    replay.play()
    return finished_record(replay)


def _setup_entry(replay: Replay, row: list[int]) -> dict[str, Any] | None:
    event, seat, a, b, c, d, _ = row
    cards = replay.cards
    if event == t.LOG_EXCHANGER:
        return {"seat": seat, "action": "choose_solo_exchanger", "options": _seats(a), "chosen": seat}
    if event == t.LOG_TOOK:
        return {"seat": seat, "action": "take_lost", "cards": cards(a)}
    if event == t.LOG_DECLINED:
        return {"seat": seat, "action": "decline_lost", "cards": cards(a)}
    if event == t.LOG_THREAT:
        return {"seat": seat, "action": "threat", "value": a, "rejected": _seats(b)}
    if event == t.LOG_EXCHANGE:
        gave, got = cards(b)[0], cards(c)[0]
        return {"seat": seat, "action": "exchange", "with": a, "gave": gave, "got": got, "targets": _seats(d)}
    if event == t.LOG_NO_EXCHANGE:
        return {"seat": seat, "action": "no_exchange", "why": WHY[a]}
    if event == t.LOG_GAVE:
        return {"seat": seat, "action": "donate", "to": a, "card": cards(b)[0]}
    return None


def _seats(mask: int) -> list[int]:
    return [i for i in range(64) if mask >> i & 1]


def _tricks(replay: Replay) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    trick: dict[str, Any] = {}
    for event, seat, a, b, *_ in replay.events():
        if event == t.LOG_PLAY:
            trick.setdefault("plays", []).append([seat, replay.cards(a)[0]])
            trick.setdefault("legal", []).append(replay.cards(b))
        elif event == t.LOG_DECLARE:
            trick["one_ring_wins"] = bool(a)
        elif event == t.LOG_TRICK:
            found.append(
                {
                    "leader": a,
                    "plays": trick["plays"],
                    "one_ring_wins": trick.get("one_ring_wins", False),
                    "winner": seat,
                    "legal": trick["legal"],
                }
            )
            trick = {}
        elif event == t.LOG_DRAW:
            found[-1].setdefault("draws", []).append([seat, replay.cards(a)[0]])
    return found


def finished_record(replay: Replay) -> dict[str, Any]:
    """Return the record of a replay that was played to its end."""
    public, hidden = replay.public, replay.hidden
    seats = range(replay.seats)
    pyramid = int(public.pyramid)
    selection = [
        {
            "seat": row[1],
            "chosen": replay.scenario.roster[row[2]].character,
            "options": [replay.scenario.roster[role].character for role in _seats(row[3])],
        }
        for row in replay.events()
        if row[0] == t.LOG_CHOSE
    ]
    setup: list[dict[str, Any]] = []
    for row in replay.events():
        if row[0] == t.LOG_EXTRA:
            # One row a card, in the order drawn.
            if not setup or setup[-1]["action"] != "solo_full_hand" or setup[-1]["seat"] != row[1]:
                setup.append({"seat": row[1], "action": "solo_full_hand", "cards": []})
            setup[-1]["cards"] += replay.cards(row[2])
        elif (entry := _setup_entry(replay, row)) is not None:
            setup.append(entry)
    after = [
        {
            "failed_after": int(hidden.lost_after[s]) if hidden.verdict[s] == t.FAILED else None,
            "met_after": int(hidden.met_after[s]) if hidden.verdict[s] == t.MET else None,
        }
        for s in seats
    ]
    chapter = replay.scenario.label
    only_here: dict[str, Any] = {}
    if replay.players == 1:
        only_here = {"solo_exchanger": int(hidden.exchanger) if int(hidden.exchanger) != t.NOBODY else None}
        only_here["draw_order"] = replay.draw_order
    if pyramid != t.NOBODY:
        only_here = {"pyramid_dealt": replay.pyramid_dealt, "pyramid_at_play": replay.pyramid_at_play}
    return {
        "game": "fellowship",
        "chapter": int(chapter) if chapter.isdigit() else chapter,
        "players": replay.players,
        "round": replay.round,
        "event": None,
        "assumptions": dict(replay.scenario.assumptions),
        "policy": replay.policy,
        "seed": hex(replay.seed),
        "deal": replay.deal,
        "ring_holder": int(public.holder),
        "selection": selection,
        "seats": [
            {
                "character": replay.character(s),
                "dealt": replay.dealt[s],
                "hand": replay.at_play[s],
                "tucked": None,
                "threat": int(public.threat[s]) or None,
                "declared": None,
                "curse": None,
                "reserved": None,
                "pyramid": s == pyramid,
                "controller": int(public.controller[s]) if replay.players > 1 else 0,
                "retained": int(public.retained[s]),
            }
            for s in seats
        ],
        "lost": replay.cards(public.first_lost),
        "lost_at_play": replay.lost_at_play,
        "setup": setup,
        **only_here,
        "first_leader": int(public.opening_leader),
        "tricks": _tricks(replay),
        "goals": [int(v) == t.MET for v in hidden.verdict[: replay.seats]],
        "sealed": after,
        "failed_event": None,
        "stopped_early": False,
        "left": replay.hands(),
        "won": all(int(v) == t.MET for v in hidden.verdict[: replay.seats]),
    }
