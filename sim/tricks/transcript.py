"""A replayed deal as text: hands, setup, every trick, and the goal board after it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from scenarios.wording import goal_in_words
from sim.tricks import decisions
from sim.tricks.knowledge import Knowledge
from sim.tricks.policies.reasons import NO_EXCHANGE, Reason
from sim.tricks.replay import Replay
from sim.tricks.replay import record as play_record
from sim.tricks.round import is_won

IN_PLAY = (decisions.CARD, decisions.DECLARE, decisions.UNTUCK, decisions.LEADER, decisions.FETCH, decisions.FREED)
SETUP = {
    decisions.CHARACTER: "chooses",
    decisions.EXCHANGER: "says who exchanges:",
    decisions.TAKE: "takes the lost card:",
    decisions.PARTNER: "exchanges with",
    decisions.GIVEN: "passes",
    decisions.RETURNED: "gives back",
    decisions.THREAT: "takes the threat",
    decisions.KEPT: "keeps the threat",
    decisions.AGAIN: "draws a threat again:",
    decisions.WAY: "says",
    decisions.FROM_PILE: "takes from the pile",
    decisions.TUCKED: "tucks",
    decisions.RESERVED: "keeps for the last trick",
    decisions.AHEAD: "plays ahead",
    decisions.AHEAD_WINS: "declares the card played ahead:",
    decisions.CURSED: "gives the wandering curse to",
    decisions.CLAIM: "leaves the lost card to",
    decisions.FETCH: "exchanges by the gift with",
}
"""Verbs of the decisions in setup."""


def transcript(replay: Replay) -> Iterator[str]:
    """Play `replay` to its end, yielding lines of text. The text depends on the deal alone, so it can be compared."""
    record = play_record(replay)
    yield from _head(replay, record)
    yield from _setup(record)
    yield from _decisions(replay, record, None)
    yield f"After setup: {_board(record, 0)}"
    for number, trick in enumerate(record["tricks"], 1):
        yield from _before(record, trick)
        plays = "  ".join(f"{_name(record, seat)} {card}" for seat, card in trick["plays"])
        wins = f"{_name(record, trick['winner'])} wins" if trick["winner"] is not None else "nobody wins"
        if trick["one_ring_wins"]:
            wins += " (declared)"
        yield f"{number:2}. {plays}  -> {wins}"
        yield from _decisions(replay, record, number - 1)
        if record.get("event_failed_at") == number:
            yield f"    the trick falls short: {record['failed_event']} fails everybody"
        draws = trick.get("draws", [])
        if draws:
            yield "    draws: " + ", ".join(f"{_name(record, seat)} {card}" for seat, card in draws)
        yield f"    {_board(record, number)}"
    saved = not record["won"] and is_won(replay.public, replay.hidden)
    gift = next((gift.name for gift in replay.scenario.gifts.values() if gift.saves_goal), "")
    yield f"The round is won: {gift} makes up for one goal." if saved else f"The round is {'won' if record['won'] else 'lost'}."
    for seat, sealed in enumerate(record["sealed"]):
        entry = replay.scenario.characters[record["seats"][seat]["character"]]
        goal = entry.text or goal_in_words(entry)
        if sealed["failed_after"] is not None:
            yield f"  {entry.name}: lost for good {_when(sealed['failed_after'])} ({goal})"
        else:
            yield f"  {entry.name}: met {_when(sealed['met_after'])} ({goal})"


def _before(record: dict[str, Any], trick: dict[str, Any]) -> Iterator[str]:
    """Yield what happens before a trick."""
    if "untuck" in trick:
        yield f"    {_name(record, trick['untuck'])} takes the tucked card back"
    if "pass_lead" in trick:
        who, leads = trick["pass_lead"]
        yield f"    {_name(record, who)} lets {_name(record, leads)} lead"
    if "fetch" in trick:
        fetch = trick["fetch"]
        who, gave, got = _name(record, fetch["seat"]), fetch["gave"], fetch["got"]
        if fetch["with"] is None:
            yield f"    {who} swaps {gave} for the lost card {got}"
        else:
            yield f"    {who} passes {gave} to {_name(record, fetch['with'])} and gets {got}"
    if "free" in trick:
        yield f"    {_name(record, trick['free'])} need not follow suit in this trick"
    if trick.get("reveal"):
        yield f"    turned up: {' '.join(trick['reveal'])}"


def _what(reason: Reason) -> str:
    """Return what was decided in play, in words."""
    if reason.kind == decisions.DECLARE:
        return "declares" if reason.chosen == "yes" else "does not declare"
    if reason.kind == decisions.UNTUCK:
        return f"takes the tucked card back: {reason.chosen}"
    if reason.kind == decisions.LEADER:
        return f"names {reason.chosen} to lead"
    if reason.kind == decisions.FREED:
        return f"is free in the first trick: {reason.chosen}"
    return f"{SETUP[reason.kind]} {reason.chosen}" if reason.kind in SETUP else reason.chosen


def _decisions(replay: Replay, record: dict[str, Any], trick: int | None) -> Iterator[str]:
    """Yield what was known at the decisions of a trick (None: of setup) and why they were taken, so far as it was kept."""

    def belongs(told: Knowledge | Reason) -> bool:
        playing = told.kind in IN_PLAY or told.trick > 0
        return (told.trick == trick) if playing else trick is None

    idle = [reason.kind == decisions.FETCH and reason.chosen == NO_EXCHANGE for reason in replay.reasons]
    shown = len(replay.known) == len(idle)
    known = [one for n, one in enumerate(replay.known) if belongs(one) and not (shown and idle[n])]
    reasons = [one for one, left_out in zip(replay.reasons, idle, strict=True) if belongs(one) and not left_out]
    # Both are kept, if at all, at the same decisions.
    for knowledge, reason in itertools.zip_longest(known, reasons):
        if knowledge is not None:
            yield f"    {_decider(record, knowledge)} held {' '.join(knowledge.hand) or 'nothing'}; {'; '.join(knowledge.facts)}"
        if reason is not None:
            done = _what(reason) if trick is not None else f"{SETUP[reason.kind]} {reason.chosen}"
            yield f"    {_decider(record, reason)} {done}: {reason.why}"


def _decider(record: dict[str, Any], told: Knowledge | Reason) -> str:
    """Return who decided: the character in play, seat and character in setup, where it may not be chosen yet."""
    name = _name(record, told.seat)
    return name if told.kind in IN_PLAY else f"seat {told.seat} ({name})"


def _when(trick: int | None) -> str:
    return "before the first trick" if trick == 0 else f"after trick {trick}"


def _name(record: dict[str, Any], seat: int) -> str:
    return str(record["seats"][seat]["character"])


def _board(record: dict[str, Any], after: int) -> str:
    """Return tricks won and the state of every goal after so many tricks."""
    parts = []
    for seat, sealed in enumerate(record["sealed"]):
        won = sum(trick["winner"] == seat for trick in record["tricks"][:after])
        state = "open"
        for word, trick in (("lost", sealed["failed_after"]), ("met", sealed["met_after"])):
            if trick is not None and trick <= after:
                state = word
        parts.append(f"{_name(record, seat)} {won} {state}")
    return "goals: " + ", ".join(parts)


def _head(replay: Replay, record: dict[str, Any]) -> Iterator[str]:
    scenario = replay.scenario
    title = f"chapter {scenario.label}: {scenario.title}" if scenario.label.isdigit() else scenario.title
    if scenario.kind_title:
        title += f" ({scenario.kind_title})"
    yield f"{title}, {record['players']} player{'s' if record['players'] > 1 else ''}"
    place = replay.standing
    where = f", attempt {place.attempt}, round {place.number}" if place is not None else ""
    yield f"policy {record['policy']}, seed {record['seed']}, deal {record['deal']}{where}"
    if replay.drawn:
        yield "drawn: " + ", ".join(entry.character for entry in scenario.roster)
    if scenario.wandering is not None:
        due = "" if replay.public.curse_due else ", borne before"
        yield f"wandering curse: {scenario.wandering[1].name}, {scenario.wandering[1].text}{due}"
    if place is not None and place.completed:
        done = [entry.character for role, entry in enumerate(scenario.roster) if place.completed >> role & 1]
        yield "completed before: " + ", ".join(done)
    yield "lost card: " + (" ".join(record["lost"]) or "none")
    if "barrow" in record:
        yield "set aside: " + " ".join(record["barrow"])
    for seat, entry in enumerate(record["seats"]):
        notes = [entry["character"]]
        if entry["threat"]:
            notes.append(f"threat {entry['threat']}")
        if entry["declared"]:
            said = entry["declared"]
            notes.append(said if isinstance(said, str) else " or ".join(map(str, said)))
        if entry["curse"]:
            notes.append(f"curse {entry['curse']}")
        if entry["pyramid"]:
            notes.append(f"pyramid, played by seat {entry['controller']}")
        yield f"seat {seat} ({', '.join(notes)})"
        yield f"    dealt   {' '.join(entry['dealt'])}"
        if entry["hand"] != entry["dealt"]:
            yield f"    at play {' '.join(entry['hand'])}"
    for name in ("pyramid_dealt", "pyramid_at_play"):
        if name in record:
            yield f"{name.replace('_', ' ')} (top row first; brackets: face down)"
            for row in sorted({place["row"] for place in record[name]}, reverse=True):
                cards = [p["card"] if p["up"] else f"[{p['card']}]" for p in record[name] if p["row"] == row]
                yield f"    {'beside: ' if row < 0 else ''}{' '.join(cards)}"


def _setup(record: dict[str, Any]) -> Iterator[str]:
    for step in record["setup"]:
        if "seat" not in step:
            yield from _together(record, step)
        else:
            yield _step(record, step)


def _together(record: dict[str, Any], step: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a step in which cards change hands at once."""
    if step["action"] == "long_dark":
        passes = step["plans"] + step["returns"]
    else:
        passes = [(int(giver), int(to), card) for giver, given in step["gave"].items() for to, card in given.items()]
    yield "at once: " + ", ".join(f"{_name(record, giver)} passes {card} to {_name(record, to)}" for giver, to, card in passes)


