"""Changes of single events and characters: the referee finds each in recorded and random rounds of their chapters."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from .cards import rank, suit
from .changes import Change, Record, is_found, pick, seat_of, setup_entries
from .recorded import chapter_played
from .roles import ROLES

CHANGES: dict[str, tuple[Change, int, tuple[int, ...]]] = {}


def change(*numbers: int, least: int = 8) -> Callable[[Change], Change]:
    """Add a change to those that are tried in some chapters; so many records have to lend themselves."""

    def add(function: Change) -> Change:
        CHANGES[function.__name__] = (function, least, numbers)
        return function

    return add


# Old Man Willow (section 10).


def best_play(record: Record, trick: Record) -> tuple[int, str]:
    """Return the highest card of the suit led."""
    led = suit(trick["plays"][0][1])
    return max(((seat, card) for seat, card in trick["plays"] if suit(card) == led), key=lambda play: rank(play[1]))


@change(5)
def willows_trick_is_won(record: Record, chance: random.Random) -> str | None:
    """The highest card wins although the revealed one is higher."""
    for number, trick in enumerate(record["tricks"], start=1):
        if trick["winner"] is None:
            trick["winner"] = best_play(record, trick)[0]
            return f"trick {number}: winner {trick['winner']}; the rules say None"
    return None


@change(5)
def willow_takes_a_tie(record: Record, chance: random.Random) -> str | None:
    """A card of the revealed rank does not win."""
    for number, trick in enumerate(record["tricks"], start=1):
        if not trick["one_ring_wins"] and rank(best_play(record, trick)[1]) == rank(trick["reveal"][0]):
            trick["winner"] = None
            return f"trick {number}: winner None; the rules say {best_play(record, trick)[0]}"
    return None


@change(5)
def willow_shows_another_card(record: Record, chance: random.Random) -> str | None:
    """Two tricks have each other's revealed cards, which decides one of them otherwise."""
    tricks = record["tricks"]
    for one, trick in enumerate(tricks):
        for other in range(one + 1, len(tricks)):
            high = rank(best_play(record, trick)[1])
            reveals = [rank(tricks[at]["reveal"][0]) for at in (one, other)]
            if not trick["one_ring_wins"] and (high < reveals[0]) != (high < reveals[1]):
                trick["reveal"], tricks[other]["reveal"] = tricks[other]["reveal"], trick["reveal"]
                return f"trick {one + 1}: winner"
    return None


@change(5)
def willow_shows_a_card_twice(record: Record, chance: random.Random) -> str | None:
    """A card of the Old Forest is revealed again."""
    record["tricks"][3]["reveal"] = record["tricks"][1]["reveal"]
    return f"trick 4: {record['tricks'][1]['reveal'][0]} is revealed; left of the Old Forest"


@change(5)
def willow_shows_nothing(record: Record, chance: random.Random) -> str | None:
    """A trick has no revealed card."""
    record["tricks"][2]["reveal"] = []
    return "trick 3: 0 cards are revealed; the rules say 1"


@change(5)
def another_leads_after_willow(record: Record, chance: random.Random) -> str | None:
    """After Willow's trick its leader does not lead again."""
    for number, (before, trick) in enumerate(zip(record["tricks"], record["tricks"][1:], strict=False), start=2):
        if before["winner"] is None:
            trick["leader"] = (trick["leader"] + 1) % len(record["seats"])
            return f"trick {number}: seat {trick['leader']} leads; the rules say [{before['leader']}]"
    return None


@change(5, least=4)
def willow_takes_the_declared_ring(record: Record, chance: random.Random) -> str | None:
    """A declared 1 of Rings loses against Willow."""
    for number, trick in enumerate(record["tricks"], start=1):
        if trick["one_ring_wins"] and rank(trick["reveal"][0]) > 1:
            trick["winner"] = None
            return f"trick {number}: winner None"
    return None


@change(5, least=2)
def willow_loses_against_an_undeclared_ring(record: Record, chance: random.Random) -> str | None:
    """A trick that only the declaration saved is won without it."""
    for number, trick in enumerate(record["tricks"], start=1):
        if trick["one_ring_wins"] and rank(best_play(record, trick)[1]) < rank(trick["reveal"][0]):
            trick["one_ring_wins"] = False
            return f"trick {number}: winner {trick['winner']}; the rules say None"
    return None


# The barrow (section 11) and what Tom keeps.


