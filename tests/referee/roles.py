"""The characters of section 3 of the rules: what each does in setup and what it has to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .cards import ONE_RING, rank, suit
from .outcome import Outcome

Goal = Callable[[Outcome, int], bool]


@dataclass(frozen=True)
class Action:
    """One thing that a character does in setup; `do` names the method of `preparation.Setup`."""

    do: str
    with_: tuple[str, ...] = ()
    """exchange: whom by identity; `any` for everybody."""
    except_: tuple[str, ...] = ()
    times: int = 1
    simultaneous: bool = False
    each: bool = False
    """exchange: with every partner at once."""
    redraw_if_lost: str = ""
    """draw_threat: the suits that the goal names; a lost card of the drawn rank in one of them makes the number void."""
    draw: int = 1
    keep: int = 1


@dataclass(frozen=True)
class Role:
    """A character in a chapter."""

    goal: Goal
    setup: tuple[Action, ...] = ()
    identity: str = ""
    """The name that exchange partners match, when it is not the character's own."""
    of_holder: bool = False
    """Whether only the holder of the 1 of Rings takes it; setup then begins on its left, and it leads first."""
    keeps: tuple[str, ...] = ()
    """Cards that it never passes in setup."""
    leads_first: bool = False
    names_leader: bool = False
    free_play: bool = False
    """Whether it need not follow suit and may lead anything."""
    grants_redraw: bool = False
    """Whether everybody may draw his number once more."""
    solo_extra: int = 0
    solo_refill: bool = True


def exchange(*partners: str, **more: object) -> Action:
    """Return an exchange with somebody of the named identities."""
    return Action("exchange", partners or ("any",), **more)  # type: ignore[arg-type]


def threat(suits: str = "") -> Action:
    """Return the draw of a number, drawn again when its card of one of these suits is lost."""
    return Action("draw_threat", redraw_if_lost=suits)


TAKE_LOST = Action("take_lost")


# Goals. W, T, t as in the rules: cards won, number of tricks won, own number.


def frodo(round_: Outcome, seat: int) -> bool:
    """Four Rings, two with four people; those that the burdened Samwise wins count as well."""
    rings = len(round_.won_of(seat, "R"))
    rings += sum(len(round_.won_of(other, "R")) for other in round_.others(seat) if round_.keys[other] == "samwise_gamgee")
    return rings >= (2 if round_.players == 4 else 4)


def at_least_one(round_: Outcome, seat: int) -> bool:
    """T >= 1."""
    return round_.count(seat) >= 1


def at_least_three(round_: Outcome, seat: int) -> bool:
    """T >= 3."""
    return round_.count(seat) >= 3


def exactly(number: int) -> Goal:
    """T = number."""
    return lambda round_, seat: round_.count(seat) == number


def fewest_or_joint(round_: Outcome, seat: int) -> bool:
    """Nobody has fewer tricks."""
    return all(round_.count(seat) <= round_.count(other) for other in round_.others(seat))


def cards_of_number(*suits: str) -> Goal:
    """The card of the own number in each of these suits."""
    return lambda round_, seat: all(f"{letter}{round_.threats[seat]}" in round_.cards_won(seat) for letter in suits)


def one_or_two(round_: Outcome, seat: int) -> bool:
    """T is 1 or 2."""
    return round_.count(seat) in (1, 2)


def last_card_is_a_forest(round_: Outcome, seat: int) -> bool:
    """The card played into the last trick; winning does not matter."""
    return any(player == seat and suit(card) == "F" for player, card in round_.tricks[-1]["plays"])


def two_of_own_rank(round_: Outcome, seat: int) -> bool:
    """Two cards of rank t, whatever their suits."""
    return len([card for card in round_.cards_won(seat) if rank(card) == round_.threats[seat]]) >= 2


def three_of_a_kept_suit(round_: Outcome, seat: int) -> bool:
    """A card stays in hand of whose suit three were won."""
    return any(len(round_.won_of(seat, suit(card))) >= 3 for card in round_.left[seat])


def three_in_a_row(round_: Outcome, seat: int) -> bool:
    """Three tricks, one directly after the other, and no more."""
    won = round_.tricks_won(seat)
    return len(won) == 3 and won == [won[0], won[0] + 1, won[0] + 2]