def _step(record: dict[str, Any], step: dict[str, Any]) -> str:
    """Return the line of a setup action."""
    who = _name(record, step["seat"])
    match step["action"]:
        case "exchange":
            return f"{who} passes {step['gave']} to {_name(record, step['with'])} and gets {step['got']}"
        case "threat":
            again = f" (drawn again: {', '.join(map(str, step['rejected']))})" if step["rejected"] else ""
            return f"{who} draws threat {step['value']}{again}"
        case "take_lost":
            return f"{who} takes the lost card {' '.join(step['cards'])}"
        case "decline_lost":
            return f"{who} leaves the lost card {' '.join(step['cards'])}"
        case "donate":
            return f"{who} gives {step['card']} to {_name(record, step['to'])}"
        case "solo_full_hand":
            return f"{who} gets {' '.join(step['cards'])} from the draw deck"
        case "take_barrow":
            return f"{who} takes {' '.join(step['cards'])} from the pile"
        case "no_exchange":
            why = "another character exchanges in this round" if step["why"] == "solo" else "no partner in the round"
            return f"{who} does not exchange: {why}"
        case "choose_solo_exchanger":
            return f"{who} is the one who exchanges in this round"
        case "choose_threat" | "keep_threat":
            word = "chooses" if step["action"] == "choose_threat" else "keeps"
            return f"{who} {word} threat {step['value']} of {', '.join(map(str, step['options']))}"
        case "sword":
            return f"{who} chooses {' or '.join(map(str, step['value']))} tricks"
        case "redraw":
            return f"{who} {'draws again' if step['accepted'] else 'keeps the threat'}"
        case "declare":
            return f"{who} declares {step['value']}"
        case "tuck":
            return f"{who} tucks {step['card']}"
        case "reserve":
            return f"{who} sets {step['card']} aside for the last trick"
        case "preplay":
            return f"{who} lays {step['card']} for the first trick" + (" (declared)" if step["one_ring_wins"] else "")
        case "curse":
            return (
                f"the curse is for {_name(record, step['to'])}"
                if step["to"] is not None
                else "the curse is for nobody in this round"
            )
        case "claim_lost":
            return f"the lost card is {who}'s to take or to leave"
        case "exchange_lost":
            return f"{who} swaps {step['gave']} for the lost card {step['got']}"
        case "reveal_hand":
            return f"{who} shows the hand"
        case "horn":
            return f"{who} announces the longest suits: {' '.join(step['suits'])}"
        case "simultaneous_exchange":
            return next(iter(_together(record, step)))
    return f"{who}: {step['action']}"
