"""The shape of scenario files: books, chapters, characters, goals, setup actions, all with their sources.

A struct here is one table of a TOML file. Everything is validated by msgspec: unknown keys, wrong
types and values outside a Literal are errors, which `scenarios.loader` turns into one line each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

PositiveInt = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
CardSet = Annotated[str | list[str], Meta(description="a card set (R, H3, F1-8, *8, H{threat}, all) or a list of these")]
"""Cards by suit and rank: `R`, `H3`, `F1-8`, `*8` (every suit), `H{threat}`, `*{threat}`, `all`; or a list of these."""

Target = Annotated[
    Count | Annotated[str, Meta(pattern=r"^threat([+-]1)?$")] | dict[str, Count],
    Meta(description="a number from 0, threat, threat+1, threat-1, or a table by players such as { 1 = 4, 2 = 4, 3 = 4, 4 = 2 }"),
]
"""A number; `threat`, `threat+1` or `threat-1`; or a table from the number of players to a number."""

Measure = Literal[
    "tricks",
    "cards",
    "tricks_with",
    "tricks_without",
    "streak",
    "distinct_ranks",
    "same_rank",
    "run",
    "last_card",
    "kept_suit",
    "leads",
]
Action = Literal[
    "take_lost",
    "draw_threat",
    "choose_threat",
    "exchange",
    "give_each",
    "pass_right",
    "show_hand",
    "tuck",
    "set_aside",
    "swap_lost",
]


class Strict(Struct, forbid_unknown_fields=True, frozen=True):
    """Base of every table: a misspelt key is an error."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"source"})
    """The fields that say nothing about play: they do not count in the hash of a scenario."""


class Term(Strict, frozen=True, kw_only=True):
    """One part of a goal: a measure compared with a target. A goal is met when all its terms are."""

    measure: Measure
    cards: CardSet | None = None
    """The cards that the measure looks at; needed by all measures but tricks, streak and kept_suit."""
    last: PositiveInt | None = None
    """tricks: only those among the last so many."""
    at_least: Target | None = None
    at_most: Target | None = None
    exactly: Target | None = None
    compare: Literal["fewest", "most", "between"] | None = None
    """Instead of a target: the measure against that of all other seats."""
    ties: bool = False
    """Whether `fewest` or `most` is also met when shared."""
    of: Literal["self", "each_other", "each"] = "self"
    """Whose measure: the character's own, that of every other seat, or that of every seat."""
    source: str = ""


class SetupAction(Strict, frozen=True, kw_only=True):
    """One thing that a character does before play, in the order of its setup."""

    do: Action
    with_: str | list[str] = field(default="", name="with")
    """exchange: the identities that may be partners, or `any`."""
    except_: list[str] = field(default_factory=list, name="except")
    """exchange: identities that may not be partners."""
    times: PositiveInt = 1
    simultaneous: bool = False
    each: bool = False
    """exchange: with every partner at once."""
    redraw_if_lost: str = ""
    """draw_threat: the suits (letters) in which a lost card of the drawn rank makes the threat void."""
    keep: PositiveInt = 1
    draw: PositiveInt = 1
    source: str = ""


class Lending(Strict, frozen=True, kw_only=True):
    """Cards won by this character that also count for another one."""

    to: str
    cards: CardSet
    source: str = ""


class SoloChange(Strict, frozen=True, kw_only=True):
    """What one person playing four open hands does otherwise with this character."""

    extra_cards: Count = 0
    """Cards from the draw deck before setup."""
    refill: bool = True
    """Whether the hand draws a card after each trick."""
    source: str = ""


class Character(Strict, frozen=True, kw_only=True):
    """A role: what it does in setup and what it has to reach."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"name", "card", "text", "source"})

    name: str
    goal: Annotated[list[Term], Meta(min_length=1)]
    setup: list[SetupAction] = []
    identity: str = ""
    """The name that exchange partners match; the character's own key when empty."""
    taken_with: str = ""
    """A card whose holder, and nobody else, takes this character."""
    keeps: CardSet = []
    """Cards that this character may not pass to anybody in setup."""
    leads_first: bool = False
    names_leader: bool = False
    """Whether this character may name another seat to lead when it would lead after winning a trick."""
    lends: list[Lending] = []
    solo: SoloChange = SoloChange()
    card: str = ""
    """The number printed on the card."""
    text: str = ""
    """The goal in one line, in our words."""
    source: str = ""


class Suit(Strict, frozen=True, kw_only=True):
    """A suit of the deck, lowest rank first in slot order."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"name", "source"})

    name: str
    lead_locked: bool = False
    """Whether the suit may not be led before one of its cards was played to a trick."""
    source: str = ""


class Deck(Strict, frozen=True, kw_only=True):
    """A named set of cards."""

    cards: list[str]
    source: str = ""


class ThreatDeck(Strict, frozen=True, kw_only=True):
    """The numbers of a threat deck."""

    values: list[Annotated[int, Meta(ge=1, le=15)]]
    source: str = ""


class Pyramid(Strict, frozen=True, kw_only=True):
    """The open hand of a game with two people. Rows from the bottom; card (row, i) lies under (row-1, i) and (row-1, i+1)."""

    rows: list[PositiveInt]
    face_up: list[list[Count]]
    source: str = ""


class DealSize(Strict, frozen=True, kw_only=True):
    """How many cards go where, for one number of players."""

    seats: PositiveInt
    hand: PositiveInt
    lost: Count = 1
    draw_deck: Count = 0
    """Solo: cards left for the refills."""
    pyramid: str = ""
    """Two players: the layout of the third seat's hand."""


