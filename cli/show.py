"""``ringsim show``: one chapter in full, with where each rule comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Assume, parse_assume
from cli.paragraphs import paragraph
from cli.writing import Force, Out, Shape, choose_shape, write_text
from scenarios.errors import UserError

if TYPE_CHECKING:
    from scenarios import Scenario
    from scenarios.model import RosterEntry

EPILOG = "Example: ringsim show 4 --players 3"
ONLY_FOR = {"solo": 1, "refill": 1, "solo_selection": 1, "pyramid": 2}
"""Rules that matter for one number of players."""


def show(
    chapter: Annotated[str, typer.Argument(help="A chapter's number or a scenario file (my.toml).")],
    players: Annotated[str | None, typer.Option("--players", help="The deal for these numbers of people only.")] = None,
    assume: Assume = None,
    format: Shape = None,
    out: Out = None,
    force: Force = False,
) -> None:
    """Show a chapter: deck, deal, characters, goals, setup, house rules and the source of each."""
    from sim.core.numbers import parse_players

    shape = choose_shape(format, out, force)
    wanted = parse_players(players) if players is not None else None
    import scenarios

    scenario = scenarios.load(chapter, parse_assume(assume or []))
    if wanted and (missing := [n for n in wanted if n not in scenario.deals]):
        raise UserError(f"--players {missing[0]}: chapter {scenario.label} has deals for {', '.join(map(str, scenario.deals))}")
    numbers = sorted(wanted or scenario.deals)
    if shape == "json":
        import json

        write_text(json.dumps(as_data(scenario, numbers), indent=1, ensure_ascii=False), out)
        return
    write_text("\n".join(describe(scenario, numbers)), out)


def as_data(scenario: Scenario, players: list[int]) -> dict[str, Any]:
    """Return a chapter as JSON data: all of the scenario, its hash, and the source of each rule."""
    import msgspec

    import scenarios

    data = msgspec.to_builtins(scenario, str_keys=True)
    data["deals"] = {number: size for number, size in data["deals"].items() if int(number) in players}
    return data | {"hash": scenario.hash, "rules_source": scenarios.load_book(scenario.book).rules_source}


def describe(scenario: Scenario, players: list[int]) -> list[str]:
    """Return a chapter as lines of text."""
    title = f"Chapter {scenario.label}: {scenario.title}" if scenario.label.isdigit() else f"{scenario.title} ({scenario.label})"
    lines = [*paragraph(title), *paragraph(f"{scenario.book_title}, {scenario.length} chapter"), *paragraph(scenario.source)]
    lines += ["", *_deck(scenario)]
    lines += paragraph(", ".join(map(str, scenario.threats)) or "none", "Threats: ")
    for kind in scenario.rounds.values():
        lines += ["", *_kind(scenario, kind, players)]
    if not scenario.rounds:
        lines += ["", "Deal", *_deals(scenario, players), *_extras(scenario)]
        if scenario.draw is not None:
            lines += ["", "Drawn for each deal", *_draw(scenario, players)]
        lines += ["", "Characters (* required)"]
        for entry in scenario.roster:
            lines += _character(scenario, entry, 1 in players)
    if scenario.notes:
        lines += ["", "Notes"]
        for note in scenario.notes:
            lines += paragraph(note, "  - ")
    lines += ["", *paragraph("House rules in force (--assume NAME=OPTION chooses)"), *_house_rules(scenario, players)]
    lines += ["", "Other rules", *_other_rules(scenario, players)]
    lines += ["", "Sources"]
    for tag, text in scenario.sources.items():
        lines += paragraph(text, f"  [{tag}]".ljust(13), " " * 13)
    return lines


def _draw(scenario: Scenario, players: list[int]) -> Iterator[str]:
    """Yield what is drawn, group by group."""
    from scenarios.wording import draw_in_words

    for text in draw_in_words(scenario, players):
        yield from paragraph(text, "  ")
    if scenario.draw is None:
        return
    turning = [scenario.draw.turning.source] if scenario.draw.turning is not None else []
    for source in dict.fromkeys([scenario.draw.source, *(group.source for group in scenario.draw.groups.values()), *turning]):
        yield from paragraph(source, "       ")


def _kind(chapter: Scenario, kind: Scenario, players: list[int]) -> list[str]:
    """Return a kind of round of a chapter that has several."""
    lines = [*paragraph(f"Round '{kind.name}': {kind.kind_title}"), *paragraph(kind.source, "  ")]
    if kind.after:
        lines += paragraph(", ".join(chapter.rounds[before].kind_title for before in kind.after), "  after     ")
    if kind.times == "any":
        lines += paragraph("may be completed more than once", "  ")
    if kind.cards != chapter.cards:
        lines += [f"  {line}" for line in _deck(kind)]
    lines += [*_deals(kind, players), *_extras(kind), "", "  Characters (* required)"]
    for entry in kind.roster:
        lines += _character(kind, entry, 1 in players)
    for note in kind.notes:
        if note not in chapter.notes:
            lines += paragraph(note, "  - ")
    return lines


def _extras(scenario: Scenario) -> Iterator[str]:
    """Yield event, curses and gifts."""
    from scenarios.wording import event_in_words

    event = scenario.event
    if event is not None:
        yield from paragraph(
            f"{event.text or event_in_words(event)}  {event.source}".rstrip(), f"  Event     {event.name}: ", " " * 12
        )
    for owner, (_, curse) in scenario.curses.items():
        who = scenario.characters[owner].name
        few = "" if len(curse.players) == 4 else f" ({', '.join(map(str, curse.players))} players)"
        yield from paragraph(f"{who} has {curse.name}{few}: {curse.text}  {curse.source}".rstrip(), "  Curse     ", " " * 12)
    if scenario.wandering is not None:
        curse = scenario.wandering[1]
        few = "" if len(curse.players) == 4 else f" ({', '.join(map(str, curse.players))} players)"
        text = f"{curse.name}{few}, for one character in one round, by the group's choice: {curse.text}  {curse.source}"
        yield from paragraph(text.rstrip(), "  Curse     ", " " * 12)
    for gift in scenario.gifts.values():
        yield from paragraph(f"{gift.name}: {gift.text}  {gift.source}".rstrip(), "  Gift      ", " " * 12)


def _deck(scenario: Scenario) -> Iterator[str]:
    suits = []
    for letter, suit in scenario.suits.items():
        ranks = [int(card[1:]) for card in scenario.cards if card[0] == letter]
        if ranks:
            whole = ranks == list(range(ranks[0], ranks[-1] + 1)) and len(ranks) > 1
            suits.append(f"{suit.name} {letter}" + (f"{ranks[0]}-{ranks[-1]}" if whole else ",".join(map(str, ranks))))
    yield from paragraph(f"{len(scenario.cards)} cards, {', '.join(suits)}", "Deck: ", "  ")
    if scenario.declaring:
        yield from paragraph(f"Whoever plays {scenario.declaring} may declare that it wins the trick.", "  ")
    for card in scenario.never_lost:
        yield from paragraph(f"{card} is dealt again when it turns up as the lost card.", "  ")


def _deals(scenario: Scenario, players: list[int]) -> Iterator[str]:
    for number in players:
        size = scenario.deals[number]
        text = f"{size.seats} hands of {size.hand}, {size.lost} lost card{'' if size.lost == 1 else 's'}"
        if size.draw_deck:
            text += f", a draw deck of {size.draw_deck}"
        if size.without:
            left = [size.without] if isinstance(size.without, str) else size.without
            text += f" (without {', '.join(left)})"
        if scenario.event is not None and scenario.event.pile is not None:
            text += f", {scenario.event.pile.cards[str(number)]} cards face down in the pile"
        if size.pyramid:
            rows = ", ".join(map(str, scenario.pyramids[size.pyramid].rows))
            text += f"; the third hand is an open pyramid (rows of {rows})"
        yield from paragraph(text, f"  {number} player{'s' if number > 1 else ' '}  ")


def _character(scenario: Scenario, entry: RosterEntry, solo: bool) -> Iterator[str]:
    import scenarios
    from scenarios.wording import action_in_words, goal_in_words

    names = {key: known.name for key, known in scenarios.load_characters(scenario.book).items()}
    names |= {key: known.name for key, known in scenario.characters.items()}
    suits = {letter: suit.name for letter, suit in scenario.suits.items()}
    character = scenario.characters[entry.character]
    yield from paragraph(f"{character.name}{'*' * entry.required} ({entry.character})  {entry.source}".rstrip(), "  ")
    yield from _rule("goal", character.text or goal_in_words(character), character.source)
    if character.taken_with:
        yield from _rule("", f"goes to whoever holds {character.taken_with}")
    if character.leads_first:
        yield from _rule("", "leads the first trick")
    if character.names_leader:
        yield from _rule("", "may name another character to lead instead")
    if character.free_play:
        yield from _rule("", "need not follow suit, and may lead a locked suit")
    if character.burdened:
        yield from _rule("", "burdened: may not get the wandering curse")
    if character.redraws:
        yield from _rule("", "with this character in the round, everybody may draw a threat again once")
    if not entry.complete:
        yield from _rule("", "need not succeed before the chapter is done")
    if character.keeps:
        kept = [character.keeps] if isinstance(character.keeps, str) else character.keeps
        yield from _rule("", f"may not pass {', '.join(kept)} in setup")
    for lending in character.lends:
        cards = lending.cards if isinstance(lending.cards, str) else " ".join(lending.cards)
        yield from _rule("", f"cards won of {cards} count for {names.get(lending.to, lending.to)} too", lending.source)
    for action in character.setup:
        yield from _rule("setup", action_in_words(action, names, suits), action.source)
    if solo and (character.solo.extra_cards or not character.solo.refill):
        refill = "draws after each trick" if character.solo.refill else "draws none later"
        yield from _rule("solo", f"{character.solo.extra_cards} more cards before setup, {refill}", character.solo.source)


def _rule(word: str, text: str, source: str = "") -> list[str]:
    return paragraph(f"{text}  {source}".rstrip(), f"      {word}".ljust(13))


def _house_rules(scenario: Scenario, players: list[int]) -> Iterator[str]:
    import scenarios

    book = scenarios.load_book(scenario.book)
    known = scenarios.load_assumptions(scenario.book)
    for rule in scenario.rules.__struct_fields__:
        if ONLY_FOR.get(rule, players[0]) not in players:
            continue
        value = getattr(scenario.rules, rule)
        if not _concerns(scenario, rule):
            continue
        name = next((name for name, asked in known.items() if any(rule in sets for sets in asked.options.values())), "")
        usual = getattr(book.rules, rule)
        text = f"{rule} = {value}" + (f" (the book: {usual})" if value != usual else "")
        if name:
            others = [option for option in known[name].options if option != scenario.assumptions.get(name)]
            yield from paragraph(known[name].question, f"  {name}".ljust(7))
            text += f"; otherwise: {', '.join(others)}"
        yield from paragraph(text, "       ")
        if rule in book.rules_source:
            yield from paragraph(book.rules_source[rule], "       ")


def _concerns(scenario: Scenario, rule: str) -> bool:
    """Return whether a house rule can change anything in a chapter; of a file of one's own it is not known."""
    import scenarios
    from scenarios.bearing import concerns

    asked = scenarios.load_assumptions(scenario.book).values()
    return any(concerns(one, scenario.label) for one in asked if any(rule in sets for sets in one.options.values()))


