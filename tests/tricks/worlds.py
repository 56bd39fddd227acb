"""Other worlds that one person cannot tell from the real one.

A round is played and every decision is kept with all that the policy was handed. For one decision, the cards that the
deciding person has never seen are dealt out anew among the places where they may lie, exchanges between other people may
go otherwise, and the round is played again: everybody does what the person saw them do. Where the person then stands
before the same decision, all that the policy is handed must be the same, byte for byte.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from scenarios import Scenario
from sim.tricks import decisions, engine
from sim.tricks import table as t
from sim.tricks.replay import Replay
from sim.tricks.rules import FEWER, MORE
from sim.tricks.view import VIEW, look

from .games import PLAYOUTS

SCRATCH = VIEW.names[VIEW.names.index("prepared") :]
"""The fields of a view in which policies keep, for the length of a trick, what follows from the open table."""
Key = tuple[int, int, int, int]
"""Kind of decision, whose seat, after how many tricks, the how manyth of its like."""
Cell = tuple[Scenario, int, str, int, int]
"""Scenario, players, policy, seed, deal."""


@dataclass
class Decision:
    """One question to a policy: what it was handed, and what it said."""

    key: Key
    person: int
    parties: set[int]
    """The people who see what is decided in secret (both ends of an exchange)."""
    handed: dict[str, bytes]
    """The fields of the records that it was handed, by `record.field`."""
    stream: bytes
    """The policy's own random stream."""
    answer: int
    answer_afresh: int
    """The answer when nothing is left in the view from earlier decisions."""
    seen: int
    """The cards, as a mask, that the person has seen so far."""
    places: dict[str, list[int]]
    """Where the cards lie that somebody might not see: `seat0` ... and `deck`, slots; `voids`: per seat the mask of cards
    that it has shown not to hold; `pile`, `tucked`, `blind`, and under `lacking` the masks of cards that cannot lie in each of
    these three."""
    secrets: int
    """The seats (mask) whose threat or declaration the person does not see."""


def members(mask: int) -> list[int]:
    """Return the slots of a mask."""
    return [slot for slot in range(64) if mask >> slot & 1]


def relabelled(mask: int, swap: dict[int, int]) -> int:
    """Return a mask with its cards exchanged for others."""
    return sum(1 << swap.get(slot, slot) for slot in members(mask))


def set_record(record: Any, content: bytes) -> None:
    """Overwrite a record with what `tobytes` gave."""
    there = np.frombuffer(content, record.dtype)[0]
    for field in record.dtype.names:
        record[field] = there[field]


