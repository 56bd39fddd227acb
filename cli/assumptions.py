"""`ringsim report assumptions`: play each option of an assumption on the deals of the default, and say what it changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import DEFAULT_PLAYERS, DEFAULT_POLICY, Chapters, Players, Quiet, Seed, Workers, parse_names
from cli.report import Confidence, Force, Format, Out, check_options, write_report
from scenarios.errors import UserError, nearest
from sim.core.numbers import parse_count, parse_players, parse_span
from sim.core.seed import parse_seed, seed_hex

if TYPE_CHECKING:
    import polars as pl

    from reports.assumptions import Alternative, Played
    from scenarios import Scenario
    from sim import Simulation

EPILOG = "Example: ringsim report assumptions 1-2 --players 3,4 --deals 20_000 --seed 7"
DEALS = "20_000"


def assumptions(
    chapters: Chapters = None,
    players: Players = None,
    policy: Annotated[str, typer.Option("--policy", help="Who decides.")] = DEFAULT_POLICY,
    deals: Annotated[str, typer.Option("--deals", help="Deals per chapter, number of players and option.")] = DEALS,
    seed: Seed = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="A10,A12", help="Only these assumptions.", show_default=False)
    ] = None,
    workers: Workers = None,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
    quiet: Quiet = False,
) -> None:
    """Play each option of the assumptions that touch a chapter, and say what it changes against the default, deal by deal."""
    labels = [label for text in chapters or [] for label in parse_span(text)]
    if not labels:
        raise UserError("which chapters? Write numbers (1-4 or 1,3) or the name of a scenario file")
    numbers = parse_players(players or DEFAULT_PLAYERS)
    count = parse_count(deals, "--deals")
    the_seed = parse_seed(seed)
    processes = parse_count(workers, "--workers") if workers is not None else None
    wanted = parse_names(only, "--only") if only is not None else None
    check_options(format, out, force, confidence)
    import scenarios

    loaded = [scenarios.load(label) for label in labels]
    _check_names(loaded, wanted)

    import reports
    from reports.sheets import assumptions_sheet
    from sim.tricks.library import VERSIONS, check_policy
    from sim.tricks.own_weights import base_of

    version = VERSIONS[base_of(check_policy(policy))]
    asked = {"policy": policy, "deals": count, "seed": the_seed, "workers": processes}
    base: dict[tuple[str, int, str], pl.DataFrame] = {}
    untouched: list[str] = []
    alternatives = _play(list(zip(labels, loaded, strict=True)), numbers, wanted, asked, base, untouched, quiet)
    frame = reports.assumptions(base, alternatives, confidence=confidence, chapters=[scenario.label for scenario in loaded])
    notes = [f"policy {policy} (version {version}) | seed {seed_hex(the_seed)} | {count:_} deals each", *untouched]
    frame = frame.sort("chapter", "players", maintain_order=True)
    write_report([], assumptions_sheet(frame, confidence, notes), format, out, force, confidence)


def _check_names(loaded: list[Scenario], wanted: list[str] | None) -> None:
    import scenarios

    known = [name for book in dict.fromkeys(scenario.book for scenario in loaded) for name in scenarios.load_assumptions(book)]
    for name in wanted or ():
        if name not in known:
            raise UserError(f"--only {name}: unknown assumption; allowed are {', '.join(known)}{nearest(name, known)}")


def _play(
    chapters: list[tuple[str, Scenario]],
    numbers: list[int],
    wanted: list[str] | None,
    asked: dict[str, Any],
    base: dict[tuple[str, int, str], pl.DataFrame],
    untouched: list[str],
    quiet: bool,
) -> Iterator[Alternative]:
    """Yield every option that touches a chapter; `base` gets the default's deals, `untouched` a line on what touches none."""
    import reports
    import scenarios
    import sim
    from scenarios.bearing import concerns, no_effect

    for chapter, scenario in chapters:
        known = {n: a for n, a in scenarios.load_assumptions(scenario.book).items() if wanted is None or n in wanted}
        touching = {name: assumption for name, assumption in known.items() if concerns(assumption, scenario.label)}
        if len(touching) < len(known):
            others = ", ".join(name for name in known if name not in touching)
            untouched.append(f"about other chapters than {scenario.label}: {others}")
        _say(quiet, f"chapter {scenario.label}: the default")
        for players, played in _cells(sim.simulate(chapter, players=numbers, **asked), numbers):
            base[scenario.label, players, asked["policy"]] = reports.traces(played)
        for name, assumption in touching.items():
            usual = scenario.assumptions.get(name, "the file's own rules")
            for option in assumption.options:
                if option == usual:
                    continue
                reasons = {players: no_effect(scenario, players, assumption, option) for players in numbers}
                may = [players for players in numbers if not reasons[players]]
                found: dict[int, Played] = {}
                if may:
                    _say(quiet, f"chapter {scenario.label}: {name}={option}")
                    found = dict(_cells(sim.simulate(chapter, players=may, assume={name: option}, **asked), may))
                for players in numbers:
                    yield reports.Alternative(
                        chapter=scenario.label,
                        players=players,
                        policy=asked["policy"],
                        assumption=name,
                        option=option,
                        instead_of=usual,
                        played=found.get(players),
                        no_effect=reasons[players],
                    )


def _cells(played: Simulation, numbers: list[int]) -> Iterator[tuple[int, Played]]:
    from reports import Played

    for players in numbers:
        yield players, Played(played.rounds.filter(players=players), played.goals.filter(players=players))


def _say(quiet: bool, line: str) -> None:
    if not quiet:
        print(line, file=sys.stderr, flush=True)