@change(6)
def tom_takes_four(record: Record, chance: random.Random) -> str | None:
    """Tom leaves a card of his five in the barrow."""
    del setup_entries(record, "take_barrow")[0]["cards"][0]
    return "five of the barrow are due"


@change(6)
def tom_takes_a_card_of_somebody(record: Record, chance: random.Random) -> str | None:
    """Tom takes a card that is not in the barrow."""
    setup_entries(record, "take_barrow")[0]["cards"][0] = record["seats"][0]["dealt"][0]
    return "five of the barrow are due"


@change(6)
def ring_in_the_barrow(record: Record, chance: random.Random) -> str | None:
    """A Ring lies in the barrow, its card in a hand."""
    for entry in record["seats"]:
        for at, card in enumerate(entry["dealt"]):
            if suit(card) == "R":
                entry["dealt"][at], record["barrow"][0] = record["barrow"][0], card
                return f"{card} is in the barrow; Rings never are"
    return None


@change(6)
def tom_keeps_less(record: Record, chance: random.Random) -> str | None:
    """Tom is said to keep four cards."""
    tom = seat_of(record, "tom_bombadil")
    assert tom is not None
    record["seats"][tom]["retained"] = 4
    return f"seat {tom}: keeps 4 cards; the rules say 5"


@change(5, 6, least=30)
def tom_has_kept_other_cards(record: Record, chance: random.Random) -> str | None:
    """What is left in Tom's hand is not what he did not play."""
    tom = seat_of(record, "tom_bombadil")
    assert tom is not None
    record["left"][tom][0] = record["tricks"][0]["plays"][0][1]
    return f"seat {tom}: left are"


# Rivers (section 22; not trump in section 23).


def river_among_others(trick: Record) -> bool:
    """Return whether a River was played to another suit."""
    return suit(trick["plays"][0][1]) != "V" and any(suit(card) == "V" for _, card in trick["plays"])


@change(17, least=20)
def river_does_not_trump(record: Record, chance: random.Random) -> str | None:
    """The highest card of the suit led wins against a River."""
    for number, trick in enumerate(record["tricks"], start=1):
        if river_among_others(trick) and not trick["one_ring_wins"]:
            trick["winner"] = best_play(record, trick)[0]
            return f"trick {number}: winner {trick['winner']}"
    return None


@change(17, least=8)
def lower_river_wins(record: Record, chance: random.Random) -> str | None:
    """Of two Rivers the lower one wins."""
    for number, trick in enumerate(record["tricks"], start=1):
        rivers = sorted((rank(card), seat) for seat, card in trick["plays"] if suit(card) == "V")
        if len(rivers) > 1 and not trick["one_ring_wins"]:
            trick["winner"] = rivers[0][1]
            return f"trick {number}: winner {rivers[0][1]}; the rules say {rivers[-1][1]}"
    return None


@change(18, least=20)
def river_trumps_in_the_last_chapter(record: Record, chance: random.Random) -> str | None:
    """A River wins another suit in chapter 18."""
    for number, trick in enumerate(record["tricks"], start=1):
        if river_among_others(trick):
            trick["winner"] = next(seat for seat, card in trick["plays"] if suit(card) == "V")
            return f"trick {number}: winner {trick['winner']}"
    return None


@change(17, least=4)
def river_beats_the_declared_ring(record: Record, chance: random.Random) -> str | None:
    """A River wins against the declared 1 of Rings."""
    for number, trick in enumerate(record["tricks"], start=1):
        rivers = [seat for seat, card in trick["plays"] if suit(card) == "V"]
        if trick["one_ring_wins"] and rivers:
            trick["winner"] = rivers[0]
            return f"trick {number}: winner {rivers[0]}; the rules say"
    return None


# Moria (section 19).


@change(14, least=3)
def balrog_is_overlooked(record: Record, chance: random.Random) -> str | None:
    """The Balrog's sum is higher, but nothing is said."""
    if not record["failed_event"]:
        return None
    record["failed_event"] = None
    return "failed_event: None"


@change(14, least=1)
def balrog_wins_for_nothing(record: Record, chance: random.Random) -> str | None:
    """Every sum holds, but the Balrog is said to win."""
    if record["event"] != "bridge_of_khazad_dum" or record["failed_event"]:
        return None
    record["failed_event"] = "balrog"
    return "failed_event: balrog"


@change(14, least=3)
def balrog_after_another_trick(record: Record, chance: random.Random) -> str | None:
    """The Balrog is said to win after another trick."""
    if not record["failed_event"]:
        return None
    record["balrog_failed_tricks"][0] += 1
    return "balrog_failed_tricks"


