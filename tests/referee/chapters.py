"""The chapters of sections 6 to 23 of the rules: who may play, what is dealt, what an event changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .cards import ONE_RING, cards_of
from .roles import (
    ROLES,
    TAKE_LOST,
    Action,
    Role,
    every_rank,
    exchange,
    four_mountains_in_a_row,
    hill_mountain_forest,
    one_of_the_pair,
)

STANDARD = cards_of("HMFS") + cards_of("R", 5)

ROSTERS: dict[int, str] = {
    # `*`: starred, must be picked.
    1: "frodo* bilbo* gandalf pippin",
    2: "frodo* sam* merry* gandalf pippin",
    3: "frodo* farmer_maggot* gildor_inglorion* sam merry pippin",
    4: "frodo* fatty_bolger* merry* sam pippin",
    5: "frodo* tom_bombadil* sam merry pippin",
    6: "frodo* tom_bombadil* goldberry* sam merry pippin",
    7: "mr_underhill* barliman_butterbur* sam merry pippin",
    8: "frodo* merry* strider* sam pippin barliman_butterbur",
    9: "glorfindel* frodo sam merry pippin strider bill_the_pony",
    10: "elrond* bilbo_baggins* gloin arwen gandalf",
    11: "frodo* aragorn* boromir* gloin bilbo_baggins",
    12: "gandalf* radagast shadowfax gwaihir",
    13: "frodo* gandalf aragorn legolas gimli boromir sam merry pippin bill_the_pony",
    14: "frodo* gandalf aragorn legolas gimli boromir sam merry pippin",
    15: "gimli* haldir* orophin_rumil* legolas",
    16: "frodo* galadriel* celeborn* sam",
    17: "frodo* aragorn legolas gimli boromir sam merry pippin galadriel celeborn",
}
GROUPS = {
    # Section 23.
    "first_group": "frodo* boromir_son_of_denethor* samwise_gamgee aragorn_son_of_arathorn",
    "second_group": "meriadoc_brandybuck* peregrin_took* legolas_greenleaf gimli_son_of_gloin",
}
FORCED = {
    # Section 19: the character that an event of Moria needs.
    "doors_of_durin": "gandalf",
    "balins_tomb": "gimli",
    "long_dark": "aragorn",
    "bridge_of_khazad_dum": "gandalf_servant",
}

# Section 2.1: cards a hand, lost cards, draw deck, barrow; by number of people.
STANDARD_DEAL = {1: (4, 1, 20, 0), 2: (12, 1, 0, 0), 3: (12, 1, 0, 0), 4: (9, 1, 0, 0)}
WITHOUT_A_SUIT = {1: (4, 1, 12, 0), 2: (9, 2, 0, 0), 3: (9, 2, 0, 0), 4: (7, 1, 0, 0)}
BARROW_DEAL = {1: (4, 0, 16, 5), 2: (9, 0, 0, 10), 3: (9, 0, 0, 10), 4: (8, 0, 0, 5)}
RIVER_DEAL = {1: (4, 1, 28, 0), 2: (14, 1, 0, 0), 3: (14, 1, 0, 0), 4: (11, 1, 0, 0)}

# Section 5: rows of the pyramid from the bottom, and which of their cards lie face up.
PYRAMIDS: dict[int, tuple[list[int], list[list[int]]]] = {
    12: ([5, 4, 3], [[0, 1, 2, 3, 4], [], [0, 2]]),
    9: ([4, 3, 2], [[0, 1, 2, 3], [], []]),
    14: ([5, 4, 3, 2], [[0, 1, 2, 3, 4], [], [0, 2], []]),
}


@dataclass
class Chapter:
    """A chapter (with its event or group) for a number of people; all that setup, play and goals ask for."""

    number: int | None
    players: int
    seats: int
    hand: int = 0
    lost: int = 1
    draw_deck: int = 0
    barrow: int = 0
    deck: list[str] = field(default_factory=lambda: list(STANDARD))
    roles: dict[str, Role] = field(default_factory=lambda: dict(ROLES))
    roster: list[tuple[str, bool]] = field(default_factory=list)
    """Who may be chosen, and whether he must be."""
    threats: list[int] = field(default_factory=list)
    never_lost: list[str] = field(default_factory=lambda: [ONE_RING])
    pyramid: list[int] = field(default_factory=list)
    face_up: list[list[int]] = field(default_factory=list)
    declaring: str = ONE_RING
    """The card that may be declared to win its trick."""
    holder_card: str = ONE_RING
    """The card whose holder picks first."""
    holder_is_free: bool = False
    """Chapter 9: the holder may leave Frodo and take somebody else."""
    locked: set[str] = field(default_factory=lambda: {"R"})
    """Suits that may not be led until one of their cards was played."""
    trumps: set[str] = field(default_factory=set)
    forest: list[str] = field(default_factory=list)
    """Chapter 5: the deck of Old Man Willow."""
    balrog: list[str] = field(default_factory=list)
    balrog_reveals: int = 0
    event: str | None = None
    curses: dict[str, str] = field(default_factory=dict)
    gifts: dict[str, list[str]] = field(default_factory=dict)
    mithril: bool = False
    mirror: bool = False
    """Characters at random, cards passed to everybody at once while they are dealt."""
    never_pyramid: list[str] = field(default_factory=list)
    """Whom the pyramid cannot be."""
    simultaneous: bool = False
    """The Long Dark: all exchanges at once, at the end of setup."""
    horn: bool = False
    nothing_needed_buried: bool = False
    """Galadriel may not leave a card lost that a number drawn so far needs."""
    bare: bool = False
    """No chapter at all: judged from the hands at play on."""

    @property
    def starred(self) -> list[str]:
        """The characters that must be picked."""
        return [name for name, starred in self.roster if starred]


def no_chapter(seats: int, players: int) -> Chapter:
    """Return what holds for a record that names no chapter: all characters, the whole deck."""
    hand = {3: 12, 4: 9}[seats]
    return Chapter(None, players, seats, hand, threats=list(range(1, 8)), bare=True)


def roster(text: str) -> list[tuple[str, bool]]:
    """Return names, and whether they carry a star."""
    return [(name.rstrip("*"), name.endswith("*")) for name in text.split()]


def chapter(
    number: int, players: int, settings: Mapping[str, str], event: str | None = None, group: str | None = None
) -> Chapter:
    """Return a chapter. `event`: that of chapter 14. `group`: that of chapter 18."""
    found = Chapter(number, players, seats=4 if players in (1, 4) else 3, event=event)
    found.roster = roster(GROUPS[group or "first_group"] if number == 18 else ROSTERS[number])
    roles = found.roles

    # Section 2.6.
    if 2 <= number <= 9:
        found.threats = [1, 2, 3, 4]
    elif 13 <= number <= 18:
        found.threats = [1, 2, 3, 4, 5, 6, 7]

    # Section 25.
    if settings["A1"] == "one":
        roles["glorfindel"] = replace(roles["glorfindel"], setup=(TAKE_LOST, exchange(simultaneous=True)))
    elif settings["A1"] == "none":
        roles["glorfindel"] = replace(roles["glorfindel"], setup=(TAKE_LOST,))
    if settings["A2"] == "gimli_or_legolas":
        for name in ("aragorn", "aragorn_son_of_arathorn"):
            first = roles[name].setup[0]
            roles[name] = replace(roles[name], setup=(first, exchange("gimli", "legolas")))

    deal = STANDARD_DEAL
    if number == 5:
        deal = WITHOUT_A_SUIT
        found.deck = cards_of("HMS") + cards_of("R", 5)
        found.forest = [*cards_of("F"), "F9"]
    elif number == 6:
        deal = BARROW_DEAL
        roles["tom_bombadil"] = replace(roles["tom_bombadil"], setup=(Action("take_barrow"), exchange("frodo")))
    elif number == 8:
        found.curses = {"frodo": "morgul_knife", "merry": "black_breath"}
    elif number == 9:
        found.holder_is_free = True
        found.curses = {"frodo": "morgul_knife", "merry": "black_breath", "pippin": "wraith", "sam": "terror"}
        if players != 1:
            found.curses["strider"] = "unseen"
    elif number == 11:
        found.gifts = {"aragorn": ["broken_sword"], "boromir": ["horn_of_gondor"]}
        found.horn = players != 1
        partner = roles["aragorn"].setup[1]
        roles["aragorn"] = replace(roles["aragorn"], goal=one_of_the_pair, setup=(Action("sword"), partner))
    elif number == 12:
        roles["gandalf"] = replace(roles["gandalf"], goal=every_rank, leads_first=True)
    elif number == 13 and settings["aragorn_in_13"] == "no":
        found.roster = [(name, star) for name, star in found.roster if name != "aragorn"]
    elif number == 14:
        deal = moria(found, settings, event)
    elif number == 15:
        found.never_pyramid = ["gimli"]
    elif number == 16:
        found.mirror = True
        found.nothing_needed_buried = True
        if players != 1:
            found.never_lost = []
        if found.seats == 3:
            found.roster = [(name, star) for name, star in found.roster if name != "sam"]
    if number == 17 or (number == 18 and settings["A4"] == "yes"):
        deal = RIVER_DEAL
        found.deck = found.deck + cards_of("V", 8 if players in (1, 4) else 6)
        if number == 17:
            found.trumps = {"V"}
    if number in (13, 14, 17):
        found.mithril = True
        found.gifts = {"frodo": ["mithril_shirt"]}
    found.hand, found.lost, found.draw_deck, found.barrow = deal[players]
    if players == 2:
        rows, face_up = PYRAMIDS[found.hand]
        found.pyramid, found.face_up = rows, [list(row) for row in face_up]
        if found.hand == 9 and settings["A8"] == "up":
            found.face_up[2] = [0, 1]
    return found


def moria(found: Chapter, settings: Mapping[str, str], event: str | None) -> dict[int, tuple[int, int, int, int]]:
    """Change chapter 14 to one of its events (section 19) and return its deal."""
    roles = found.roles
    if event is not None:
        forced = FORCED[event]
        names = [("gandalf_servant" if forced == "gandalf_servant" and name == "gandalf" else name) for name, _ in found.roster]
        found.roster = [(name, name in ("frodo", forced)) for name in names]
    if event == "doors_of_durin":
        roles["gandalf"] = replace(roles["gandalf"], goal=hill_mountain_forest)
    elif event == "balins_tomb":
        roles["gimli"] = replace(roles["gimli"], goal=four_mountains_in_a_row, setup=roles["gimli"].setup[1:])
    elif event == "long_dark":
        found.simultaneous = found.players != 1
    elif event == "bridge_of_khazad_dum":
        found.deck = cards_of("HMF") + cards_of("R", 5)
        found.balrog = [*cards_of("S"), f"B{settings['A5']}"]
        found.balrog_reveals = 2 if found.players in (2, 3) else 3
        return WITHOUT_A_SUIT
    return STANDARD_DEAL
