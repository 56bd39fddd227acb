"""Random legal rounds by the referee's own rules, as records: `python -m referee.play 14 2 --rounds 5` in the folder `tests`."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping
from typing import Any

from .assumptions import DEFAULTS, chosen
from .cards import suit
from .chapters import FORCED, GROUPS, Chapter, chapter
from .preparation import Setup, selectable
from .referee import balrog_failures, prepare
from .roles import Action
from .table import Table

Entry = dict[str, Any]


def deal(sheet: Chapter, chance: random.Random) -> dict[str, Any]:
    """Return `dealt` by seat, `lost`, `draw_order` and `barrow` (section 2.1; solo: section 4)."""
    cards = list(sheet.deck)
    chance.shuffle(cards)
    barrow = []
    if sheet.barrow:
        barrow = [card for card in cards if suit(card) != "R"][: sheet.barrow]
    cards = [card for card in cards if card not in barrow]
    aside = [sheet.holder_card] if sheet.players == 1 else []
    cards = [card for card in cards if card not in aside]
    lost = [card for card in cards if card not in sheet.never_lost][: sheet.lost]
    cards = [card for card in cards if card not in lost]
    sizes = [sheet.hand] * sheet.seats
    holder = chance.randrange(sheet.seats) if aside else None
    dealt = []
    for seat, size in enumerate(sizes):
        own = aside if seat == holder else []
        dealt.append([*cards[: size - len(own)], *own])
        cards = cards[size - len(own) :]
    return {"dealt": dealt, "lost": lost, "draw_order": cards, "barrow": barrow}


def choose_characters(sheet: Chapter, holder: int | None, settings: Mapping[str, str], chance: random.Random) -> list[Entry]:
    """Return who takes whom, from the holder of the 1 of Rings clockwise; at random in the Mirror's chapter."""
    unclaimed = [name for name, _ in sheet.roster]
    if holder is None:
        chance.shuffle(unclaimed)
        return [{"seat": seat, "chosen": unclaimed[seat]} for seat in range(sheet.seats)]
    order = [(holder + step) % sheet.seats for step in range(sheet.seats)]
    entries = []
    for position, seat in enumerate(order):
        options = selectable(sheet, unclaimed, seat, seat == holder, order[position + 1 :], settings)
        name = chance.choice(options)
        entries.append({"seat": seat, "chosen": name, "options": options})
        unclaimed.remove(name)
    return entries