@change(14, least=3)
def won_against_the_balrog(record: Record, chance: random.Random) -> str | None:
    """The round is won though the Balrog failed it."""
    if not record["failed_event"]:
        return None
    record["won"] = True
    return "won: True"


@change(14, least=5)
def too_few_balrog_cards(record: Record, chance: random.Random) -> str | None:
    """A card less is revealed."""
    if record["event"] != "bridge_of_khazad_dum":
        return None
    del record["tricks"][0]["reveal"][0]
    return "trick 1:"


@change(14, least=5)
def balrog_card_twice(record: Record, chance: random.Random) -> str | None:
    """A card comes twice before the deck is shuffled."""
    if record["event"] != "bridge_of_khazad_dum":
        return None
    record["tricks"][1]["reveal"][0] = record["tricks"][0]["reveal"][0]
    return "trick 2: "


@change(14, least=5)
def servant_has_to_follow(record: Record, chance: random.Random) -> str | None:
    """Gandalf on the bridge is said to have to follow suit."""
    gandalf = seat_of(record, "gandalf_servant")
    for number, trick in enumerate(record["tricks"], start=1):
        for at, (seat, _) in enumerate(trick["plays"]):
            following = [card for card in trick["legal"][at] if suit(card) == suit(trick["plays"][0][1])]
            if seat == gandalf and at > 0 and 0 < len(following) < len(trick["legal"][at]):
                trick["legal"][at] = following
                return f"trick {number}, seat {seat}: legal is"
    return None


@change(14, least=5)
def normal_gandalf_on_the_bridge(record: Record, chance: random.Random) -> str | None:
    """The bridge is crossed with the normal Gandalf."""
    gandalf = seat_of(record, "gandalf_servant")
    if gandalf is None:
        return None
    record["seats"][gandalf]["character"] = "gandalf"
    return "selection: gandalf is not in the roster"


@change(14, least=3)
def gimli_draws_in_the_tomb(record: Record, chance: random.Random) -> str | None:
    """Gimli has a threat in Balin's Tomb."""
    gimli = seat_of(record, "gimli")
    if record["event"] != "balins_tomb" or gimli is None:
        return None
    record["seats"][gimli]["threat"] = 3
    return f"seat {gimli} (gimli): threat is 3"


@change(14, least=8)
def another_event(record: Record, chance: random.Random) -> str | None:
    """The event is one that Moria does not have."""
    record["event"] = "watcher_in_the_water"
    return "event: watcher_in_the_water"


def in_the_dark(record: Record) -> Record | None:
    """Return the entry of all exchanges at once."""
    return next(iter(setup_entries(record, "long_dark")), None)


@change(14, least=4)
def dark_card_used_twice(record: Record, chance: random.Random) -> str | None:
    """Somebody gives one card to two others."""
    entry = in_the_dark(record)
    moves = [*entry["plans"], *entry["returns"]] if entry else []
    for one in moves:
        for other in moves:
            if one is not other and one[0] == other[0]:
                other[2] = one[2]
                return f"setup, seat {one[0]}: gives"
    return None


@change(14, least=4)
def dark_card_passed_on(record: Record, chance: random.Random) -> str | None:
    """A card that somebody only gets is given in return."""
    entry = in_the_dark(record)
    if entry is None:
        return None
    entry["returns"][0][2] = entry["plans"][0][2]
    return f"setup, seat {entry['returns'][0][0]}: gives"


@change(14, least=4)
def dark_return_to_another(record: Record, chance: random.Random) -> str | None:
    """What was asked for comes back to somebody else."""
    entry = in_the_dark(record)
    if entry is None:
        return None
    entry["returns"] = entry["returns"][1:]
    return "setup: returns go"


@change(14, least=4)
def dark_exchange_left_out(record: Record, chance: random.Random) -> str | None:
    """Somebody does not exchange in the dark."""
    entry = in_the_dark(record)
    if entry is None:
        return None
    del entry["plans"][0], entry["returns"][0]
    return "exchange in the dark"


@change(14, least=4)
def one_after_the_other_in_the_dark(record: Record, chance: random.Random) -> str | None:
    """In the dark somebody exchanges on his turn."""
    entry = in_the_dark(record)
    if entry is None:
        return None
    at = record["setup"].index(entry)
    (seat, other, gave), (_, _, got) = entry["plans"][0], entry["returns"][0]
    record["setup"][at] = {"seat": seat, "action": "exchange", "with": other, "gave": gave, "got": got}
    return "long_dark is due"


