"""One deal, step by step, with the same kernels as the batch: snapshots for records, transcripts and explanations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scenarios.checks import revealed_cards
from scenarios.drawing import drawn
from scenarios.model import Scenario
from sim.core.random import STREAM_SEARCH, new_source, start
from sim.tricks import decisions
from sim.tricks import table as t
from sim.tricks.batch import check_tries, split_seed
from sim.tricks.engine import advance, apply, get_ready, prepare
from sim.tricks.given import dealt_hand, holder_apart, place_in_order
from sim.tricks.knowledge import Knowledge, known_to
from sim.tricks.library import check_policy
from sim.tricks.link import load_rules
from sim.tricks.own_weights import base_of, brain_of
from sim.tricks.policies.dispatch import POLICIES, TEAM, choose
from sim.tricks.policies.reasons import Reason, explain, explain_search
from sim.tricks.rules import FEWER, MORE
from sim.tricks.search import DEFAULT_PLAYOUTS, new_worlds, search_choice
from sim.tricks.standing import Standing
from sim.tricks.view import VIEW, look
from sim.tricks.where import EVERY_DEAL, Where

WHY = {decisions.WHY_SOLO: "solo", decisions.WHY_NO_PARTNER: "no_partner"}
WAYS = {FEWER: "fewer", MORE: "more"}
PASSES = {
    t.PASS_EACH: "simultaneous_exchange",
    t.PASS_RIGHT_ALL: "pass_right",
    t.PASS_STEP: "mirror_pass",
    t.PASS_TOGETHER: "long_dark",
}


@dataclass
class Replay:
    """A deal being played: the table's records and the log, moved on by `play`.

    `kind`: the kind of round, in a chapter that has several; `scenario` is then the scenario of that kind.
    """

    scenario: Scenario
    players: int
    policy: str
    seed: int
    deal: int
    round: int = 1
    kind: str = ""
    playouts: int = DEFAULT_PLAYOUTS
    """Worlds a decision, for the policy `search`."""
    inference: bool = False
    standing: Standing | None = None
    """Where the round begins, in a long chapter; the first of its rounds, or a single one, when None."""
    where: Where = EVERY_DEAL
    """What the deal fits; as in `standing`, when that is given."""
    explain: bool = False
    """Whether every decision's reason is kept in `reasons`."""
    reasons: list[Reason] = field(default_factory=list)
    knowledge: bool = False
    """Whether what its person knew at every decision is kept in `known`."""
    known: list[Knowledge] = field(default_factory=list)
    rules: Any = None
    public: Any = None
    privates: Any = None
    hidden: Any = None
    log: Any = None
    dealt: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_policy(self.policy)
        self.drawn = self.scenario.draw is not None
        self.public, self.privates, self.hidden = t.new_table()
        if self.standing is not None:
            place = self.standing
            self.scenario, self.rules, self.round = place.scenario, place.rules, place.shuffle
            self.public.completed, self.public.sought = place.completed, place.sought
            self.public.spare, self.public.curse_due = place.spare, place.curse_due
            self.public.fetches, self.public.frees = place.fetches, place.frees
        else:
            self.scenario = drawn(self.scenario, self.players, self.seed, self.deal)
            self.rules = load_rules(self.scenario, self.players, self.kind, self.policy == "search", self.where)
            if self.kind:
                self.scenario = self.scenario.rounds[self.kind]
            self.public.curse_due = self.rules.bearers != 0
            self.public.fetches, self.public.frees = self.rules.fetcher >= 0, self.rules.first_free >= 0
        self.log = t.new_log(True)
        self._luck, self._choices = new_source(), new_source()
        self._view = t.new_record(VIEW)
        low, high = split_seed(self.seed)
        prepare(
            self.rules, self.public, self.privates, self.hidden, self._luck, self._choices, low, high, np.uint64(self.round),
            np.uint64(self.deal),
        )  # fmt: skip
        if self.policy == "search":
            self._worlds = new_worlds(self.inference)
            start(self._choices, low, high, STREAM_SEARCH, np.uint64(self.round), np.uint64(self.deal))
        self._check_tries()
        self._note_deal()

    def _check_tries(self) -> None:
        if self.where:
            check_tries(self.scenario, self.players, self.where, self.seed, [self.deal], np.array([self.hidden.tries]))

    def _note_deal(self) -> None:
        """Note how the cards were dealt, also when setup began since: what fits a condition only after setup is known late."""
        self.tries = int(self.hidden.tries)
        table = self.rules, self.public, self.hidden
        if int(self.rules.steps):
            order = [[self.hidden.order[place_in_order(self.rules, s, i, t.NOBODY)] for i in range(int(self.rules.hand))]
                     for s in range(self.seats)]  # fmt: skip
            self.dealt = [self.card_list(slots) for slots in order]
            if int(self.rules.pyramid):
                self.dealt[-1] = sorted(self.dealt[-1], key=self.scenario.cards.index)
        else:
            self.dealt = [self.cards(dealt_hand(*table, seat)) for seat in range(self.seats)]
        # The draw deck begins where the hands end; cards dealt in steps lie in it till then.
        held = 0 if int(self.rules.steps) else sum(map(len, self.dealt)) - (int(holder_apart(*table[:2])) != t.NOBODY)
        if int(self.rules.steps) and int(self.rules.pyramid):
            held = int(self.rules.hand)
        self.draw_order = self.card_list(self.hidden.order[held : int(self.hidden.draw_end)])
        self.pyramid_dealt = self._pyramid_dealt()
        self.pile = self.card_list(self.hidden.pile_order[: int(self.rules.pile)])

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

    def _pyramid_dealt(self) -> list[dict[str, Any]]:
        """Return the pyramid as it was dealt (see `pyramid`)."""
        found: list[dict[str, Any]] = []
        if not int(self.rules.pyramid):
            return found
        for row, width in enumerate(self.scenario.pyramids[self.scenario.deals[self.players].pyramid].rows):
            for column in range(width):
                slot = len(found)
                card = int(self.hidden.order[place_in_order(self.rules, self.seats - 1, slot, t.NOBODY)])
                up = bool(int(self.rules.pyramid_up) >> slot & 1)
                found.append({"row": row, "col": column, "card": self.scenario.cards[card], "up": up})
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
            if int(self.hidden.tries) != self.tries:
                # Dealt anew: the reasons were those of a round that is none.
                self.tries = int(self.hidden.tries)
                self.reasons.clear()
                self.known.clear()
            if self.knowledge:
                self.known.append(known_to(self.scenario, self.rules, self.public, self._view, self.events()))
            if self.explain and self.policy != "search":
                self.reasons.append(explain(self.policy, self.scenario, self.players, self.rules, self.public, self._view))
            choice = self._search() if self.policy == "search" else self._choose()
        else:
            choice = options.bit_length() - 1
        apply(*self._table, choice, self.log)

    def _choose(self) -> int:
        policy, brain = POLICIES[base_of(self.policy)], brain_of(self.policy, self.scenario, self.players)
        return int(choose(policy, self.rules, self.public, self._view, brain, self._choices))

    def _search(self) -> int:
        *scratch, _, off = self._worlds
        brain = brain_of(self.policy, self.scenario, self.players)
        choice = search_choice(
            self.rules, self.public, self.hidden, self._view, brain, self._choices, TEAM, self.playouts, *scratch, self.log, off
        )
        if self.explain:
            wins = scratch[4]
            self.reasons.append(
                explain_search(self.scenario, self.public, self._view, wins, int(choice), self.playouts, self.inference)
            )
        return int(choice)

    def set_up(self) -> None:
        """Play everything up to the first lead."""
        self._view.prepared = -1
        while get_ready(*self._table, self._luck, self.log):
            self._decide()
        self._check_tries()
        self._note_deal()
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
    if event == t.LOG_EXCHANGE:
        gave, got = cards(b)[0], cards(c)[0]
        return {"seat": seat, "action": "exchange", "with": a, "gave": gave, "got": got, "targets": _seats(d)}
    if event == t.LOG_PICKED:
        role = int(replay.public.character[seat])
        size = int(replay.rules.amount[role].max())
        if not replay.rules.among[role]:
            return {"seat": seat, "action": "choose_threat", "options": _seats(b), "value": a}
        return {"seat": seat, "action": "sword", "options": [_group(n, size) for n in _seats(b)], "value": _group(a, size)}
    entries: dict[int, tuple[str, dict[str, Any]]] = {
        t.LOG_EXCHANGER: ("choose_solo_exchanger", {"options": _seats(a), "chosen": seat}),
        t.LOG_TOOK: ("take_lost", {"cards": cards(a)}),
        t.LOG_DECLINED: ("decline_lost", {"cards": cards(a)}),
        t.LOG_THREAT: ("threat", {"value": a, "rejected": _seats(b)}),
        t.LOG_NO_EXCHANGE: ("no_exchange", {"why": WHY.get(a, "")}),
        t.LOG_GAVE: ("donate", {"to": a, "card": (cards(b) or [""])[0]}),
        t.LOG_KEPT: ("keep_threat", {"options": _seats(b), "value": a}),
        t.LOG_AGAIN: ("redraw", {"accepted": bool(a)}),
        t.LOG_WAY: ("declare", {"value": WAYS.get(a, "")}),
        t.LOG_TUCKED: ("tuck", {"card": (cards(a) or [""])[0]}),
        t.LOG_RESERVED: ("reserve", {"card": (cards(a) or [""])[0]}),
        t.LOG_AHEAD: ("preplay", {"card": (cards(a) or [""])[0], "one_ring_wins": b == 2}),
        t.LOG_SWAPPED: ("exchange_lost", {"gave": (cards(a) or [""])[0], "got": " ".join(cards(b))}),
        t.LOG_CURSED: ("curse", {"options": [one for one in _seats(b) if one != decisions.NOT_NOW], "to": a - 1 if a else None}),
        t.LOG_CLAIMED: ("claim_lost", {"options": _seats(a)}),
        t.LOG_SHOWED: ("reveal_hand", {"applies": replay.players > 1}),
        t.LOG_LONGEST: ("horn", {"suits": sorted({card[0] for card in cards(a)}, key=list(replay.scenario.suits).index)}),
    }
    if event not in entries:
        return None
    action, more = entries[event]
    return {"seat": seat, "action": action, **more}


