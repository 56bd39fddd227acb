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
    "declare",
    "take_pile",
    "tuck",
    "set_aside",
    "play_ahead",
    "swap_lost",
]
Players = list[Annotated[int, Meta(ge=1, le=4)]]
"""For which numbers of people something holds."""


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
    declared: Literal["", "more", "fewer"] = ""
    """The term counts only when the character declared this in setup (`do = "declare"`)."""
    beside: str = ""
    """The term counts only in rounds with this character."""
    unless: str = ""
    """The term counts only in rounds without this character."""
    source: str = ""


class SetupAction(Strict, frozen=True, kw_only=True):
    """One thing that a character does before play, in the order of its setup."""

    do: Action
    with_: str | list[str] = field(default="", name="with")
    """exchange: the identities that may be partners, or `any`; swap_lost: with whom an exchange may take its place."""
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
    among: list[Annotated[list[PositiveInt], Meta(min_length=1)]] = []
    """choose_threat: instead of a threat, one of these groups of following numbers; `threat` is then the lowest of the group."""
    cards: Count = 0
    """take_pile: how many cards."""
    spares_wanted: bool = False
    """swap_lost: may not lose a card that a threat drawn so far asks another character to win."""
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
    goal: list[Term]
    """Its terms; a character without any has met its goal."""
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
    free_play: bool = False
    """Whether this character need not follow suit and may lead a locked suit."""
    redraws: bool = False
    """Whether, with this character in the round, everybody may draw a threat once more."""
    burdened: bool = False
    """Whether the character is burdened as it is: a wandering curse is not for it."""
    lends: list[Lending] = []
    solo: SoloChange = SoloChange()
    card: str = ""
    """The number printed on the card."""
    text: str = ""
    """The goal in one line, in our words."""
    source: str = ""


class Change(Strict, frozen=True, kw_only=True):
    """What an event or a gift changes of a character; what is not given stays."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"text", "source"})

    goal: list[Term] | None = None
    setup: list[SetupAction] | None = None
    leads_first: bool | None = None
    text: str = ""
    source: str = ""


class Curse(Strict, frozen=True, kw_only=True):
    """A burden beside a character's goal: further terms, or what it may not do."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"name", "card", "text", "source"})

    name: str
    terms: list[Term] = []
    exchanges: bool = True
    """Whether the character may exchange with others, and they with it."""
    hides_threat: bool = False
    """Whether the others learn its threat at the end of the round only."""
    players: Players = field(default_factory=lambda: [1, 2, 3, 4])
    card: str = ""
    text: str = ""
    source: str = ""