@change(9, 14, least=20)
def hidden_number_is_another(record: Record, chance: random.Random) -> str | None:
    """A threat that lay hidden turns out to be another one."""
    for seat, entry in enumerate(record["seats"]):
        if entry["threat"] is not None:
            entry["threat"] = entry["threat"] % 4 + 1
            return f"seat {seat}: threat is"
    return None


# Curses (section 3).


def failure(record: Record, *curses: str) -> Record | None:
    """Return a failure by one of these curses."""
    return next((entry for entry in record["curse_failures"] if entry["curse"] in curses), None)


@change(8, 9, least=20)
def eight_won_under_the_black_breath(record: Record, chance: random.Random) -> str | None:
    """An 8 is won by its victim, but nothing is said."""
    entry = failure(record, "black_breath")
    if entry is None:
        return None
    record["curse_failures"].remove(entry)
    return "curse_failures"


@change(8, 9, least=8)
def cursed_lead(record: Record, chance: random.Random) -> str | None:
    """A Ring is led under the Morgul-knife, a Hill under the Terror, but nothing is said."""
    entry = failure(record, "morgul_knife", "terror")
    if entry is None:
        return None
    record["curse_failures"].remove(entry)
    return "curse_failures"


@change(8, 9, least=8)
def cursed_later(record: Record, chance: random.Random) -> str | None:
    """The curse is said to strike a trick later."""
    if not record["curse_failures"]:
        return None
    record["curse_failures"][0]["trick"] += 1
    return "curse_failures"


@change(8, 9, least=8)
def won_under_a_curse(record: Record, chance: random.Random) -> str | None:
    """A round with a broken curse is won."""
    if not record["curse_failures"]:
        return None
    record["won"] = True
    return "won: True"


@change(8, 9, least=30)
def cursed_for_nothing(record: Record, chance: random.Random) -> str | None:
    """A curse that was not broken is said to be."""
    for seat, entry in enumerate(record["seats"]):
        if entry["curse"] in ("terror", "morgul_knife") and not failure(record, entry["curse"]):
            record["curse_failures"].append({"seat": seat, "curse": entry["curse"], "trick": 1})
            return "curse_failures"
    return None


@change(8, 9, least=30)
def curse_left_out(record: Record, chance: random.Random) -> str | None:
    """A character is not cursed."""
    for seat, entry in enumerate(record["seats"]):
        if entry["curse"] is not None:
            entry["curse"] = None
            return f"seat {seat} ({entry['character']}): curse is None"
    return None


@change(9, least=4)
def wraith_in_an_exchange(record: Record, chance: random.Random) -> str | None:
    """Pippin is a partner though the Wraith is upon him."""
    pippin = seat_of(record, "pippin")
    for entry in setup_entries(record, "exchange"):
        if pippin is not None:
            entry["with"] = pippin
            return f"exchanges with seat {pippin}; partners are"
    return None


@change(9, least=4)
def wraith_among_many(record: Record, chance: random.Random) -> str | None:
    """Glorfindel exchanges with Pippin as well."""
    pippin = seat_of(record, "pippin")
    for entry in setup_entries(record, "simultaneous_exchange"):
        if pippin is not None:
            entry["with"] = sorted([*entry["with"], pippin])
            return f"exchanges with {entry['with']}; partners are"
    return None


# Exchanges at once (Glorfindel, Bill, Elrond, the Mirror).


@change(9, 13, least=10)
def same_card_back_at_once(record: Record, chance: random.Random) -> str | None:
    """A partner gives back the card that he is about to get."""
    for entry in setup_entries(record, "simultaneous_exchange"):
        seat, other = str(entry["seat"]), str(entry["with"][0])
        entry["gave"][other][seat] = entry["gave"][seat][other]
        return f"setup, seat {other}: gives"
    return None


@change(9, least=10)
def partner_left_out(record: Record, chance: random.Random) -> str | None:
    """Glorfindel passes over somebody."""
    for entry in setup_entries(record, "simultaneous_exchange"):
        if len(entry["with"]) > 1:
            entry["with"].pop()
            return f"exchanges with {entry['with']}; partners are"
    return None