def _group(first: int, size: int) -> list[int]:
    return list(range(first, first + size))


def _setup_steps(replay: Replay) -> list[dict[str, Any]]:
    """Return what happened in setup, in order; cards that changed hands together are one entry."""
    setup: list[dict[str, Any]] = []
    together = 0
    for row in replay.events():
        event, seat, a, b, c, d, e = row
        if event == t.LOG_START:
            break
        if event in (t.LOG_EXTRA, t.LOG_PILE):
            # One row a card, in the order drawn.
            action = "solo_full_hand" if event == t.LOG_EXTRA else "take_barrow"
            if not setup or setup[-1]["action"] != action or setup[-1]["seat"] != seat:
                setup.append({"seat": seat, "action": action, "cards": []})
            setup[-1]["cards"] += replay.cards(a)
        elif event == t.LOG_AHEAD and b and setup and setup[-1]["action"] == "preplay":
            setup[-1]["one_ring_wins"] = b == 2
        elif event == t.LOG_PASSED:
            if together == 0:
                setup.append(_passes(replay, PASSES[c], setup))
                together = d
            together -= 1
            _pass_entry(setup[-1], seat, a, replay.cards(b)[0], bool(e))
        elif (entry := _setup_entry(replay, row)) is not None:
            setup.append(entry)
    return setup