def only_tricks_with_rings(round_: Outcome, seat: int) -> bool:
    """At least one trick, and a Ring in every one."""
    return round_.count(seat) >= 1 and round_.tricks_with(seat, "R") == round_.count(seat)


def one_of_the_last_three(round_: Outcome, seat: int) -> bool:
    """One of the last three tricks; earlier ones do not matter."""
    return any(number >= len(round_.tricks) - 3 for number in round_.tricks_won(seat))


def more_or_fewer(round_: Outcome, seat: int) -> bool:
    """More or fewer tricks than the number, as declared; as many never do."""
    number = round_.threats[seat]
    if number is None or round_.declared[seat] not in ("more", "fewer"):
        return False
    return round_.count(seat) > number if round_.declared[seat] == "more" else round_.count(seat) < number


def all_shadows(round_: Outcome, seat: int) -> bool:
    """All eight Shadows won; one that stays in hand is not won."""
    return len(round_.won_of(seat, "S")) == 8


def everybody_has_a_ring(round_: Outcome, seat: int) -> bool:
    """Every character won a Ring."""
    return all(round_.won_of(other, "R") for other in round_.seats)


def strictly_most(letter: str) -> Goal:
    """More cards of a suit than anybody else."""
    return lambda round_, seat: all(
        len(round_.won_of(seat, letter)) > len(round_.won_of(other, letter)) for other in round_.others(seat)
    )


def three_without_the_one_ring(round_: Outcome, seat: int) -> bool:
    """T >= 3, the 1 of Rings not among the cards won."""
    return round_.count(seat) >= 3 and ONE_RING not in round_.cards_won(seat)


def as_many_as_the_number(round_: Outcome, seat: int) -> bool:
    """T = t."""
    return round_.count(seat) == round_.threats[seat]


def one_of_the_pair(round_: Outcome, seat: int) -> bool:
    """T is one of the two numbers that were named (The Sword That Was Broken)."""
    return round_.count(seat) in (round_.declared[seat] or ())


def last_trick(round_: Outcome, seat: int) -> bool:
    """Wins the last trick."""
    return bool(round_.tricks) and round_.tricks[-1]["winner"] == seat


def last_without_the_one_ring(round_: Outcome, seat: int) -> bool:
    """Wins the last trick, the 1 of Rings not among the cards won."""
    return last_trick(round_, seat) and ONE_RING not in round_.cards_won(seat)


def last_without_rings(round_: Outcome, seat: int) -> bool:
    """Wins the last trick and no Ring at all."""
    return last_trick(round_, seat) and not round_.won_of(seat, "R")


def two_tricks_with(letter: str) -> Goal:
    """Two tricks that contain a suit."""
    return lambda round_, seat: round_.tricks_with(seat, letter) >= 2


def neither_most_nor_fewest(round_: Outcome, seat: int) -> bool:
    """Somebody has fewer tricks and somebody has more."""
    counts = [round_.count(other) for other in round_.others(seat)]
    return min(counts) < round_.count(seat) < max(counts)


def three_of_one_rank(round_: Outcome, seat: int) -> bool:
    """Three cards of one rank, Rings and Rivers too."""
    ranks = [rank(card) for card in round_.cards_won(seat)]
    return any(ranks.count(value) >= 3 for value in ranks)


def none_while_others_win(round_: Outcome, seat: int) -> bool:
    """No trick, and everybody else has one."""
    return round_.count(seat) == 0 and all(round_.count(other) >= 1 for other in round_.others(seat))


def every_rank(round_: Outcome, seat: int) -> bool:
    """Saruman of Many Colours: a card of every rank from 1 to 8."""
    return {1, 2, 3, 4, 5, 6, 7, 8} <= {rank(card) for card in round_.cards_won(seat)}


def hill_mountain_forest(round_: Outcome, seat: int) -> bool:
    """The Doors of Durin: a Hill, a Mountain and a Forest."""
    return all(round_.won_of(seat, letter) for letter in "HMF")


def four_mountains_in_a_row(round_: Outcome, seat: int) -> bool:
    """Balin's Tomb: four Mountains of consecutive ranks."""
    ranks = {rank(card) for card in round_.won_of(seat, "M")}
    return any({start, start + 1, start + 2, start + 3} <= ranks for start in ranks)