@change(9, least=10)
def one_card_for_two(record: Record, chance: random.Random) -> str | None:
    """Glorfindel gives one card to two partners."""
    for entry in setup_entries(record, "simultaneous_exchange"):
        seat = str(entry["seat"])
        given = entry["gave"][seat]
        if len(given) > 1:
            first, second = list(given)[:2]
            given[second] = given[first]
            return f"setup, seat {seat}: gives"
    return None


@change(10)
def passed_to_the_left(record: Record, chance: random.Random) -> str | None:
    """Elrond's cards go the other way round."""
    entry, count = setup_entries(record, "pass_right")[0], len(record["seats"])
    entry["gave"] = {
        giver: {str((int(giver) + 1) % count): card for card in cards.values()} for giver, cards in entry["gave"].items()
    }
    return "setup: cards go"


@change(10)
def somebody_passes_nothing(record: Record, chance: random.Random) -> str | None:
    """One seat keeps its cards when all pass."""
    entry = setup_entries(record, "pass_right")[0]
    del entry["gave"]["1"]
    return "setup: cards go"


def mirrors(record: Record) -> list[Record]:
    """Return the two entries of the Mirror."""
    return setup_entries(record, "mirror_pass")


@change(16)
def mirror_card_not_dealt_yet(record: Record, chance: random.Random) -> str | None:
    """A card of the third part of the deal is passed first."""
    if not mirrors(record):
        return None
    given = mirrors(record)[0]["gave"]["0"]
    given[next(iter(given))] = record["seats"][0]["dealt"][8]
    return "setup, seat 0: gives"


@change(16)
def mirror_passes_swapped(record: Record, chance: random.Random) -> str | None:
    """Two receivers have each other's cards."""
    if len(record["seats"]) < 3 or not mirrors(record) or record["players"] == 2:
        return None
    given = mirrors(record)[1]["gave"]["0"]
    one, other = list(given)[:2]
    given[one], given[other] = given[other], given[one]
    return ""  # hands at play, or an exchange of a card that is not there


@change(16)
def mirror_pass_left_out(record: Record, chance: random.Random) -> str | None:
    """Somebody gets nothing from somebody."""
    if not mirrors(record):
        return None
    given = mirrors(record)[0]["gave"]["1"]
    del given[next(iter(given))]
    return "setup: cards go"


@change(16)
def mirror_only_once(record: Record, chance: random.Random) -> str | None:
    """The second passing is missing."""
    if not mirrors(record):
        return None
    record["setup"].remove(mirrors(record)[1])
    return "mirror_pass is due"


@change(16, least=3)
def frodo_passes_the_ring_in_the_mirror(record: Record, chance: random.Random) -> str | None:
    """Frodo gives the 1 of Rings away."""
    frodo = seat_of(record, "frodo")
    assert frodo is not None
    if not mirrors(record) or "R1" not in record["seats"][frodo]["dealt"][:8]:
        return None
    given = mirrors(record)[1]["gave"].get(str(frodo))
    if given is None:
        return None
    given[next(iter(given))] = "R1"
    return f"setup, seat {frodo}: gives"


@change(16, least=1)
def needed_card_buried(record: Record, chance: random.Random) -> str | None:
    """Galadriel leaves the Hill lost that Sam has drawn."""
    sam, galadriel = seat_of(record, "sam"), seat_of(record, "galadriel")
    if sam is None or galadriel is None:
        return None
    actions = [(entry.get("seat"), entry["action"]) for entry in record["setup"]]
    drawn = f"H{record['seats'][sam]['threat']}"
    if (galadriel, "exchange_lost") in actions and drawn in record["seats"][galadriel]["hand"]:
        at = actions.index((galadriel, "exchange_lost"))
        if (sam, "threat") in actions[:at] and not any(
            entry.get("got") == drawn or entry.get("gave") == drawn for entry in record["setup"][at:]
        ):
            record["setup"][at]["gave"] = drawn
            return f"changes {drawn} for"
    return None


# Threats.


def needed_suits(character: str) -> str:
    """Return the suits that a character's number goes with."""
    return "".join(action.redraw_if_lost for action in ROLES[character].setup)


@change(13, 15, 17, 18, least=20)
def drawn_again_for_the_rank_alone(record: Record, chance: random.Random) -> str | None:
    """A number is rejected because a card of its rank is lost, though not of the suit."""
    used = [value for entry in setup_entries(record, "threat") for value in (entry["value"], *entry["rejected"])]
    used += [entry["value"] for entry in setup_entries(record, "choose_threat")]
    if setup_entries(record, "take_lost") or setup_entries(record, "exchange_lost"):
        return None
    for entry in setup_entries(record, "threat"):
        for card in record["lost"]:
            other_suit = suit(card) not in needed_suits(record["seats"][entry["seat"]]["character"])
            if other_suit and rank(card) <= 7 and rank(card) not in used:
                entry["rejected"].append(rank(card))
                return f"threat {rank(card)} is drawn again, but lost are"
    return None


