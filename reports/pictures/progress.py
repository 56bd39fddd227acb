"""How many deals are won within so many rounds."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from reports.pictures.figure import Figure, Picture, blank, greatest, rounded, spec_of
from reports.pictures.theme import SERIES
from reports.pictures.words import listed, people, percent, sentence, span

LONG = 60
"""From so many rounds on the axis is logarithmic."""


def won_by_round(progress: pl.DataFrame, attempts: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per chapter and policy: the share of deals won within so many rounds, a line per number of players."""
    by_round = progress.filter(measure="rounds")
    lasts = greatest(by_round, "number")
    players = [people(number) for number in sorted(set(by_round["players"].to_list()))]
    color = alt.Color(
        "who:N",
        scale=alt.Scale(domain=players, range=SERIES[: len(players)]),
        legend=alt.Legend(title=None, symbolOpacity=1, columns=2) if len(players) > 1 else None,
    )
    pictures = []
    for (chapter, policy), table in by_round.group_by("chapter", "policy", maintain_order=True):
        values = [
            {
                "who": people(row["players"]),
                "rounds": row["number"],
                "share": row["by_then"],
                "low": row["by_then_low"],
                "high": row["by_then_high"],
                "won by then": f"{percent(row['by_then'])} ({span(row['by_then_low'], row['by_then_high'])})",
            }
            for row in table.iter_rows(named=True)
        ]
        mine = attempts.filter(pl.col("chapter").cast(pl.String) == str(chapter), policy=policy).to_dicts()
        spec = _curves(color, lasts[str(chapter), str(policy)])
        pictures.append(Picture(f"chapter {chapter}", _says(mine), spec, rounded(values), str(chapter), str(policy)))
    note = (
        "Lines: share of the deals won by the end of so many rounds, all attempts counted; bands: Wilson intervals, "
        f"{100 * confidence:g} %. Where a line ends, the last deal was won; what is missing to 100 % was given up."
    )
    return Figure("attempts", "Rounds until won", note, pictures)


def _says(rows: list[dict[str, Any]]) -> str:
    told = [
        f"{row['rounds_median']} ({row['rounds_median_low']} to {row['rounds_median_high']}) with {people(row['players'])}"
        for row in rows
        if None not in (row["rounds_median"], row["rounds_median_low"], row["rounds_median_high"])
    ]
    rarer = [people(row["players"]) for row in rows if row["rounds_median"] is None]
    return sentence(
        f"half of the deals are won within so many rounds: {listed(told)}" if told else "",
        f"fewer than half are won with {listed(rarer)}" if rarer else "",
        "" if told or rarer else "about half of the deals are won",
    )


def _curves(color: alt.Color, last: float) -> dict[str, Any]:
    scale = alt.Scale(type="log", nice=False) if last >= LONG else alt.Scale(domain=[0, last], nice=False)
    x = alt.X("rounds:Q", title="rounds", scale=scale, axis=alt.Axis(format="d", tickCount=5, tickMinStep=1, grid=False))
    y = alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5, domain=False))
    band = (
        blank()
        .mark_area(opacity=0.22, interpolate="step-after")
        .encode(x=x, y=alt.Y("low:Q", title=None, scale=alt.Scale(domain=[0, 1])), y2="high:Q", color=color)
    )
    line = blank().mark_line(interpolate="step-after", strokeWidth=2).encode(x=x, y=y, color=color)
    dots = (
        blank()
        .mark_point(filled=True, size=18, opacity=1)
        .encode(x=x, y=y, color=color, tooltip=[alt.Tooltip("who:N", title="players"), "rounds:Q", "won by then:N"])
    )
    return spec_of(alt.layer(band, line, dots).properties(height=190))