class Deal(Strict, frozen=True, kw_only=True):
    """The deal sizes of a chapter, by number of players (`1` to `4`)."""

    players: dict[str, DealSize]
    source: str = ""


class HouseRules(Strict, frozen=True, kw_only=True):
    """Points where rule books, implementations or groups differ; assumptions set them."""

    declare: Literal["at_play", "after_trick"] = "at_play"
    """When the player of the declaring card says whether it wins."""
    take_lost: Literal["compulsory", "optional"] = "compulsory"
    first_without_bearer: Literal["holder", "left_of_holder"] = "holder"
    """Who acts first in setup when no character is bound to a card."""
    rejected_threat: Literal["out", "shuffled_back"] = "out"
    solo_selection: Literal["free", "required_first"] = "free"


class Assumption(Strict, frozen=True, kw_only=True):
    """A named question on which sources disagree, with our default and the alternatives."""

    question: str
    default: str
    options: dict[str, dict[str, str]]
    """Option name -> the house rules that it sets."""
    affects: str
    source: str


class RosterEntry(Strict, frozen=True, kw_only=True):
    """A character that may be chosen in a chapter."""

    character: str
    required: bool = False
    source: str = ""


class Book(Strict, frozen=True, kw_only=True):
    """What the chapters of one book share."""

    schema: Literal[1]
    name: str
    title: str
    sources: dict[str, str]
    suits: dict[str, Suit]
    declaring: str
    """The card whose player may declare that it wins the trick."""
    decks: dict[str, Deck]
    threats: dict[str, ThreatDeck]
    pyramids: dict[str, Pyramid]
    deals: dict[str, Deal]
    rules: HouseRules
    rules_source: dict[str, str] = {}


class Chapter(Strict, frozen=True, kw_only=True):
    """A chapter file: ours or a user's own."""

    schema: Literal[1]
    title: str
    book: str = "fellowship"
    number: Annotated[int, Meta(ge=1, le=99)] | None = None
    based_on: str = ""
    """The chapter (number, or name of a file) that this one is a version of: `ringsim compare` sets the two side by side."""
    length: Literal["short"] = "short"
    deck: str | list[str] = "standard"
    deal: str | dict[str, DealSize] = "standard"
    threats: str | list[Annotated[int, Meta(ge=1, le=15)]] | None = None
    never_lost: list[str] = []
    """Cards that are dealt again when they turn up as the lost card."""
    roster: list[RosterEntry]
    characters: Annotated[dict[str, Character], Meta(description="tables, such as [characters.my_hero]")] = {}
    """Characters of this file, beside those of the book; one of the same key takes the place of the book's."""
    rules: dict[str, str] = {}
    """House rules of this file, over those of the book."""
    notes: list[str] = []
    source: str = ""


class Scenario(Struct, frozen=True, kw_only=True):
    """A chapter with everything it refers to resolved, for one choice of assumptions. Made by `scenarios.load`."""

    # The assumptions restate what stands in `rules`.
    not_rules: ClassVar[frozenset[str]] = frozenset(
        {"label", "title", "book_title", "based_on", "assumptions", "notes", "sources", "source"}
    )

    label: str
    """The chapter's number as text, or the name of a user's file."""
    title: str
    book: str
    book_title: str
    length: str
    suits: dict[str, Suit]
    cards: tuple[str, ...]
    """The deck in slot order: by suit as the book lists them, then by rank."""
    declaring: str
    deals: dict[int, DealSize]
    pyramids: dict[str, Pyramid]
    threats: tuple[int, ...]
    never_lost: tuple[str, ...]
    roster: tuple[RosterEntry, ...]
    characters: dict[str, Character]
    rules: HouseRules
    assumptions: dict[str, str]
    """Of every question of the book, the option whose house rules are in force; questions without one are left out."""
    based_on: str = ""
    """The chapter that a user's file says it is a version of."""
    notes: tuple[str, ...] = ()
    sources: dict[str, str] = {}
    source: str = ""

    @property
    def hash(self) -> str:
        """SHA-256 over the resolved rules, as `sha256:<hex>`; what the structs call `not_rules` is left out."""
        import hashlib

        return "sha256:" + hashlib.sha256(msgspec.json.encode(_rules_of(self), order="sorted")).hexdigest()


def _rules_of(value: Any) -> Any:
    if isinstance(value, Strict | Scenario):
        return {name: _rules_of(getattr(value, name)) for name in value.__struct_fields__ if name not in value.not_rules}
    if isinstance(value, Mapping):
        return {str(key): _rules_of(inner) for key, inner in value.items()}
    return [_rules_of(inner) for inner in value] if isinstance(value, list | tuple) else value