@change(13, 15, 18, least=8)
def number_kept_whose_card_is_lost(record: Record, chance: random.Random) -> str | None:
    """The card of a number that is kept lies lost; of burdened characters either card counts."""
    lost = record["lost"][0]
    if setup_entries(record, "take_lost") or any(entry["rejected"] for entry in setup_entries(record, "threat")):
        return None
    for entry in setup_entries(record, "threat"):
        for letter in needed_suits(record["seats"][entry["seat"]]["character"]):
            card = f"{letter}{entry['value']}"
            for seat in record["seats"]:
                if card in seat["dealt"] and lost != card:
                    seat["dealt"][seat["dealt"].index(card)] = lost
                    record["lost"] = [card]
                    for step in record["setup"]:
                        if step is entry:
                            break
                        if card in (step.get("gave"), step.get("got")):
                            return None
                    return f"threat {entry['value']} has to be drawn again"
    return None


@change(18, least=4)
def third_number_kept(record: Record, chance: random.Random) -> str | None:
    """Aragorn keeps a number that he has not drawn."""
    for entry in setup_entries(record, "keep_threat"):
        entry["value"] = next(value for value in range(1, 8) if value not in entry["options"])
        return f"keeps {entry['value']} of"
    return None


@change(18, least=4)
def number_not_drawn_once_more(record: Record, chance: random.Random) -> str | None:
    """Meriadoc's offer is accepted, but nothing is drawn."""
    for at, entry in enumerate(record["setup"]):
        if entry["action"] == "redraw" and entry["accepted"]:
            del record["setup"][at + 1]
            return "threat is due"
    return None


@change(18, least=4)
def meriadoc_offers_nothing(record: Record, chance: random.Random) -> str | None:
    """A number is drawn beside Meriadoc and no redraw is offered."""
    for entry in setup_entries(record, "redraw"):
        if not entry["accepted"]:
            record["setup"].remove(entry)
            return "redraw is due"
    return None


@change(15, least=8)
def redraw_without_meriadoc(record: Record, chance: random.Random) -> str | None:
    """A number is drawn once more though nobody grants it."""
    entry = setup_entries(record, "threat")[0]
    at = record["setup"].index(entry)
    record["setup"].insert(at + 1, {"seat": entry["seat"], "action": "redraw", "accepted": False})
    return "setup"


@change(8, 9, least=20)
def strider_says_the_other(record: Record, chance: random.Random) -> str | None:
    """Strider's declaration turns round after setup."""
    strider = seat_of(record, "strider")
    if strider is None:
        return None
    entry = record["seats"][strider]
    entry["declared"] = "more" if entry["declared"] == "fewer" else "fewer"
    return f"seat {strider}: declared is {entry['declared']}"


# Gifts.


@change(11)
def broken_sword_between_the_pairs(record: Record, chance: random.Random) -> str | None:
    """Aragorn chooses 2 and 3."""
    setup_entries(record, "sword")[0]["value"] = [2, 3]
    return "the pairs are"


@change(11)
def horn_names_another_suit(record: Record, chance: random.Random) -> str | None:
    """Boromir names a suit of which he has fewer cards."""
    for entry in setup_entries(record, "horn"):
        entry["suits"] = [next(letter for letter in "HMFS" if letter not in entry["suits"])]
        return "the horn names"
    return None


@change(11, least=2)
def horn_leaves_a_tie_out(record: Record, chance: random.Random) -> str | None:
    """Boromir names one of two longest suits."""
    for entry in setup_entries(record, "horn"):
        if len(entry["suits"]) > 1:
            entry["suits"] = entry["suits"][:1]
            return "the horn names"
    return None


@change(13, 14, 17, least=5)
def mithril_saves_nobody(record: Record, chance: random.Random) -> str | None:
    """The one failed goal was saved, but the round is lost."""
    if not (record["won"] and record["mithril"]):
        return None
    record["won"] = False
    return "won: False"


@change(13, 14, 17, least=5)
def mithril_refused(record: Record, chance: random.Random) -> str | None:
    """The gift is refused, but the round is won."""
    if not (record["won"] and record["mithril"]):
        return None
    record["mithril"][0]["accept"] = False
    return "won: True"