class Gift(Strict, frozen=True, kw_only=True):
    """A card that helps one character."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"name", "card", "text", "source"})

    name: str
    owner: str
    change: Change | None = None
    announces: bool = False
    """Whether the owner names the suits of which it holds most cards, at the end of setup (not one person, not a pyramid)."""
    saves_goal: bool = False
    """Whether one failed goal counts as met, once in a long chapter; of no effect on a single round."""
    fetches_lost: bool = False
    """Whether the owner may once, before a trick, swap a card for the lost one, or exchange with the seat that took it."""
    frees_first: bool = False
    """Whether the owner may once decide, before the first trick, that it need not follow suit in it."""
    card: str = ""
    text: str = ""
    source: str = ""


class Reveal(Strict, frozen=True, kw_only=True):
    """Cards turned up for each trick, with which it is compared."""

    cards: list[str]
    """A deck of its own, as cards and ranges; shuffled anew when it runs out."""
    each: dict[str, PositiveInt]
    """Number of players -> cards turned up for a trick."""
    test: Literal["winner", "sum"]
    """winner: a winning card of lower rank loses the trick to nobody; sum: a trick whose ranks add up to less fails all."""
    source: str = ""


class Pile(Strict, frozen=True, kw_only=True):
    """Cards that are set aside face down before the deal."""

    cards: dict[str, PositiveInt]
    """Number of players -> cards."""
    without: CardSet = []
    """Cards that are never among them."""
    source: str = ""


class Event(Strict, frozen=True, kw_only=True):
    """What is otherwise in a round: mechanisms with their parameters."""

    not_rules: ClassVar[frozenset[str]] = frozenset({"name", "card", "text", "source"})

    name: str
    reveal: Reveal | None = None
    pile: Pile | None = None
    changes: dict[str, Change] = {}
    """Character -> what it does otherwise."""
    trumps: str = ""
    """The letter of a suit whose highest card wins any trick."""
    cast: Literal["chosen", "random"] = "chosen"
    """Whether characters are dealt at random (one person: to all hands but that of a character bound to a card)."""
    deal_steps: list[PositiveInt] = []
    """Cards dealt to every person at a time; after each step everybody passes a card to every other person."""
    face_down: str = ""
    """The character that plays face down and names the suit."""
    hidden_threats: bool = False
    simultaneous: bool = False
    """Whether all exchanges are made at once, at the end of setup."""
    players: Players = field(default_factory=lambda: [1, 2, 3, 4])
    """For whom deal_steps, face_down, hidden_threats and simultaneous hold."""
    card: str = ""
    text: str = ""
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
    without: CardSet = []
    """Cards of the deck that stay in the box."""


class Deal(Strict, frozen=True, kw_only=True):
    """The deal sizes of a chapter, by number of players (`1` to `4`)."""

    players: dict[str, DealSize]
    source: str = ""


class HouseRules(Strict, frozen=True, kw_only=True):
    """Points where rule books, implementations or groups differ; assumptions set them."""

    declare: Literal["at_play", "after_trick"] = "at_play"
    """When the player of the declaring card says whether it wins."""
    take_lost: Literal["compulsory", "optional", "group"] = "compulsory"
    """group: optional, and of several characters that may touch the lost card the group says which one does."""
    first_without_bearer: Literal["holder", "left_of_holder"] = "holder"
    """Who acts first in setup when no character is bound to a card."""
    rejected_threat: Literal["out", "shuffled_back"] = "out"
    solo_selection: Literal["free", "required_first"] = "free"
    glorfindel_exchange: Literal["each", "one", "none"] = "each"
    aragorn_partner: Literal["any", "gimli_legolas"] = "any"
    play_ahead: Literal["leads", "follows"] = "leads"
    """Whether a card played ahead of the first trick sets the suit to be followed."""
    rivers: Literal["plain", "none"] = "plain"
    balrog: Literal["5", "10"] = "5"
    reveal: Literal["before_lead", "after_trick"] = "before_lead"
    event_choice: Literal["before_deal", "after_deal"] = "before_deal"
    small_pyramid: Literal["top_down", "top_up"] = "top_down"
    direction: Literal["public", "private"] = "public"
    """Whether all hear what is declared in setup (`do = "declare"`)."""
    bill_in_the_south: Literal["optional", "compulsory"] = "optional"
    saved_goals: Literal["only_failure", "one_of_several"] = "only_failure"
    lost_trick: Literal["same_leader", "left_of_leader"] = "same_leader"
    """Who leads after a trick that nobody wins."""
    pyramid_pass: Literal["last", "with_controller"] = "last"
    """When everybody passes a card at once: when the pyramid's is chosen."""
    pile: Literal["random", "chosen"] = "random"
    """Which cards of a pile are taken."""
    face_down: Literal["suit_named", "nothing_known"] = "suit_named"
    hidden_threat: Literal["others", "owner_too"] = "others"
    """From whom a hidden threat is kept."""
    aragorn_in_the_south: Literal["yes", "no"] = "yes"
    rings_beside_elrond: Literal["usual", "two"] = "usual"


class Assumption(Strict, frozen=True, kw_only=True):
    """A named question on which sources disagree, with our default and the alternatives."""

    question: str
    default: str
    options: dict[str, dict[str, str]]
    """Option name -> the house rules that it sets."""
    affects: str
    chapters: list[int | str] = []
    """The chapters that it can change (numbers, or names of those without one); all of them when empty."""
    source: str


class RosterEntry(Strict, frozen=True, kw_only=True):
    """A character that may be chosen in a chapter."""

    character: str
    required: bool = False
    """Whether it is in every round."""
    complete: bool = True
    """Long chapters: whether it has to succeed in some round before the chapter is done."""
    source: str = ""


class RoundKind(Strict, frozen=True, kw_only=True):
    """A kind of round of a chapter that has several; what is not given is the chapter's."""

    title: str
    event: str | None = None
    roster: list[RosterEntry] | None = None
    """Instead of the chapter's roster."""
    add: list[RosterEntry] = []
    """Beside the chapter's roster."""
    without: list[str] = []
    """Characters of the chapter's roster that are not in this kind of round."""
    require: list[str] = []
    """Characters of the roster that must be in it."""
    deck: str | list[str] | None = None
    deal: str | dict[str, DealSize] | None = None
    times: Literal["once", "any"] = "once"
    """How often it may be completed in a long chapter."""
    after: list[str] = []
    """Kinds of round that come first."""
    notes: list[str] = []
    source: str = ""


class DrawGroup(Strict, frozen=True, kw_only=True):
    """Characters of which some are drawn."""

    among: Annotated[list[str], Meta(min_length=1)]
    count: dict[str, PositiveInt]
    """Number of players -> how many are drawn."""
    source: str = ""


