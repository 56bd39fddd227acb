"""`ringsim compare`: two runs, or two policies of one run, on the same deals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import parse_names
from cli.replaying import replay_command
from cli.report import Confidence, Force, Format, Out, assumption_defaults, check_options, write_report
from scenarios.errors import UserError
from sim.core.numbers import parse_count

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from reports.compare import PairedRuns
    from reports.pictures import Figure

EPILOG = "Example: ringsim compare runs/first --policy script,team"

TITLES = {
    "chapter_b": "chapter\nof B",
    "rate_a": "won\nby A",
    "rate_b": "won\nby B",
    "difference": "difference\nB - A",
    "discordant": "only one\nwins",
    "only_a": "only A\nwins",
    "only_b": "only B\nwins",
    "p_value": "p",
    "won_a": "A\nwins",
    "won_b": "B\nwins",
    "replay_a": "replay A",
    "replay_b": "replay B",
}


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN_A [RUN_B]", help="Folders of two runs of one seed, or one run with --policy.")
    ],
    policy: Annotated[
        str | None,
        typer.Option("--policy", metavar="A,B", help="Policies of A and B; one name stands for both.", show_default=False),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option(
            "--match", metavar="A=B", help="Chapter of A = its name in B, such as 5=my; may be repeated.", show_default=False
        ),
    ] = None,
    deals: Annotated[
        str | None,
        typer.Option(
            "--deals", metavar="N", help="List the first N deals of each cell that only one side wins.", show_default=False
        ),
    ] = None,
    format: Format = None,
    out: Out = None,
    force: Force = False,
    confidence: Confidence = 0.95,
) -> None:
    """Compare two ways to play the same deals: other policies, rules or assumptions, deal by deal."""
    first = parse_count(deals, "--deals") if deals is not None else None
    chapters = _parse_match(match or [])
    policies = parse_names(policy, "--policy") if policy is not None else []
    if len(runs) > 2:
        raise UserError(f"two runs can be compared, not {len(runs)}; the third is {runs[2]}")
    if len(policies) > 2:
        raise UserError(f"--policy {policy}: two policies can be compared, not {len(policies)}")
    check_options(format, out, force, confidence)

    import reports
    from reports.sheets import Sheet

    a, *others = [reports.open_run(run) for run in runs]
    versions = bool(chapters) or any(cell.get("based_on") in a.chapters for cell in a.manifest["cells"])
    if not others and len(policies) < 2 and not versions:
        held = dict.fromkeys(scan.policy for scan in a.round_cells)
        raise UserError(f"{a.path}: to compare within one run, choose two with --policy A,B (it holds {', '.join(held)})")
    policy_a, policy_b = (policies[0], policies[-1]) if policies else (None, None)
    b = others[0] if others else a
    paired = reports.pair_runs(a, b, policy_a=policy_a, policy_b=policy_b, chapters=chapters)
    notes = [
        f"A: {a.path}, policy {paired.policy_a} | B: {b.path}, policy {paired.policy_b}",
        *(f"left out: {line}" for line in paired.left_out),
        *paired.remarks,
    ]
    hide = ["policy_a", "policy_b", *([] if any(c.a.chapter != c.b.chapter for c in paired.cells) else ["chapter_b"])]
    if first is None:
        frame = reports.compare(paired, confidence=confidence)
        sheet = Sheet(
            "compare",
            f"Deals won by A and by B, paired, with {100 * confidence:g} % Newcombe intervals; differences in points",
            frame,
            titles=TITLES,
            notes=notes,
            hide=[*hide, "both", "neither", "test"],
            draw=lambda: _draw(frame, confidence),
        )
    else:
        frame = _with_commands(paired, reports.differing_deals(paired, first=first))
        title = f"The first deals that only one side wins, at most {first:_} of each chapter and number of players"
        sheet = Sheet("compare", title, frame, titles=TITLES, notes=notes, hide=hide)
    write_report([a, *others], sheet, format, out, force, confidence)


def _draw(frame: pl.DataFrame, confidence: float) -> list[Figure]:
    from reports.pictures.chances import differences

    return [differences(frame, "A", "B", confidence=confidence)]


def _parse_match(texts: Iterable[str]) -> dict[str, str]:
    chapters: dict[str, str] = {}
    for text in texts:
        ours, equals, theirs = (piece.strip() for piece in text.partition("="))
        if not (ours and equals and theirs):
            raise UserError(f"--match {text}: must be a chapter of A = a chapter of B, such as 5=my")
        if chapters.setdefault(ours, theirs) != theirs:
            raise UserError(f"--match {text}: chapter {ours} was already matched with {chapters[ours]}")
    return chapters


def _with_commands(paired: PairedRuns, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    defaults = assumption_defaults()
    commands = pl.DataFrame(
        [
            {
                "chapter": cell.a.chapter,
                "players": cell.a.players,
                "replay_a": replay_command(paired.a, (cell.a.chapter, cell.a.players, cell.a.policy), defaults),
                "replay_b": replay_command(paired.b, (cell.b.chapter, cell.b.players, cell.b.policy), defaults),
            }
            for cell in paired.cells
        ],
        schema={"chapter": frame.schema["chapter"], "players": pl.UInt8, "replay_a": pl.String, "replay_b": pl.String},
    )
    return frame.join(commands, on=["chapter", "players"], maintain_order="left").with_columns(
        pl.concat_str(name, pl.lit(" "), "deal") for name in ("replay_a", "replay_b")
    )
