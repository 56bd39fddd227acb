"""Win rates side by side: a row per chapter and number of players, a column per policy; for readers, not for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from reports.dataset import Run
from reports.output import conditions, policy_text
from scenarios.errors import UserError

STRENGTH = ("random", "script", "team", "search", "open")
"""Policies in the order of their columns, others after them."""


def results(balance: pl.DataFrame, *, policies: Sequence[str] | None = None) -> pl.DataFrame:
    """Return win rates in percent with their intervals as text: chapter, players, then one column per policy.

    `balance` is what `reports.balance` returns, for all runs together. A cell that was not played is empty.
    """
    found = balance["policy"].unique().to_list()
    order = list(policies or [name for name in STRENGTH if name in found] + sorted(set(found) - set(STRENGTH)))
    percent = [
        (100 * pl.col(name)).round(1).map_elements("{:.1f}".format, return_dtype=pl.String) for name in ("rate", "low", "high")
    ]
    wide = (
        balance.with_columns(pl.format("{} ({}-{})", *percent).alias("text"))
        .pivot("policy", index=["chapter", "players"], values="text")
        .sort("chapter", "players")
    )
    return wide.select(
        "chapter", "players", *(pl.col(name).fill_null("") if name in wide.columns else pl.lit("").alias(name) for name in order)
    )


def markdown(results: pl.DataFrame, heading: str) -> str:
    """Return the table as Markdown, with a line below that says how it was made."""
    lines = ["| " + " | ".join(results.columns) + " |", "|" + "---|" * results.width]
    lines += ["| " + " | ".join(str(value) for value in row) + " |" for row in results.iter_rows()]
    return "\n".join([*lines, "", heading])


def made_by(runs: Sequence[Run], confidence: float) -> str:
    """Return the line below the table: intervals, and deals, seed and versions of each run."""
    lines = [f"Percent of deals won, with {confidence:.0%} Wilson intervals. Made from:"]
    for run in runs:
        manifest = run.manifest
        cells = manifest["cells"]
        policies = ", ".join(dict.fromkeys(policy_text(cell) for cell in cells))
        lines.append(
            f"- {manifest['deals']:_} deals of seed {manifest['seed']}, {policies}, "
            + "".join(f"{line}, " for line in conditions(manifest))
            + f"ringsim {manifest['ringsim']}"
        )
    return "\n".join(lines)


def insert(path: Path, name: str, text: str) -> None:
    """Put `text` between the lines `<!-- name -->` and `<!-- /name -->` of a Markdown file.

    Raises UserError when the file cannot be read or has no such lines; it is left as it was then.
    """
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        page = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"--into {path}: {error.strerror}") from None
    head, opened, rest = page.partition(first)
    _, closed, tail = rest.partition(last)
    if not opened or not closed:
        raise UserError(f"--into {path}: has no lines {first} and {last} to put the table between")
    path.write_text(f"{head}{first}\n{text.strip()}\n{last}{tail}", encoding="utf-8")