class Turning(Strict, frozen=True, kw_only=True):
    """Characters drawn of which some lie with their other side up."""

    count: PositiveInt
    sides: Annotated[dict[str, str], Meta(min_length=1)]
    """Character -> the one on the other side of its card."""
    source: str = ""


class Draw(Strict, frozen=True, kw_only=True):
    """What is drawn at random for each deal of a chapter: characters beside those of the roster, and a wandering curse."""

    groups: Annotated[dict[str, DrawGroup], Meta(min_length=1)]
    turning: Turning | None = None
    curses: list[str] = []
    """Of these one becomes the wandering curse; one that no character drawn may have is drawn again."""
    source: str = ""

    @property
    def names(self) -> dict[str, str]:
        """Everybody who may be drawn, both sides of a card -> the source of that."""
        found: dict[str, str] = {}
        for group in self.groups.values():
            for name in group.among:
                found[name] = group.source
                if self.turning is not None and name in self.turning.sides:
                    found[self.turning.sides[name]] = self.turning.source
        return found


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
    length: Literal["short", "long"] = "short"
    deck: str | list[str] = "standard"
    deal: str | dict[str, DealSize] = "standard"
    threats: str | list[Annotated[int, Meta(ge=1, le=15)]] | None = None
    never_lost: list[str] = []
    """Cards that are dealt again when they turn up as the lost card."""
    roster: list[RosterEntry] = []
    event: str = ""
    curses: dict[str, str] = {}
    """Character -> the curse that it gets."""
    wandering_curse: str = ""
    """A curse that the group gives to one character, in a round of its choice; a long chapter is not done before it was borne."""
    draw: Draw | None = None
    """What is drawn for each deal."""
    gifts: list[str] = []
    rounds: dict[str, RoundKind] = {}
    """Kinds of round, where there are several; none when all rounds are alike."""
    characters: Annotated[dict[str, Character], Meta(description="tables, such as [characters.my_hero]")] = {}
    """Characters of this file, beside those of the book; one of the same key takes the place of the book's."""
    events: Annotated[dict[str, Event], Meta(description="tables, such as [events.my_event]")] = {}
    """Events of this file, beside those of the book."""
    rules: dict[str, str] = {}
    """House rules of this file, over those of the book."""
    notes: list[str] = []
    source: str = ""


class Scenario(Struct, frozen=True, kw_only=True):
    """A chapter with everything it refers to resolved, for one choice of assumptions. Made by `scenarios.load`.

    A chapter of several kinds of round holds one Scenario for each in `rounds`, and those are what is played; its own
    roster and characters are those of all its rounds together.
    """

    # The assumptions restate what stands in `rules`.
    not_rules: ClassVar[frozenset[str]] = frozenset(
        {"label", "title", "book_title", "based_on", "assumptions", "notes", "sources", "source", "kind_title", "alone", "pool"}
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
    """The characters of the roster, with what event and gifts change of them."""
    rules: HouseRules
    assumptions: dict[str, str]
    """Of every question of the book, the option whose house rules are in force; questions without one are left out."""
    event: Event | None = None
    event_key: str = ""
    curses: dict[str, tuple[str, Curse]] = {}
    """Character -> its curse: key and what it is."""
    wandering: tuple[str, Curse] | None = None
    """The wandering curse: key and what it is."""
    draw: Draw | None = None
    """What is drawn for each deal; `scenarios.drawing` makes of it what is played. The roster holds all who may be drawn."""
    drawn_curses: dict[str, Curse] = {}
    """The curses of which one is drawn."""
    pool: int | None = None
    """The number of the pool, in a scenario that was drawn."""
    gifts: dict[str, Gift] = {}
    kind: str = ""
    """The kind of round, in a chapter that has several."""
    kind_title: str = ""
    alone: bool = False
    """Whether this kind of round is played by itself, not in attempts at its chapter. The rules are the same; who plays well for
    a whole attempt need not do so for one round."""
    times: str = "once"
    after: tuple[str, ...] = ()
    rounds: dict[str, Scenario] = {}
    """Kind of round -> the scenario of such a round; empty when all rounds are alike."""
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

    @property
    def name(self) -> str:
        """The label, with the kind of round where there are several: `14-long_dark`."""
        return f"{self.label}-{self.kind}" if self.kind else self.label


def _rules_of(value: Any) -> Any:
    if isinstance(value, Strict | Scenario):
        return {name: _rules_of(getattr(value, name)) for name in value.__struct_fields__ if name not in value.not_rules}
    if isinstance(value, Mapping):
        return {str(key): _rules_of(inner) for key, inner in value.items()}
    return [_rules_of(inner) for inner in value] if isinstance(value, list | tuple) else value