def _passes(replay: Replay, action: str, before: list[dict[str, Any]]) -> dict[str, Any]:
    if action == "long_dark":
        return {"action": action, "plans": [], "returns": []}
    if action == "mirror_pass":
        return {"action": action, "stage": 1 + sum(step["action"] == action for step in before), "gave": {}}
    return {"action": action, "gave": {}}


def _pass_entry(entry: dict[str, Any], giver: int, receiver: int, card: str, answer: bool) -> None:
    if entry["action"] == "long_dark":
        entry["returns" if answer else "plans"].append([giver, receiver, card])
        return
    if entry["action"] == "simultaneous_exchange" and "seat" not in entry:
        entry["seat"], entry["with"] = giver, []
    if entry["action"] == "simultaneous_exchange" and giver == entry["seat"]:
        entry["with"].append(receiver)
    entry["gave"].setdefault(str(giver), {})[str(receiver)] = card


def _seats(mask: int) -> list[int]:
    return [i for i in range(64) if mask >> i & 1]


def _tricks(replay: Replay) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    trick: dict[str, Any] = {}
    turned = revealed_cards(replay.scenario.event) if replay.scenario.event is not None else []
    started = False
    for event, seat, a, b, c, *_ in replay.events():
        if event == t.LOG_START:
            started = True
            trick = _ahead(replay)
        elif event == t.LOG_UNTUCKED:
            trick["untuck"] = seat
        elif event == t.LOG_NAMED:
            trick["pass_lead"] = [seat, a]
        elif event == t.LOG_FETCHED:
            trick["fetch"] = {"seat": seat, "with": a, "gave": replay.cards(b)[0], "got": replay.cards(c)[0]}
        elif event == t.LOG_SWAPPED and started:
            trick["fetch"] = {"seat": seat, "with": None, "gave": replay.cards(a)[0], "got": " ".join(replay.cards(b))}
        elif event == t.LOG_FREED:
            trick["free"] = seat
        elif event == t.LOG_REVEAL:
            trick.setdefault("reveal", []).append(turned[seat])
        elif event == t.LOG_PLAY:
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
                    "winner": seat - 1 if seat else None,
                    "legal": trick["legal"],
                    **{name: trick[name] for name in ("reveal", "pass_lead", "untuck", "fetch", "free") if name in trick},
                }
            )
            trick = {}
        elif event == t.LOG_DRAW:
            found[-1].setdefault("draws", []).append([seat, replay.cards(a)[0]])
    return found