@change(13, 14, 17, least=5)
def mithril_not_offered(record: Record, chance: random.Random) -> str | None:
    """One goal alone failed, and nothing is offered."""
    if not [offer for offer in record["mithril"] if offer["final"]]:
        return None
    record["mithril"] = []
    return "mithril: not offered"


@change(13, 14, 17, least=15)
def mithril_for_two(record: Record, chance: random.Random) -> str | None:
    """The gift is used at the end for one of several failed goals."""
    failed = [seat for seat, goal in enumerate(record["goals"]) if not goal]
    if len(failed) < 2 or record["mithril"]:
        return None
    after = len(record["tricks"])
    record["mithril"] = [{"seat": failed[0], "after_trick": after, "final": True, "accept": True}]
    return f"mithril, seat {failed[0]}: offered after trick {after}; {len(failed)} goals failed"


@change(15, 18, least=10)
def mithril_where_there_is_none(record: Record, chance: random.Random) -> str | None:
    """The Mithril Shirt saves a goal in another chapter."""
    failed = [seat for seat, goal in enumerate(record["goals"]) if not goal]
    if not failed:
        return None
    record["mithril"] = [{"seat": failed[0], "after_trick": len(record["tricks"]), "final": True, "accept": True}]
    return "nobody has the Mithril Shirt"


# Who leads.


@change(4, 5, least=4)
def emptied_hand_is_passed_over_wrongly(record: Record, chance: random.Random) -> str | None:
    """The winner has no card left, and somebody else than the next on his left leads."""
    tricks = record["tricks"]
    for number, (before, trick) in enumerate(zip(tricks, tricks[1:], strict=False), start=2):
        if before["winner"] is not None and before["winner"] != trick["leader"]:
            trick["leader"] = next(seat for seat, _ in trick["plays"] if seat != trick["leader"])
            return f"trick {number}: seat {trick['leader']} leads"
    return None


@change(10, 11, least=8)
def lead_passed_by_another(record: Record, chance: random.Random) -> str | None:
    """Somebody else than Bilbo Baggins names who leads."""
    bilbo = seat_of(record, "bilbo_baggins")
    tricks = record["tricks"]
    for number, (before, trick) in enumerate(zip(tricks, tricks[1:], strict=False), start=2):
        if before["winner"] != bilbo:
            trick["leader"] = (before["winner"] + 1) % len(record["seats"])
            trick["pass_lead"] = [before["winner"], trick["leader"]]
            return f"trick {number}: seat {trick['leader']} leads; the rules say [{before['winner']}]"
    return None


@change(7, 9, 10, 12, 15, least=30)
def holder_leads_first(record: Record, chance: random.Random) -> str | None:
    """The holder of the 1 of Rings leads, though a card names somebody else."""
    named = [seat for seat, entry in enumerate(record["seats"]) if ROLES[entry["character"]].leads_first]
    named = named or [seat for seat, entry in enumerate(record["seats"]) if entry["character"] == "gandalf"]
    holder = next(seat for seat, entry in enumerate(record["seats"]) if "R1" in entry["dealt"])
    if holder in named:
        return None
    record["first_leader"] = holder
    return f"first_leader: {holder}; the rules say {named}"


# Radagast, Shadowfax (sections 3 and 17).


@change(12)
def gandalf_before_radagasts_card(record: Record, chance: random.Random) -> str | None:
    """Radagast's card does not lie first."""
    if not setup_entries(record, "preplay"):
        return None
    for name in ("plays", "legal"):
        listed = record["tricks"][0][name]
        listed[0], listed[1] = listed[1], listed[0]
    return "trick 1: seats"


@change(12)
def kept_card_played_early(record: Record, chance: random.Random) -> str | None:
    """Radagast plays the card for the last trick before."""
    radagast = seat_of(record, "radagast")
    if radagast is None or record["players"] != 3:
        return None
    last = next(play for play in record["tricks"][-1]["plays"] if play[0] == radagast)
    early = next(play for play in record["tricks"][4]["plays"] if play[0] == radagast)
    last[1], early[1] = early[1], last[1]
    return f"trick 5, seat {radagast}: plays {early[1]}; legal are"


