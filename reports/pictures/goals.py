"""How goals fare: which are missed, whose was lost first, when, and with how many tricks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt
import polars as pl

from reports.dataset import CELL
from reports.first_losses import SEVERAL
from reports.pictures.figure import Figure, Picture, blank, greatest, rounded, spec_of
from reports.pictures.theme import SERIES
from reports.pictures.words import Extreme, extreme, listed, people, percent, person, sentence, span

Cell = tuple[str, int, str]
TOGETHER = "several at once"


def cells(frame: pl.DataFrame) -> Iterator[tuple[Cell, list[dict[str, Any]]]]:
    """Yield the rows of each cell."""
    for key, table in frame.group_by(CELL, maintain_order=True):
        yield key, table.to_dicts()


def colours(frame: pl.DataFrame, *more: str) -> dict[str, alt.Color]:
    """Return for each chapter a colour scale over its characters: the same whatever the number of players and policy."""
    scales = {}
    for (chapter,), table in frame.group_by("chapter", maintain_order=True):
        names = [person(name) for name in table["character"].unique().sort()]
        palette = [SERIES[place % len(SERIES)] for place in range(len(names))]
        scales[str(chapter)] = alt.Color(
            "who:N",
            scale=alt.Scale(domain=[*names, *more], range=[*palette, *("@grey" for _ in more)]),
            legend=alt.Legend(title=None, symbolOpacity=1, columns=3 if max(map(len, names)) < 13 else 2),
        )
    return scales


def missed_most(end: Extreme, what: str) -> str:
    """Say whose goal is missed most, or who cannot be told apart."""
    if end.clear:
        return f"{end.names[0]}'s goal is {what} most, in {percent(end.share)} of the rounds ({span(end.low, end.high)})"
    if end.all_equal:
        return f"no goal is certainly {what} more than the others (the most measured: {end.names[0]}'s, {percent(end.share)})"
    return f"the goal {what} most is that of {listed(end.names, 'or')}, whose intervals meet ({percent(end.share)} measured)"


def missed(failures: pl.DataFrame, first_losses: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: goals not met by character, stacked by whose goal was lost first."""
    firsts: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in first_losses.to_dicts():
        firsts.setdefault((row["chapter"], row["players"], row["policy"], row["character"]), []).append(row)
    scales = colours(failures, TOGETHER)
    tops = greatest(failures, "high")
    specs: dict[tuple[str, str], dict[str, Any]] = {}
    pictures = []
    for (chapter, players, policy), rows in cells(failures):
        place = chapter, policy
        values: list[dict[str, Any]] = []
        for row in rows:
            name = person(row["character"])
            interval = f"{percent(row['rate'])} ({span(row['low'], row['high'])})"
            values.append({"character": name, "low": row["low"], "high": row["high"], "not met": interval})
            for first in firsts.get((chapter, players, policy, row["character"]), []):
                who = TOGETHER if first["first"] == SEVERAL else person(first["first"] or "nobody")
                values.append({"character": name, "who": who, "share": first["share"], "of its rounds": percent(first["share"])})
        if place not in specs:
            specs[place] = _stacked(scales[chapter], tops[place])
        lost = sum(row["failures"] for row in rows)
        end = extreme(((person(row["character"]), row["failures"], row["rounds"]) for row in rows), confidence=confidence)
        says = (
            sentence(missed_most(end, "missed"))
            if lost
            else sentence(f"no goal was missed in {max(r['rounds'] for r in rows):_} rounds")
        )
        pictures.append(Picture(people(players), says, specs[place], rounded(values), chapter, policy))
    note = (
        "Bars: share of a character's rounds in which its goal was not met, coloured by whose goal was lost for good first in "
        f"that round; whiskers: Wilson intervals, {100 * confidence:g} %. Intervals in the sentences hold for all bars together."
    )
    return Figure("failures", "Goals not met", note, pictures)