class Game:
    """A round that is played decision by decision."""

    def __init__(self, cell: Cell, swap: dict[int, int] | None = None) -> None:
        """Deal a round; `swap` exchanges cards (slot -> slot) after the deal."""
        self.replay = Replay(*cell, playouts=PLAYOUTS)
        self.players = self.replay.players
        self.rules, self.public, self.log = self.replay.rules, self.replay.public, self.replay.log
        self.privates, self.hidden = self.replay.privates, self.replay.hidden
        self.view, self.luck, self.choices = self.replay._view, self.replay._luck, self.replay._choices
        self.view.prepared = -1
        seats = range(int(self.public.seats))
        if swap:
            for seat in seats:
                self.privates.hand[seat] = np.uint64(relabelled(int(self.privates.hand[seat]), swap))
            for cards in (self.hidden.order, self.hidden.slot_card, self.hidden.pile_order):
                for index, slot in enumerate(cards):
                    cards[index] = swap.get(int(slot), int(slot))
            self.hidden.pile = np.uint64(relabelled(int(self.hidden.pile), swap))
        self.dealt = [int(self.privates.hand[seat]) for seat in seats]
        self.faces = 0
        self.counts: Counter[tuple[int, int, int]] = Counter()

    def advance(self) -> bool:
        """Go on to the next decision; False at the end of the round."""
        due = bool(engine.advance(self.rules, self.public, self.privates, self.hidden, self.luck, self.log))
        self.faces |= int(np.bitwise_or.reduce(self.public.shown))
        if due:
            look(self.rules, self.public, self.privates, self.hidden, self.view)
            self.counts[self.key[:3]] += 1
        return due

    def apply(self, answer: int) -> None:
        """Carry out the decision that is due."""
        engine.apply(self.rules, self.public, self.privates, self.hidden, answer, self.log)

    @property
    def key(self) -> Key:
        """The key of the decision that is due."""
        like = int(self.view.pending), int(self.view.seat), int(self.public.trick)
        return *like, self.counts[like]

    def person(self, seat: int) -> int:
        """Return who decides for a seat."""
        return 0 if self.players == 1 else int(self.public.controller[seat])

    def events(self) -> list[list[int]]:
        """Return what has happened."""
        return [[int(number) for number in row] for row in self.log.row[: int(self.log.rows)]]

    def plays(self) -> list[tuple[int, int]]:
        """Return (seat, card) of the cards played so far, the card as a mask."""
        return [(seat, card) for event, seat, card, *_ in self.events() if event == t.LOG_PLAY]

    def seen(self, person: int) -> int:
        """Return the cards that a person has seen since the deal, as a mask."""
        cards = self.dealt[person] | self.faces | int(self.public.first_lost) | int(self.rules.holder_card)
        cards |= int(self.public.played) | int(self.public.in_trick)
        pyramid = int(self.public.pyramid)
        cards |= int(self.privates.hand[person]) | int(self.view.out) | int(self.view.tucked) | int(self.view.face_down)
        cards |= int(self.public.reserved) | int(self.public.ahead) | int(self.public.under)
        for event, seat, a, b, c, *_ in self.events():
            if event == t.LOG_PASSED and (person in (self.person(seat), self.person(a)) or pyramid in (seat, a)):
                cards |= b
            elif event == t.LOG_SWAPPED:
                cards |= a | b
            elif event in (t.LOG_PILE, t.LOG_TUCKED) and person == self.person(seat):
                cards |= a
            if event in (t.LOG_EXCHANGE, t.LOG_FETCHED) and (
                person in (self.person(seat), self.person(a)) or pyramid in (seat, a)
            ):
                cards |= b | c
            elif event == t.LOG_GAVE and (person in (self.person(seat), self.person(a)) or pyramid in (seat, a)):
                cards |= b
        return cards | (1 << int(self.view.received) if self.view.received >= 0 else 0)

    def places(self) -> dict[str, list[int]]:
        """Return `Decision.places` as they are now."""
        found = {f"seat{seat}": members(int(self.privates.hand[seat])) for seat in range(int(self.public.seats))}
        dealing = self.players == 1 or int(self.hidden.stage) == decisions.DEALING
        drawing = range(int(self.hidden.next_draw), int(self.hidden.draw_end)) if dealing else ()
        found["deck"] = [int(self.hidden.order[index]) for index in drawing]
        found["pile"] = members(int(self.hidden.pile))
        found["tucked"] = [int(self.privates.tucked)] if self.public.tucked >= 0 else []
        found["blind"] = [int(self.hidden.blind_card)] if self.hidden.blind_card >= 0 else []
        everything, named = int(self.rules.deck), int(self.public.blind_suit)
        suit = int(self.rules.suit_mask[named]) & ~int(self.rules.declaring) if named >= 0 else everything
        found["lacking"] = [int(self.rules.pile_not), 0, everything & ~suit]
        found["voids"] = [int(mask) for mask in self.public.voids]
        return found

    def ask(self) -> Decision:
        """Return the decision that is due with the policy's answer to it."""
        handed = {"rules": self.rules, "public": self.public, "view": self.view}
        fields = {f"{name}.{field}": record[field].tobytes() for name, record in handed.items() for field in record.dtype.names}
        fields = {name: value for name, value in fields.items() if name.removeprefix("view.") not in SCRATCH}
        stream = self.choices.tobytes()
        person = self.person(int(self.view.seat))
        parties = {person}
        if self.view.partner >= 0:
            parties.add(self.person(int(self.view.partner)))
        answer, left, stream_left = self._choose(), self.view.tobytes(), self.choices.tobytes()
        for field in SCRATCH:
            self.view[field] = np.zeros_like(self.view[field])
        self.view.prepared = -1
        set_record(self.choices, stream)
        afresh = self._choose()
        set_record(self.view, left)
        set_record(self.choices, stream_left)
        secrets = sum(1 << seat for seat in members(int(self.public.secret)) if self.person(seat) != person)
        return Decision(self.key, person, parties, fields, stream, answer, afresh, self.seen(person), self.places(), secrets)

    def alter_secrets(self, secrets: int, chance: random.Random) -> bool:
        """Give the seats of a mask other threats and declarations than they had; returns whether any is another."""
        altered = False
        for seat in members(secrets & int(self.public.secret)):
            role = int(self.public.character[seat])
            left = members(int(self.hidden.threats_left))
            cursed = self.rules.curse_hides and self.public.cursed == seat
            if (int(self.rules.secret_roles) >> role & 1 or cursed) and left:
                old, new = int(self.privates.threat[seat]), chance.choice(left)
                self.privates.threat[seat] = new
                self.hidden.threats_left ^= np.uint64(1 << old | 1 << new)
                altered = True
            if int(self.rules.secret_ways) >> role & 1:
                self.privates.way[seat] = chance.choice((FEWER, MORE))
                altered = True
        return altered

    def _choose(self) -> int:
        return self.replay._search() if self.replay.policy == "search" else self.replay._choose()