def nothing(round_: Outcome, seat: int) -> bool:
    """No goal of its own."""
    return True


ROLES: dict[str, Role] = {
    "frodo": Role(frodo, of_holder=True, keeps=(ONE_RING,)),
    "bilbo": Role(at_least_three),
    "gandalf": Role(at_least_one, (TAKE_LOST, exchange("frodo"))),
    "pippin": Role(fewest_or_joint, (exchange("frodo", "merry", "sam"),)),
    "sam": Role(cards_of_number("H"), (threat("H"), exchange("frodo", "merry", "pippin"))),
    "merry": Role(one_or_two, (exchange("frodo", "sam", "pippin"),)),
    "gildor_inglorion": Role(last_card_is_a_forest, (exchange("frodo"),)),
    "farmer_maggot": Role(two_of_own_rank, (threat(), exchange("merry", "pippin"))),
    "fatty_bolger": Role(exactly(1), (Action("give_each"),), solo_extra=5, solo_refill=False),
    "tom_bombadil": Role(three_of_a_kept_suit, (TAKE_LOST, exchange("frodo"))),
    "goldberry": Role(three_in_a_row, (Action("show_hand"),), solo_extra=4, solo_refill=False),
    "mr_underhill": Role(only_tricks_with_rings, leads_first=True),
    "barliman_butterbur": Role(one_of_the_last_three, (exchange(),)),
    "strider": Role(more_or_fewer, (threat(), Action("declare"), exchange("frodo"))),
    "glorfindel": Role(all_shadows, (TAKE_LOST, exchange(each=True, simultaneous=True)), leads_first=True),
    "bill_the_pony": Role(exactly(1), (exchange("frodo", "sam", each=True, simultaneous=True),)),
    "elrond": Role(everybody_has_a_ring, (Action("pass_right"),), leads_first=True),
    "arwen": Role(strictly_most("F"), (exchange("elrond", "aragorn"),)),
    "gloin": Role(strictly_most("M"), (exchange("bilbo", "gimli"),)),
    "bilbo_baggins": Role(three_without_the_one_ring, identity="bilbo", names_leader=True),
    "aragorn": Role(as_many_as_the_number, (Action("choose_threat"), exchange())),
    "boromir": Role(last_without_the_one_ring, (exchange("any", except_=("frodo",)),)),
    "gwaihir": Role(two_tricks_with("M"), (exchange("gandalf", times=2),)),
    "shadowfax": Role(two_tricks_with("H"), (Action("tuck"),)),
    "radagast": Role(two_tricks_with("F"), (Action("set_aside"),)),
    "legolas": Role(cards_of_number("F"), (threat("F"), exchange("gimli", "aragorn"))),
    "gimli": Role(cards_of_number("M"), (threat("M"), exchange("legolas", "aragorn"))),
    "gandalf_servant": Role(nothing, (TAKE_LOST,), identity="gandalf", free_play=True),
    "haldir": Role(cards_of_number("F"), (threat("F"), exchange("any", except_=("gimli",)))),
    "orophin_rumil": Role(cards_of_number("F"), (threat("F"), exchange("haldir")), leads_first=True),
    "galadriel": Role(neither_most_nor_fewest, (Action("swap_lost", with_=("gandalf",)),)),
    "celeborn": Role(three_of_one_rank, (exchange(),)),
    "samwise_gamgee": Role(cards_of_number("H", "S"), (threat("HS"),), identity="sam"),
    "aragorn_son_of_arathorn": Role(
        as_many_as_the_number, (Action("draw_threat", draw=2, keep=1), exchange()), identity="aragorn"
    ),
    "boromir_son_of_denethor": Role(last_without_rings, (exchange("any", except_=("frodo",)),), identity="boromir"),
    "meriadoc_brandybuck": Role(exactly(2), (exchange("frodo", "sam", "pippin"),), identity="merry", grants_redraw=True),
    "peregrin_took": Role(none_while_others_win, (exchange(),), identity="pippin"),
    "legolas_greenleaf": Role(cards_of_number("F", "S"), (threat("FS"), exchange("gimli", "aragorn")), identity="legolas"),
    "gimli_son_of_gloin": Role(cards_of_number("M", "S"), (threat("MS"), exchange("legolas", "aragorn")), identity="gimli"),
}
