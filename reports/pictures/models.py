"""What goes with winning: odds ratios of a model, and whether its chances come true."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from reports.pictures.figure import Figure, Picture, blank, rounded, spec_of
from reports.pictures.goals import cells
from reports.pictures.words import people, percent, person, sentence, span


def odds_ratios(effects: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: the odds ratio of each level that has one, with its interval."""
    spec = _forest()
    pictures = []
    for (chapter, players, policy), found in cells(effects):
        rows = [
            {
                "place": place_of(row),
                "odds": row["odds_ratio"],
                "low": row["odds_low"],
                "high": row["odds_high"],
                "certain": "significant" if row["significant"] else "not significant",
                "ratio": f"{row['odds_ratio']:.3g} ({row['odds_low']:.3g} to {row['odds_high']:.3g})",
                "against": row["reference"] or "one step less",
                "rounds": row["rounds"],
            }
            for row in found
            if row["odds_ratio"] is not None
        ]
        if rows:
            pictures.append(Picture(people(players), _strongest(found), spec, rounded(rows), chapter, policy, "medium"))
    note = (
        "Points: odds of winning, times those of the reference, all other factors as they are; whiskers: Wald, "
        f"{100 * confidence:g} %. 1 is no difference. The models describe how the policy named plays, not the game."
    )
    return Figure("effects", "What goes with winning", note, pictures)


def calibrations(calibration: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: rounds won against the predicted chance, in groups."""
    spec = _diagonal()
    pictures = []
    for (chapter, players, policy), found in cells(calibration):
        rows = [
            {
                "predicted": row["predicted"],
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
                "won": f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
                "expected": percent(row["predicted"]),
                "rounds": row["rounds"],
            }
            for row in found
        ]
        missed = sum(not row["low"] <= row["predicted"] <= row["high"] for row in found)
        most = max(found, key=lambda row: abs(row["rate"] - row["predicted"]))
        groups = f"{len(found)} group{'s' if len(found) > 1 else ''}"
        says = sentence(
            f"in {missed} of {groups} the interval misses what is predicted",
            f"the largest gap measured is {100 * abs(most['rate'] - most['predicted']):.1f} points",
        )
        pictures.append(Picture(people(players), says, spec, rounded(rows), chapter, policy))
    note = (
        "Each half of the deals (even, odd) as predicted by the model of the other half, in groups of rounds with like chances. "
        f"On the dashed line the prediction comes true. Whiskers: Wilson, {100 * confidence:g} %."
    )
    return Figure("calibration", "Do the predicted chances come true?", note, pictures)


def place_of(row: dict[str, Any]) -> str:
    """Return the name of a level of a factor, for readers."""
    factor, level = row["factor"], row["level"]
    if factor == "character":
        return f"with {person(level)}"
    if factor.startswith("threat of "):
        return f"threat of {person(factor.removeprefix('threat of '))}"
    return factor if level.startswith("per ") else f"{factor} {level}" if factor != "leads first" else f"{level} leads first"


def _strongest(found: list[dict[str, Any]]) -> str:
    tested = [row for row in found if row["odds_ratio"] is not None]
    certain = [row for row in tested if row["significant"]]
    if not certain:
        return sentence(f"none of {len(tested)} odds ratios differs significantly from 1")

    def distance(row: dict[str, Any]) -> float:
        return max(row["odds_ratio"], 1 / row["odds_ratio"])

    row = max(certain, key=distance)
    return sentence(
        f"{len(certain)} of {len(tested)} odds ratios differ{'s' if len(certain) == 1 else ''} significantly from 1",
        f"the furthest measured is that of “{place_of(row)}”: {row['odds_ratio']:.2f} "
        f"({row['odds_low']:.2f} to {row['odds_high']:.2f})"
        + (f" against {row['reference']}" if row["reference"] else " a step"),
    )


def _forest() -> dict[str, Any]:
    scale = alt.Scale(type="log", nice=False, padding=8)
    base = blank().encode(
        y=alt.Y("place:N", sort=None, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg", labelLimit=200)),
        tooltip=["place:N", "ratio:N", "against:N", "certain:N", alt.Tooltip("rounds:Q", format=",d")],
    )
    one = blank().mark_rule(color="@muted", strokeDash=[3, 3]).encode(x=alt.datum(1, type="quantitative"))
    axis = alt.Axis(tickCount=5, format="~g")
    whiskers = base.mark_rule().encode(x=alt.X("low:Q", title="odds ratio", scale=scale, axis=axis), x2="high:Q")
    dots = base.mark_point(filled=True, opacity=1).encode(
        x=alt.X("odds:Q", scale=scale),
        color=alt.Color(
            "certain:N",
            scale=alt.Scale(domain=["significant", "not significant"], range=["@c1", "@grey"]),
            legend=alt.Legend(title=None),
        ),
    )
    return spec_of(alt.layer(one, whiskers, dots).properties(height=alt.Step(20)))


def _diagonal() -> dict[str, Any]:
    axis = alt.Axis(format="%", tickCount=5)
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("predicted:Q", title="predicted chance", scale=scale, axis=axis)
    tooltip = ["expected:N", "won:N", alt.Tooltip("rounds:Q", format=",d")]
    line = blank().mark_line(color="@muted", strokeDash=[3, 3]).encode(x=x, y=alt.Y("predicted:Q", scale=scale, axis=axis))
    whiskers = blank().mark_rule().encode(x=x, y=alt.Y("low:Q", title="rounds won", scale=scale), y2="high:Q", tooltip=tooltip)
    dots = blank().mark_point(filled=True, opacity=1, color="@c0").encode(x=x, y=alt.Y("rate:Q"), tooltip=tooltip)
    return spec_of(alt.layer(line, whiskers, dots).properties(height=170))