@dataclass
class Original:
    """A round as a policy played it."""

    cell: Cell
    decisions: list[Decision]
    plays: list[tuple[int, int]]


def play_original(cell: Cell) -> Original:
    """Play a round by its policy and keep every decision."""
    game = Game(cell)
    decisions = []
    while game.advance():
        decisions.append(game.ask())
        game.apply(decisions[-1].answer)
    return Original(cell, decisions, game.plays())


def deal_anew(decision: Decision, chance: random.Random) -> dict[int, int]:
    """Return a permutation of the cards that the person of a decision has not seen, true to what it saw others lack."""
    lacking = {}
    odd = dict(zip(("pile", "tucked", "blind"), decision.places["lacking"], strict=True))
    for place, cards in decision.places.items():
        if place not in ("voids", "lacking"):
            for slot in cards:
                if not decision.seen >> slot & 1:
                    lacking[slot] = decision.places["voids"][int(place[4:])] if place.startswith("seat") else odd.get(place, 0)
    holds = {slot: slot for slot in lacking}
    slots = list(lacking)
    for _ in range(3 * len(slots)):
        a, b = chance.choice(slots), chance.choice(slots)
        if not (lacking[a] >> holds[b] & 1 or lacking[b] >> holds[a] & 1):
            holds[a], holds[b] = holds[b], holds[a]
    return holds


def other_world(original: Original, number: int, chance: random.Random) -> tuple[Decision, bool] | None:
    """Return decision `number` as it comes up and is taken in another world, and whether that world differs.

    None when the world drawn does not fit what the person saw.
    """
    wanted = original.decisions[number]
    swap = deal_anew(wanted, chance)
    differs = any(old != new for old, new in swap.items())
    before = {decision.key: decision for decision in original.decisions[:number]}
    game = Game(original.cell, swap)
    secrets_due = wanted.secrets != 0 and chance.random() < 0.7
    while game.advance():
        if secrets_due and game.view.pending == engine.CARD:
            # Before the first card is played, so that all that follows from them is another.
            secrets_due = False
            differs |= game.alter_secrets(wanted.secrets, chance)
            look(game.rules, game.public, game.privates, game.hidden, game.view)
        if game.key == wanted.key:
            plays = game.plays()
            if plays != [(seat, relabelled(card, swap)) for seat, card in original.plays[: len(plays)]]:
                return None
            set_record(game.choices, wanted.stream)
            found = game.ask()
            # What was said aloud must have been said here too, and the person must have got the same cards.
            said = all(
                found.handed[name] == wanted.handed[name] for name in ("public.announced", "public.longest", "public.holder")
            )
            return (found, differs) if said and found.seen == wanted.seen else None
        told = before.get(game.key)
        options = int(game.view.options)
        if told is None:
            # In the real world there was no choice: what was played tells what was done.
            done = len(game.plays())
            if game.view.pending != engine.CARD or original.plays[done][0] != game.view.seat:
                return None
            answer = members(original.plays[done][1])[0]
        elif game.view.pending in (engine.CARD, decisions.TUCKED, decisions.FROM_PILE):
            answer = swap.get(told.answer, told.answer)
        elif game.view.pending in (engine.GIVEN, engine.RETURNED):
            answer = swap.get(told.answer, told.answer)
            seats = (int(game.view.seat), int(game.view.partner))
            # (A swap with the lost card is seen by all.)
            private = game.view.partner != game.view.seat
            if private and wanted.person not in told.parties and int(game.public.pyramid) not in seats and chance.random() < 0.5:
                other = chance.choice(members(options))
                differs |= other != answer
                answer = other
        else:
            answer = told.answer
        if not options >> answer & 1:
            return None
        game.apply(answer)
    return None
