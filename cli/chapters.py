"""``ringsim chapters``: what is in the library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from cli.paragraphs import paragraph
from cli.writing import Force, Out, Shape, choose_shape, write_text
from scenarios.wording import draw_in_words as in_words

if TYPE_CHECKING:
    from scenarios import Scenario

EPILOG = "Example: ringsim chapters"


def chapters(format: Shape = None, out: Out = None, force: Force = False) -> None:
    """List the chapters: characters (required ones with a star), threats, sources, open questions."""
    shape = choose_shape(format, out, force)
    import scenarios

    loaded = [scenarios.load(label) for label in scenarios.library()]
    if shape == "json":
        import json

        write_text(json.dumps([as_data(scenario) for scenario in loaded], indent=1, ensure_ascii=False), out)
        return
    lines = table_lines(loaded, whole=out is not None)
    lines += ["", *paragraph("Questions on which the sources disagree (--assume NAME=OPTION chooses; * default)")]
    for book in dict.fromkeys(scenario.book for scenario in loaded):
        for name, assumption in scenarios.load_assumptions(book).items():
            options = ", ".join(option + "*" * (option == assumption.default) for option in assumption.options)
            lines += paragraph(f"{assumption.question} {options}", f"  {name}".ljust(7))
            lines += paragraph(f"concerns {assumption.affects}", " " * 7)
    write_text("\n".join(lines), out)


def as_data(scenario: Scenario) -> dict[str, Any]:
    """Return a chapter's line as JSON data."""
    return {
        "chapter": scenario.label,
        "title": scenario.title,
        "book": scenario.book,
        "length": scenario.length,
        "players": list(scenario.deals),
        "required": [entry.character for entry in scenario.roster if entry.required],
        "optional": [entry.character for entry in scenario.roster if not entry.required],
        "threats": list(scenario.threats),
        "rounds": list(scenario.rounds),
        "drawn": {name: group.count for name, group in scenario.draw.groups.items()} if scenario.draw is not None else None,
        "event": scenario.event.name if scenario.event is not None else None,
        "assumptions": scenario.assumptions,
        "source": scenario.source,
    }


def table_lines(loaded: list[Scenario], whole: bool) -> list[str]:
    """Return one line per chapter; off a terminal, or when they are wanted `whole`, nothing is wrapped."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("chapter", "title", "players", "length", "characters (* required)", "threats", "sources"):
        table.add_column(heading, justify="right" if heading == "chapter" else "left", no_wrap=heading in ("players", "threats"))
    for scenario in loaded:
        drawn = scenario.draw.names if scenario.draw is not None else {}
        names = ", ".join(
            scenario.characters[entry.character].name + "*" * entry.required
            for entry in scenario.roster
            if entry.character not in drawn
        )
        if scenario.draw is not None:
            names += f"; drawn for each deal: {', '.join(in_words(scenario))}"
        if scenario.rounds:
            names += f"; rounds: {', '.join(scenario.rounds)}"
        threats = f"{min(scenario.threats)}-{max(scenario.threats)}" if scenario.threats else "none"
        # Spaces let a narrow terminal wrap the tags.
        tags = " ".join(part for part in scenario.source.replace("][", "] [").split() if part.startswith("["))
        table.add_row(scenario.label, scenario.title, ",".join(map(str, scenario.deals)), scenario.length, names, threats, tags)
    console = Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() and not whole else 1000)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