def _ahead(replay: Replay) -> dict[str, Any]:
    """Return the first trick as it begins: with the card that was laid ahead, if there is one."""
    trick: dict[str, Any] = {}
    for event, seat, a, b, *_ in replay.events():
        if event == t.LOG_AHEAD:
            trick = {"plays": [[seat, replay.cards(a)[0]]], "legal": [replay.cards(a)], "one_ring_wins": b == 2}
    return trick


def _aside(steps: dict[str, dict[str, Any]], action: str, seat: int, name: str) -> Any:
    """Return an entry of the step that a seat did, None when it did not."""
    step = steps.get(action)
    return step[name] if step is not None and step["seat"] == seat else None


def _curse(replay: Replay, seat: int) -> str | None:
    if replay.scenario.wandering is not None and int(replay.public.cursed) == seat:
        return replay.scenario.wandering[0]
    found = replay.scenario.curses.get(replay.character(seat))
    return found[0] if found is not None and replay.players in found[1].players else None


def _more_required(replay: Replay) -> bool:
    """Return whether characters must be chosen that other rounds of the kind do not require."""
    usual = sum(1 << role for role, entry in enumerate(replay.scenario.roster) if entry.required)
    return int(replay.rules.required) != usual


def finished_record(replay: Replay) -> dict[str, Any]:
    """Return the record of a replay that was played to its end."""
    public, hidden = replay.public, replay.hidden
    seats = range(replay.seats)
    pyramid = int(public.pyramid)
    selection: list[dict[str, Any]] = []
    for row in replay.events():
        if row[0] == t.LOG_CHOSE:
            chosen: dict[str, Any] = {"seat": row[1], "chosen": replay.scenario.roster[row[2]].character}
            options = {"options": [replay.scenario.roster[role].character for role in _seats(row[3])]}
            # Whom the last round of a chapter still needs, the record of this round cannot say.
            selection.append(chosen if _more_required(replay) else chosen | options)
    setup = _setup_steps(replay)
    aside = {step["action"]: step for step in setup if step["action"] in ("tuck", "reserve", "preplay", "sword", "declare")}
    failed_event = int(public.event_failed)
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
    if replay.pile:
        only_here["barrow"] = replay.pile
    if replay.scenario.kind:
        only_here["kind"] = replay.scenario.kind
    return {
        "game": "fellowship",
        "chapter": int(chapter) if chapter.isdigit() else chapter,
        "players": replay.players,
        "round": replay.standing.number if replay.standing else replay.round,
        **({"attempt": replay.standing.attempt} if replay.standing else {}),
        "event": replay.scenario.event_key or None,
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
                "tucked": _aside(aside, "tuck", s, "card"),
                "threat": (int(public.threat[s]) or None) if _aside(aside, "sword", s, "value") is None else None,
                "declared": _aside(aside, "declare", s, "value") or _aside(aside, "sword", s, "value"),
                "curse": _curse(replay, s),
                "reserved": _aside(aside, "reserve", s, "card"),
                **({"preplayed": aside["preplay"]["card"]} if _aside(aside, "preplay", s, "card") else {}),
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
        "failed_event": replay.scenario.event_key if failed_event else None,
        **({"event_failed_at": failed_event} if failed_event else {}),
        "stopped_early": False,
        "left": replay.hands(),
        "won": all(int(v) == t.MET for v in hidden.verdict[: replay.seats]),
    }