class RandomSetup(Setup):
    """Setup whose entries are made up at random where the record would be read."""

    def __init__(self, record: Entry, sheet: Chapter, settings: Mapping[str, str], chance: random.Random) -> None:
        """Lay out the cards as dealt."""
        super().__init__(record | {"setup": []}, sheet, settings)
        self.chance = chance
        self.written: list[Entry] = []
        self.action = Action("")
        self.stage = 0

    def run(self) -> None:
        """Play setup; `written` holds its entries afterwards."""
        for name in ("do_exchange", "do_draw_threat", "do_swap_lost"):
            setattr(self, name, self.noting(getattr(self, name)))
        super().run()

    def noting(self, method: Any) -> Any:
        """Return a method that first notes its action."""

        def noted(seat: int, action: Action) -> None:
            self.action = action
            method(seat, action)

        return noted

    def before(self) -> None:
        """Solo: the extra cards, and the choice of the one character that exchanges."""
        if self.players != 1:
            return
        for seat, role in enumerate(self.roles):
            if role.solo_extra:
                self.written.append({"seat": seat, "action": "solo_full_hand", "cards": self.draw_deck[: role.solo_extra]})
                self.extra_cards(seat, role.solo_extra, None)
        options = self.solo_options()
        if options:
            self.exchanger = self.chance.choice(options)
            self.written.append({"seat": 0, "action": "choose_solo_exchanger", "options": options, "chosen": self.exchanger})

    def next_is(self, action: str, seat: int | None = None) -> bool:
        """Return whether something optional is done."""
        if action == "exchange":
            return False
        return self.chance.random() < 0.5

    def skip(self, action: str, seat: int) -> None:
        """Leave remarks out."""

    def expect(self, action: str, seat: int | None = None) -> Entry:
        """Make up an entry and write it down."""
        entry = getattr(self, f"make_{action}")(seat)
        entry = ({} if seat is None else {"seat": seat}) | {"action": action} | entry
        self.written.append(entry)
        return entry

    def some(self, seat: int, count: int = 1, without: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
        """Return different cards that a seat may pass."""
        return self.chance.sample([card for card in self.passable(seat) if card not in without], count)

    def make_take_lost(self, seat: int) -> Entry:
        """All of them."""
        return {"cards": list(self.lost)}

    def make_take_barrow(self, seat: int) -> Entry:
        """The first five, which are as good as any."""
        return {"cards": (self.barrow or [])[:5]}

    def make_threat(self, seat: int) -> Entry:
        """Draw until the card of the number is not lost."""
        deck, rejected = list(self.threat_deck), []
        while True:
            value = self.chance.choice(deck)
            if not self.is_void(value, self.action):
                return {"value": value, "rejected": rejected}
            rejected.append(value)
            if self.settings["A14"] == "out":
                deck.remove(value)

    def make_redraw(self, seat: int) -> Entry:
        """Draw once more, or not."""
        return {"accepted": self.chance.random() < 0.5}

    def make_keep_threat(self, seat: int) -> Entry:
        """One of the two drawn last."""
        options = [entry["value"] for entry in self.written if entry["action"] == "threat" and entry["seat"] == seat][-2:]
        return {"options": options, "value": self.chance.choice(options)}

    def make_choose_threat(self, seat: int) -> Entry:
        """Any that is left."""
        return {"options": list(self.threat_deck), "value": self.chance.choice(self.threat_deck)}

    def make_declare(self, seat: int) -> Entry:
        """More or fewer."""
        return {"value": self.chance.choice(["more", "fewer"])}

    def make_sword(self, seat: int) -> Entry:
        """One of the pairs."""
        pairs = [[1, 2], [3, 4], [5, 6]]
        return {"options": pairs, "value": self.chance.choice(pairs)}

    def make_exchange(self, seat: int) -> Entry:
        """Any partner, any card, any card back; the same one, unless both choose at once."""
        partners = self.partners(seat, self.action)
        other = self.chance.choice(partners)
        gave = self.some(seat)[0]
        back = self.passable(other) + ([] if self.action.simultaneous else [gave])
        return {"with": other, "gave": gave, "got": self.chance.choice(back), "targets": partners}

    def make_simultaneous_exchange(self, seat: int) -> Entry:
        """A card to every partner, and one back."""
        partners = self.partners(seat, self.action)
        own = self.some(seat, len(partners))
        gave = {str(seat): {str(other): card for other, card in zip(partners, own, strict=True)}}
        return {"with": partners, "gave": gave | {str(other): {str(seat): self.some(other)[0]} for other in partners}}

    def make_pass_right(self, seat: int | None) -> Entry:
        """A card of everybody."""
        count = len(self.keys)
        return {"gave": {str(giver): {str((giver - 1) % count): self.some(giver)[0]} for giver in range(count)}}

    def make_mirror_pass(self, seat: int | None) -> Entry:
        """A card for everybody."""
        people = [other for other in self.seats if self.players != 2 or other != 2]
        self.stage += 1
        gave = {}
        for giver in people:
            others = [other for other in people if other != giver]
            gave[str(giver)] = dict(zip(map(str, others), self.some(giver, len(others)), strict=True))
        return {"stage": self.stage, "gave": gave}

    def make_long_dark(self, seat: int | None) -> Entry:
        """Partners and cards of all, then the cards back; none is used twice."""
        plans, used = [], set()
        for who, partners in self.planned:
            card = self.some(who, without=used)[0]
            used.add(card)
            plans.append([who, self.chance.choice(partners), card])
        returns = []
        for who, other, _ in plans:
            card = self.some(other, without=used)[0]
            used.add(card)
            returns.append([other, who, card])
        return {"plans": plans, "returns": returns}

    def make_horn(self, seat: int) -> Entry:
        """The suits of which there are most."""
        suits = [suit(card) for card in self.hands[seat].cards]
        return {"suits": sorted({letter for letter in suits if suits.count(letter) == max(map(suits.count, suits))})}

    def make_donate(self, seat: int) -> Entry:
        """The next seat that has got nothing yet."""
        given = [entry["to"] for entry in self.written if entry["action"] == "donate"]
        to = next(other for other in self.seats if other not in (seat, *given))
        return {"to": to, "card": self.some(seat)[0]}

    def make_tuck(self, seat: int) -> Entry:
        """Any card."""
        return {"card": self.some(seat)[0]}

    def make_reserve(self, seat: int) -> Entry:
        """Any card."""
        return {"card": self.some(seat)[0]}

    def make_preplay(self, seat: int) -> Entry:
        """Any card; the 1 of Rings wins or not."""
        card = self.some(seat)[0]
        return {"card": card, "one_ring_wins": card == self.chapter.declaring and self.chance.random() < 0.5}

    def make_exchange_lost(self, seat: int) -> Entry:
        """Any card that may be left lost."""
        return {"gave": self.chance.choice(self.buriable(seat)), "got": self.chance.choice(self.lost)}


def pyramid(setup: Setup, sheet: Chapter) -> list[Entry]:
    """Return the pyramid as records have it."""
    hand = setup.hands[2]
    free = [*hand.uncovered(), *(hand.everything() if setup.keys[2] == "goldberry" else [])]
    found = [
        {"row": row, "col": col, "card": card, "up": card in free or col in sheet.face_up[row]}
        for (row, col), card in sorted((hand.rows or {}).items())
    ]
    return found + [{"row": -1, "col": col, "card": card, "up": True} for col, card in enumerate(hand.cards)]


def first_leader(setup: Setup, holder: int | None) -> int:
    """Return who leads first: the one whose card says so, else Frodo, else the holder of the 1 of Rings."""
    for wanted in ("leads_first", "of_holder"):
        for seat, role in enumerate(setup.roles):
            if getattr(role, wanted):
                return seat
    assert holder is not None
    return holder


def play_tricks(table: Table, chance: random.Random, preplay_wins: bool) -> list[Entry]:
    """Play a round to its end at random and return its tricks."""
    tricks: list[Entry] = []
    balrog: list[str] = []
    while not table.over():
        trick: Entry = {}
        for seat in table.seats:
            if table.must_untuck(seat) or (table.tucked[seat] and chance.random() < 0.2):
                table.untuck(seat)
                trick["untuck"] = seat
        reveal = [chance.choice(table.forest)] if table.forest else []
        for _ in range(table.chapter.balrog_reveals):
            balrog = balrog or chance.sample(table.chapter.balrog, len(table.chapter.balrog))
            reveal.append(balrog.pop())
        leaders = table.leaders()
        leader = chance.choice(leaders)
        if len(leaders) > 1 and leader != table.tricks[-1]["winner"]:
            trick["pass_lead"] = [table.tricks[-1]["winner"], leader]
        plays: list[tuple[int, str]] = []
        legal = []
        laid = any(table.preplayed)
        for seat in table.turn_order(leader):
            legal.append(sorted(table.legal(seat, plays)))
            plays.append((seat, chance.choice(legal[-1])))
        declared = table.declaring in [card for _, card in plays] and chance.random() < 0.5
        if laid and plays[0][1] == table.declaring:
            declared = preplay_wins
        winner = table.winner(plays, declared, reveal[0] if table.chapter.forest else None)
        trick |= {
            "leader": leader,
            "plays": [list(play) for play in plays],
            "one_ring_wins": declared,
            "reveal": reveal,
            "winner": winner,
            "legal": legal,
        }
        drawn = table.finish_trick(plays, winner, reveal, leader)
        if table.players == 1:
            trick["draws"] = [list(draw) for draw in drawn]
        tricks.append(trick)
    return tricks


def play(
    number: int,
    players: int,
    chance: random.Random,
    event: str | None = None,
    group: str | None = None,
    assume: Mapping[str, str] | None = None,
) -> Entry:
    """Return a random legal round of a chapter as a record. Event and group are drawn when they are needed and not given.

    The record has all fields of the record format but `sealed`, and `curse_failures` and `mithril` as the peer has them.
    """
    settings = chosen(assume or {})
    if number == 14 and event is None:
        event = chance.choice(list(FORCED))
    if number == 18 and group is None:
        group = chance.choice(list(GROUPS))
    sheet = chapter(number, players, settings, event, group)
    cards = deal(sheet, chance)
    dealt = cards["dealt"]
    holder = next((seat for seat, hand in enumerate(dealt) if sheet.holder_card in hand), None)
    random_cast = sheet.mirror and players != 1
    selection = choose_characters(sheet, None if random_cast else holder, settings, chance)
    cast = {entry["seat"]: entry["chosen"] for entry in selection}
    seats = [
        {"character": cast[seat], "dealt": dealt[seat], "pyramid": players == 2 and seat == 2} for seat in range(sheet.seats)
    ]
    record: Entry = {
        "game": "fellowship",
        "chapter": number,
        "players": players,
        "event": event,
        "group": group,
        "assumptions": {name: option for name, option in settings.items() if option != DEFAULTS[name]},
        "selection": [] if random_cast else selection,
        "seats": seats,
        "lost": list(cards["lost"]),
        "draw_order": cards["draw_order"],
    }
    if sheet.barrow:
        record["barrow"] = cards["barrow"]
    if players == 2:
        places = [(row, col) for row, length in enumerate(sheet.pyramid) for col in range(length)]
        record["pyramid_dealt"] = [
            {"row": row, "col": col, "card": card, "up": col in sheet.face_up[row]}
            for (row, col), card in zip(places, dealt[2], strict=True)
        ]
    setup = RandomSetup(record, sheet, settings, chance)
    setup.run()
    if random_cast:
        holds = [seat for seat, hand in enumerate(setup.hands) if sheet.declaring in hand.everything()]
        holder = holds[0] if holds else None
    for seat, entry in enumerate(seats):
        entry |= {
            "hand": setup.hands[seat].everything(),
            "tucked": setup.tucked[seat],
            "threat": setup.threats[seat],
            "declared": setup.declared[seat],
            "curse": sheet.curses.get(cast[seat]),
            "reserved": setup.reserved[seat],
            "preplayed": setup.preplayed[seat],
            "retained": setup.retained[seat],
            "gifts": sheet.gifts.get(cast[seat], []),
        }
    record |= {
        "lost_at_play": setup.lost,
        "setup": setup.written,
        "solo_exchanger": setup.exchanger,
        "first_leader": first_leader(setup, holder),
        "tricks": [],
    }
    if players == 2:
        record["pyramid_at_play"] = pyramid(setup, sheet)
    found: list[str] = []
    table = prepare(record | {"curse_failures": []}, None, {}, found)
    assert not found, found
    record["tricks"] = play_tricks(table, chance, setup.preplay_wins)
    finish(record, table, chance)
    return record


def finish(record: Entry, table: Table, chance: random.Random) -> None:
    """Write down how the round ended."""
    goals = table.verdicts()
    failed = [seat for seat, goal in enumerate(goals) if not goal]
    curses = [{"seat": seat, "curse": curse, "trick": trick} for seat, curse, trick in table.curses_broken()]
    balrog = balrog_failures(record, table)
    offers = []
    if table.chapter.mithril and len(failed) == 1 and not curses and not balrog:
        accept = chance.random() < 0.5
        offers = [{"seat": failed[0], "after_trick": len(table.tricks), "final": True, "accept": accept}]
    saved = [offer["seat"] for offer in offers if offer["accept"]]
    record |= {
        "goals": goals,
        "curse_failures": curses,
        "mithril": offers,
        "failed_event": "balrog" if balrog else None,
        "balrog_failed_tricks": balrog,
        "left": [table.left(seat) for seat in table.seats],
        "stopped_early": False,
        "won": not curses and not balrog and all(seat in saved for seat in failed),
    }


def main() -> None:
    """Print rounds, one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapter", type=int)
    parser.add_argument("players", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--event", choices=list(FORCED))
    parser.add_argument("--group", choices=list(GROUPS))
    parser.add_argument("--assume", action="append", default=[], metavar="A3=no")
    told = parser.parse_args()
    assume = dict(item.split("=", 1) for item in told.assume)
    for number in range(told.rounds):
        chance = random.Random(f"{told.seed} {told.chapter} {told.players} {number}")
        print(json.dumps(play(told.chapter, told.players, chance, told.event, told.group, assume)))


if __name__ == "__main__":
    main()