ACTIONS = {
    "pass": "pass_right", "declare_direction": "declare", "pile_taken": "take_pile", "tuck": "tuck", "set_aside": "set_aside",
    "swap_lost": "swap_lost", "choose_threat": "choose_threat",
}  # fmt: skip
"""Rules of the book that are for a setup action."""


def _absent(scenario: Scenario) -> set[str]:
    """Return the rules of the book that nothing in a chapter asks for."""
    kinds = [scenario, *scenario.rounds.values()]
    characters = [character for kind in kinds for character in kind.characters.values()]
    actions = [action for character in characters for action in character.setup]
    events = [kind.event for kind in kinds if kind.event is not None]
    there = {rule for rule, name in ACTIONS.items() if any(action.do == name for action in actions)}
    asked = {
        "keep": any(action.draw > 1 for action in actions),
        "redraw": any(character.redraws for character in characters),
        "names_leader": any(character.names_leader for character in characters),
        "announce": any(gift.announces for kind in kinds for gift in kind.gifts.values()),
        "reveal_test": any(event.reveal for event in events),
        "mirror": any(event.deal_steps for event in events),
        "curse": any(kind.curses for kind in kinds),
        "wandering_curse": any(kind.wandering or kind.drawn_curses for kind in kinds),
        "fetch_lost": any(gift.fetches_lost for kind in kinds for gift in kind.gifts.values()),
        "free_first": any(gift.frees_first for kind in kinds for gift in kind.gifts.values()),
    }
    return {*ACTIONS, *asked} - there - {rule for rule, needed in asked.items() if needed}


def _other_rules(scenario: Scenario, players: list[int]) -> Iterator[str]:
    import scenarios

    left_out = _absent(scenario)
    for rule, source in scenarios.load_book(scenario.book).rules_source.items():
        there = rule not in scenario.rules.__struct_fields__ and rule not in left_out
        if there and ONLY_FOR.get(rule, players[0]) in players:
            yield from paragraph(source, f"  {rule}".ljust(16))