@change(12)
def card_for_the_first_trick_changed(record: Record, chance: random.Random) -> str | None:
    """Radagast plays another card to the first trick than the one that lies there."""
    radagast = seat_of(record, "radagast")
    if radagast is None:
        return None
    first = next(play for play in record["tricks"][0]["plays"] if play[0] == radagast)
    later = next(play for play in record["tricks"][1]["plays"] if play[0] == radagast)
    first[1], later[1] = later[1], first[1]
    return f"trick 1, seat {radagast}: plays"


@change(12)
def nothing_set_aside(record: Record, chance: random.Random) -> str | None:
    """Radagast keeps no card for the last trick."""
    entries = setup_entries(record, "reserve")
    if not entries:
        return None
    record["setup"].remove(entries[0])
    return "reserve is due"


@change(12)
def another_card_declared_in_setup(record: Record, chance: random.Random) -> str | None:
    """Radagast declares that his card wins, which is not the 1 of Rings."""
    for entry in setup_entries(record, "preplay"):
        if entry["card"] != "R1":
            entry["one_ring_wins"] = True
            return f"declares {entry['card']} to win"
    return None


@change(12)
def tucked_card_is_followed_with(record: Record, chance: random.Random) -> str | None:
    """A tucked card counts as one that can be played."""
    shadowfax = seat_of(record, "shadowfax")
    for number, trick in enumerate(record["tricks"], start=1):
        if trick.get("untuck") is not None:
            return None
        for at, (seat, _) in enumerate(trick["plays"]):
            if seat == shadowfax:
                trick["legal"][at] = [*trick["legal"][at], record["seats"][seat]["tucked"]]
                return f"trick {number}, seat {seat}: legal is"
    return None


@change(12)
def only_one_exchange_with_gandalf(record: Record, chance: random.Random) -> str | None:
    """Gwaihir exchanges once."""
    entries = setup_entries(record, "exchange")
    if not entries:
        return None
    record["setup"].remove(entries[-1])
    return "exchange is due"


# The pyramid, and partners.


@change(15, least=5)
def blindfolded_pyramid(record: Record, chance: random.Random) -> str | None:
    """The pyramid is Gimli."""
    if record["players"] != 2:
        return None
    gimli, seats = seat_of(record, "gimli"), record["seats"]
    assert gimli is not None
    seats[gimli]["character"], seats[2]["character"] = seats[2]["character"], "gimli"
    return "selection, seat 2: gimli; the options are"


@change(7, least=3)
def underhill_taken_for_frodo(record: Record, chance: random.Random) -> str | None:
    """Sam, Merry or Pippin exchange with Mr. Underhill."""
    underhill = seat_of(record, "mr_underhill")
    for entry in setup_entries(record, "exchange"):
        if record["seats"][entry["seat"]]["character"] != "barliman_butterbur":
            entry["with"] = underhill
            return f"exchanges with seat {underhill}; partners are"
    return None


@change(11, 13, least=4)
def boromir_exchanges_with_frodo(record: Record, chance: random.Random) -> str | None:
    """Boromir's partner is the one whom he may not ask."""
    frodo = seat_of(record, "frodo")
    for entry in setup_entries(record, "exchange"):
        if record["seats"][entry["seat"]]["character"] == "boromir":
            entry["with"] = frodo
            return f"exchanges with seat {frodo}; partners are"
    return None


@change(5, 6, 9, 10, 12, 13, 14, 15, 16, 17, 18, least=300)
def wrong_goal_of_a_later_chapter(record: Record, chance: random.Random) -> str | None:
    """A goal is said to be the other way round."""
    seat = chance.randrange(len(record["goals"]))
    record["goals"][seat] = not record["goals"][seat]
    return f"goal of seat {seat} ({record['seats'][seat]['character']})"


@change(5, 12, 17, 18, least=100)
def wrong_winner_of_a_later_chapter(record: Record, chance: random.Random) -> str | None:
    """Another seat wins a trick."""
    number, trick = pick(record, chance)
    trick["winner"] = chance.choice([seat for seat, _ in trick["plays"] if seat != trick["winner"]])
    return f"trick {number}: winner {trick['winner']}"


@change(16, 17, 18, least=100)
def card_outside_the_deck(record: Record, chance: random.Random) -> str | None:
    """Somebody was dealt a River too many, or one where there are none."""
    card = "V8" if record["players"] in (2, 3) or record["chapter"] == 16 else "V9"
    record["seats"][0]["dealt"][0] = card
    assert card not in chapter_played(record).deck
    return f"deal: {card} is there 1 times; the deck has 0"


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_event_is_found(name: str) -> None:
    function, least, numbers = CHANGES[name]
    is_found(name, function, least, numbers)
