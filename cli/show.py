"""``ringsim show``: one chapter in full, with where each rule comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Assume, parse_assume, parse_choice
from scenarios.errors import UserError

EPILOG = "Example: ringsim show 4 --players 3"


def show(
    chapter: Annotated[str, typer.Argument(help="A chapter's number or a scenario file (my.toml).")],
    players: Annotated[str | None, typer.Option("--players", help="The deal for one number of people only.")] = None,
    assume: Assume = None,
    format_: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Show a chapter: deck, deal, characters, goals, setup, house rules and the source of each."""
    from sim.core.numbers import parse_players

    shape = parse_choice(format_, "--format", ("table", "json"))
    wanted = parse_players(players) if players else None
    import scenarios

    scenario = scenarios.load(chapter, parse_assume(assume or []))
    if wanted and (missing := [n for n in wanted if n not in scenario.deals]):
        raise UserError(f"--players {missing[0]}: chapter {scenario.label} has deals for {', '.join(map(str, scenario.deals))}")
    if shape == "json":
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(scenario), indent=1).decode())
        return
    print("\n".join(describe(scenario, wanted or list(scenario.deals))))


def describe(scenario, players: list[int]) -> list[str]:  # type: ignore[no-untyped-def]
    """Return a chapter as lines of text."""
    s = scenario
    suits = ", ".join(f"{suit.name} ({letter})" for letter, suit in s.suits.items() if any(c.startswith(letter) for c in s.cards))
    title = f"Chapter {s.label}: {s.title}" if s.label.isdigit() else f"{s.title} ({s.label})"
    lines = [title, f"{s.book_title}; {s.length}  {s.source}", "", f"Deck: {len(s.cards)} cards, {suits}"]
    if s.declaring:
        lines.append(f"  {s.declaring} may be declared to win the trick. {s.rules.declare.replace('_', ' ')}")
    if s.never_lost:
        lines.append(f"  {', '.join(s.never_lost)} is dealt again when it turns up as the lost card.")
    lines.append(f"Threats: {', '.join(map(str, s.threats)) or 'none'}")
    lines.append("Deal:")
    for n in players:
        size = s.deals[n]
        extra = f", draw deck of {size.draw_deck}" if size.draw_deck else ""
        extra += f", the third hand a pyramid of {s.pyramids[size.pyramid].rows}" if size.pyramid else ""
        lines.append(f"  {n} player{'s' if n > 1 else ''}: {size.seats} hands of {size.hand}, {size.lost} lost{extra}")
    lines.append("Characters (* required):")
    for entry in s.roster:
        c = s.characters[entry.character]
        lines.append(f"  {c.name}{'*' if entry.required else ''}  {entry.source}")
        lines.append(f"      goal: {c.text}  {c.source}")
        for action in c.setup:
            lines.append(f"      setup: {_action(action)}  {action.source}")
        if c.solo.extra_cards or not c.solo.refill:
            refill = "draws after each trick" if c.solo.refill else "draws none later"
            lines.append(f"      solo: {c.solo.extra_cards} more cards before setup, {refill}  {c.solo.source}")
    lines += [f"Note: {note}" for note in s.notes]
    if s.assumptions:
        import scenarios

        known = scenarios.load_assumptions(s.book)
        lines.append("Assumptions:")
        for name, option in s.assumptions.items():
            default = known[name].default
            lines.append(f"  {name} = {option}{'' if option == default else f' (default {default})'}: {known[name].question}")
    lines.append("Sources:")
    lines += [f"  [{tag}] {text}" for tag, text in s.sources.items()]
    return lines


def _action(action) -> str:  # type: ignore[no-untyped-def]
    if action.do == "exchange":
        partners = action.with_ if isinstance(action.with_, str) else " or ".join(action.with_)
        return f"exchange with {partners}"
    if action.do == "draw_threat":
        suits = action.redraw_if_lost
        return "draw a threat" + (f" (again when its card of {' or '.join(suits)} is lost)" if suits else "")
    if action.do == "give_each":
        return "give one card to every other character"
    return str(action.do).replace("_", " ")