def _stacked(color: alt.Color, top: float) -> dict[str, Any]:
    y = alt.Y("character:N", title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg"))
    scale = alt.Scale(domain=[0, top], nice=True)
    x = alt.X("share:Q", title="not met", scale=scale, axis=alt.Axis(format="%", tickCount=5))
    bars = (
        blank()
        .transform_filter("isValid(datum.who)")
        .mark_bar()
        .encode(x=x, y=y, color=color, tooltip=["character:N", alt.Tooltip("who:N", title="lost first"), "of its rounds:N"])
    )
    whiskers = (
        blank()
        .transform_filter("!isValid(datum.who)")
        .mark_errorbar(color="@fg", ticks={"height": 9})
        .encode(x=alt.X("low:Q", title="not met"), x2="high:Q", y=y, tooltip=["character:N", "not met:N"])
    )
    return spec_of(alt.layer(bars, whiskers).properties(height=alt.Step(26)))


def lost_by_trick(when: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: the share of goals lost for good, trick by trick."""
    scales = colours(when)
    lasts, tops = greatest(when, "lost_after"), greatest(when, "by_then_high")
    specs: dict[tuple[str, str], dict[str, Any]] = {}
    pictures = []
    for (chapter, players, policy), rows in cells(when):
        place = chapter, policy
        values = [
            {
                "who": person(row["character"]),
                "trick": row["lost_after"],
                "share": row["by_then"],
                "low": row["by_then_low"],
                "high": row["by_then_high"],
                "lost by then": f"{percent(row['by_then'])} ({span(row['by_then_low'], row['by_then_high'])})",
            }
            for row in rows
        ]
        if place not in specs:
            specs[place] = _steps(scales[chapter], lasts[place], tops[place])
        middle = max(row["lost_after"] for row in rows) // 2
        halfway = [row for row in rows if row["lost_after"] == middle]
        end = extreme(((person(row["character"]), row["lost_by_then"], row["rounds"]) for row in halfway), confidence=confidence)
        nothing = not any(row["lost_by_then"] for row in halfway)
        says = f"by trick {middle} " + ("no goal is lost yet" if nothing else missed_most(end, "lost"))
        pictures.append(Picture(people(players), sentence(says), specs[place], rounded(values), chapter, policy))
    note = (
        "Lines: share of a character's rounds in which its goal is lost for good by the end of a trick (0: before the first); "
        f"bands: Wilson intervals, {100 * confidence:g} %. Intervals in the sentences hold for all characters together."
    )
    return Figure("when", "When goals are lost", note, pictures)


def _steps(color: alt.Color, last: float, top: float) -> dict[str, Any]:
    x = alt.X(
        "trick:Q",
        title="lost for good by trick",
        scale=alt.Scale(domain=[0, last], nice=False),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
    )
    scale = alt.Scale(domain=[0, top], nice=True)
    band = (
        blank()
        .mark_area(opacity=0.22, interpolate="step-after")
        .encode(x=x, y=alt.Y("low:Q", title=None, scale=scale), y2="high:Q", color=color)
    )
    line = (
        blank()
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(x=x, y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=5, domain=False)), color=color)
    )
    dots = (
        blank()
        .mark_point(filled=True, size=24, opacity=1)
        .encode(x=x, y="share:Q", color=color, tooltip=[alt.Tooltip("who:N", title="goal of"), "trick:Q", "lost by then:N"])
    )
    return spec_of(alt.layer(band, line, dots).properties(height=190))


def tricks_won(tricks: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: how the tricks that each character wins are distributed."""
    lasts, tops = greatest(tricks, "tricks"), greatest(tricks, "share")
    specs: dict[tuple[str, str], dict[str, Any]] = {}
    pictures = []
    for (chapter, players, policy), rows in cells(tricks):
        place = chapter, policy
        values = [
            {
                "character": person(row["character"]),
                "tricks": row["tricks"],
                "share": row["share"],
                "shown": f"{100 * row['share']:.0f}" if row["share"] >= 0.005 else "",
                "of its rounds": f"{percent(row['share'])} ({span(row['share_low'], row['share_high'])})",
                "goal not met": f"{percent(row['rate'])} of these ({span(row['low'], row['high'])})",
            }
            for row in rows
        ]
        if place not in specs:
            specs[place] = _strips(round(lasts[place]), tops[place])
        says = _modes(rows, confidence)
        pictures.append(Picture(people(players), says, specs[place], rounded(values), chapter, policy))
    note = (
        "Fields: share of a character's rounds in which it wins so many tricks, in %. Point at a field for the interval and for "
        "how often the goal is then missed. Numbers of tricks joined by “or” have intervals that meet (all of a character "
        "together)."
    )
    return Figure("tricks", "Tricks won", note, pictures)


def _modes(rows: list[dict[str, Any]], confidence: float) -> str:
    by_character: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_character.setdefault(person(row["character"]), []).append(row)
    parts = []
    for name, mine in by_character.items():
        played = sum(row["rounds"] for row in mine)
        end = extreme(((str(row["tricks"]), row["rounds"], played) for row in mine), confidence=confidence)
        parts.append(f"{name} {listed(sorted(end.names, key=int), 'or')}")
    return sentence(f"the most common number of tricks is for {', for '.join(parts)}")


def _strips(last: int, top: float) -> dict[str, Any]:
    base = blank().encode(
        x=alt.X(
            "tricks:O",
            title="tricks won",
            axis=alt.Axis(labelAngle=0, domain=False, ticks=False),
            scale=alt.Scale(domain=list(range(last + 1)), paddingInner=0.04),
        ),
        y=alt.Y(
            "character:N",
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelColor="@fg", labelLimit=110),
            scale=alt.Scale(paddingInner=0.1),
        ),
    )
    fields = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color("share:Q", scale=alt.Scale(domain=[0, top], range=["@low", "@high"], interpolate="rgb"), legend=None),
        tooltip=["character:N", "tricks:O", "of its rounds:N", "goal not met:N"],
    )
    text = base.mark_text(fontSize=10).encode(text="shown:N")
    return spec_of(alt.layer(fields, text).properties(height=alt.Step(26)))
