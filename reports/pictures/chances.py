"""How often deals are won: over all chapters, between numbers of players, and what the lost ones are lost to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from reports.luck import FATES
from reports.pictures.figure import Figure, Picture, blank, rounded, spec_of
from reports.pictures.theme import SERIES
from reports.pictures.words import extreme, listed, people, percent, points, sentence, span

SHARE = "Intervals: Wilson, {level:g} %. Those in the sentences hold for everything in the picture together."


def overview(
    balance: pl.DataFrame, bound: pl.DataFrame, titles: Mapping[str, str], policies: Sequence[str], *, confidence: float
) -> Figure:
    """Return a heat map of chapters and numbers of players for each policy in order, and one of what open hands allow."""
    pictures = []
    for policy in _players_of(balance, bound, policies):
        rows = balance.filter(policy=policy).to_dicts()
        pictures.append(_map(rows, "won", f"Deals won by {policy}", _hardest(rows, policy, confidence), titles))
    if bound.height:
        rows = bound.to_dicts()
        low = extreme(
            ((_place(row), row["winnable"] + row["unknown"], row["deals"]) for row in rows), confidence=confidence, lowest=True
        )
        unknown = sum(row["unknown"] for row in rows) / sum(row["deals"] for row in rows)
        says = sentence(
            f"with all hands open, after that policy's setup, at most {percent(low.share)} ({span(low.low, low.high)}) of the "
            f"deals can be won where it is fewest, {'in' if low.clear else 'for instance in'} {low.names[0]}",
            f"{percent(unknown)} of the deals have no verdict and count as not lost" if unknown else "",
        )
        pictures.append(_map(rows, "not lost", "Bound: deals not lost with open hands", says, titles))
    note = "Each field: share of the deals won, by the policy named. " + SHARE.format(level=100 * confidence)
    return Figure("overview", "Overview: deals won", note, pictures)


def _players_of(balance: pl.DataFrame, bound: pl.DataFrame, policies: Sequence[str]) -> list[str]:
    """Return the policies that play; `open` is left out where all that it won is part of the bound, but never alone."""
    found = [policy for policy in policies if policy in balance["policy"]]
    whole = balance.filter(policy="open").join(bound, on=["chapter", "players"], how="anti").is_empty()
    return [policy for policy in found if policy != "open" or not whole or len(found) == 1]


def _place(row: Mapping[str, Any]) -> str:
    return f"chapter {row['chapter']} with {people(row['players'])}"


def _hardest(rows: list[dict[str, Any]], policy: str, confidence: float) -> str:
    counted = [(_place(row), row["won"], row["deals"]) for row in rows]
    hard, easy = extreme(counted, confidence=confidence, lowest=True), extreme(counted, confidence=confidence)
    if len(rows) == 1:
        return sentence(f"{policy} wins {percent(easy.share)} of the deals ({span(easy.low, easy.high)})")
    if hard.all_equal:
        return sentence(f"no field stands out: all intervals of {policy} meet, around {percent(easy.share)}")

    def part(end: Any, word: str) -> str:
        if end.clear:
            return f"{word} in {end.names[0]} ({percent(end.share)}, {span(end.low, end.high)})"
        shown = listed(end.names[:3], "or") + (f" or {len(end.names) - 3} more" if len(end.names) > 3 else "")
        return f"{word} in {shown}, whose intervals meet ({percent(end.share)} measured)"

    return sentence(f"{policy} wins fewest deals {part(hard, '').strip()}", f"{part(easy, 'most').strip()}")


def _map(rows: list[dict[str, Any]], what: str, title: str, says: str, titles: Mapping[str, str]) -> Picture:
    def label(chapter: str) -> str:
        return f"{chapter} {titles[chapter]}" if titles.get(chapter) else str(chapter)

    values = [
        {
            "chapter": label(row["chapter"]),
            "players": row["players"],
            "rate": row["rate"],
            "shown": f"{100 * row['rate']:.1f}",
            what: f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
            "deals": row["deals"],
        }
        for row in rows
    ]
    order = list(dict.fromkeys(value["chapter"] for value in values))
    base = blank().encode(
        x=alt.X(
            "players:O",
            title="players",
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
            scale=alt.Scale(paddingInner=0.05),
        ),
        y=alt.Y(
            "chapter:N",
            sort=order,
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelColor="@fg", labelLimit=170),
            scale=alt.Scale(paddingInner=0.08),
        ),
    )
    tiles = base.mark_rect(cornerRadius=3).encode(
        color=alt.Color(
            "rate:Q",
            scale=alt.Scale(domain=[0, 1], range=["@low", "@high"], interpolate="rgb"),
            legend=None,
        ),
        tooltip=["chapter:N", "players:O", f"{what}:N", alt.Tooltip("deals:Q", format=",d")],
    )
    text = base.mark_text(color="@fg").encode(text="shown:N")
    chart = alt.layer(tiles, text).properties(height=alt.Step(32))
    return Picture(title, says, spec_of(chart), rounded(values), size="medium")


def between_players(
    balance: pl.DataFrame,
    gaps: pl.DataFrame,
    bound: pl.DataFrame,
    titles: Mapping[str, str],
    policies: Sequence[str],
    *,
    confidence: float,
) -> Figure:
    """Return a picture per chapter: the numbers of players side by side, all policies in order."""
    policies = _players_of(balance, bound, policies)
    balance = balance.filter(pl.col("policy").is_in(policies))
    bounds = {(row["chapter"], row["players"]): row for row in bound.to_dicts()}
    base = blank()
    offset = {"xOffset": alt.XOffset("policy:N", sort=policies)} if len(policies) > 1 else {}
    x = alt.X("players:O", title="players", axis=alt.Axis(labelAngle=0, ticks=False))
    top = max([*balance["high"], *bound["rate"], 0.001])
    axis = alt.Axis(format="%", tickCount=5, domain=False)
    y = alt.Y("rate:Q", title="deals won", scale=alt.Scale(domain=[0, top], nice=True), axis=axis)
    tooltip = ["players:O", "policy:N", "won:N"]
    bars = (
        base.transform_filter("datum.policy")
        .mark_bar(opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "policy:N",
                scale=alt.Scale(domain=policies, range=SERIES[: len(policies)]),
                legend=alt.Legend(title=None) if len(policies) > 1 else None,
            ),
            tooltip=tooltip,
            **offset,
        )
    )
    whiskers = (
        base.transform_filter("datum.policy")
        .mark_errorbar(color="@fg", ticks={"width": 8})
        .encode(x=x, y=alt.Y("low:Q", title="deals won"), y2="high:Q", tooltip=tooltip, **offset)
    )
    ticks = (
        base.transform_filter("datum.bound")
        .mark_tick(color="@fg", thickness=2, width={"band": 0.9})
        .encode(x=x, y=alt.Y("rate:Q"), tooltip=["players:O", alt.Tooltip("bound:N", title="open hands, not lost")])
    )
    layers = [bars, whiskers, ticks] if bounds else [bars, whiskers]
    spec = spec_of(alt.layer(*layers).properties(height=170))
    pictures = []
    for (chapter,), table in balance.group_by("chapter", maintain_order=True):
        rows: list[dict[str, Any]] = [
            row | {"won": f"{percent(row['rate'])} ({span(row['low'], row['high'])})"}
            for row in table.select("players", "policy", "rate", "low", "high").to_dicts()
        ]
        for players in table["players"].unique().sort():
            known = bounds.get((str(chapter), players))
            if known:
                rows.append({"players": players, "rate": known["rate"], "bound": f"{percent(known['rate'])}"})
        says = sentence(
            *(_gap(gaps.filter(chapter=chapter, policy=policy), policy) for policy in policies if policy in table["policy"])
        )
        name = titles.get(str(chapter), "")
        pictures.append(Picture(f"Chapter {chapter}{': ' if name else ''}{name}", says, spec, rounded(rows)))
    mark = (
        " The black or white mark: deals that open hands do not lose, an upper bound for every policy with that setup."
        if bounds
        else ""
    )
    note = f"Bars: share of the deals won; whiskers: Wilson intervals, {100 * confidence:g} %.{mark}"
    return Figure("balance", "Balance between numbers of players", note, pictures)


def _gap(gaps: pl.DataFrame, policy: str) -> str:
    if gaps.is_empty():
        return f"{policy} played for one number of players, so there is nothing to compare"
    certain = gaps.filter((pl.col("simultaneous_low") > 0) | (pl.col("simultaneous_high") < 0))
    row = (gaps if certain.is_empty() else certain).sort(pl.col("gap").abs(), descending=True).row(0, named=True)
    sign = 1 if row["gap"] >= 0 else -1
    more, fewer = (row["other_players"], row["players"])[::sign]
    size = f"{100 * abs(row['gap']):.1f} points ({points(row['simultaneous_low'], row['simultaneous_high'], sign=sign)})"
    if certain.is_empty():
        return f"for {policy} no difference between numbers of players is certain, the largest measured is {size}"
    return f"{policy} wins more deals with {people(more)} than with {people(fewer)}, the largest certain gap: {size}"


FATE_COLOURS = dict(zip(("won", "haste", "hidden", "luck", "unknown"), ("@c0", "@c6", "@c1", "@c4", "@grey"), strict=True))


def fates(luck: pl.DataFrame, *, confidence: float) -> Figure:
    """Return one picture: what the deals of each chapter and number of players come to."""
    rows, order = [], []
    for row in luck.filter(pl.col("deals") > 0).to_dicts():
        place = f"{row['chapter']}, {people(row['players'])}"
        order.append(place)
        for number, fate in enumerate(FATE_COLOURS):
            interval = f"{percent(row[fate])} ({span(row[f'{fate}_low'], row[f'{fate}_high'])})"
            rows.append({"place": place, "fate": fate, "share": row[fate], "of the deals": interval, "order": number})
    chart = (
        blank()
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q", title="share of the deals", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5)
            ),
            y=alt.Y("place:N", sort=order, title="chapter", axis=alt.Axis(domain=False, ticks=False, labelColor="@fg")),
            color=alt.Color(
                "fate:N",
                scale=alt.Scale(domain=list(FATE_COLOURS), range=list(FATE_COLOURS.values())),
                legend=alt.Legend(title=None, columns=5),
            ),
            order="order:Q",
            tooltip=["place:N", "fate:N", "of the deals:N"],
        )
        .properties(height=alt.Step(24))
    )
    rows_with_deals = luck.filter(pl.col("deals") > 0)
    says = "No deals in common."
    if rows_with_deals.height:
        counted = [
            (f"chapter {row['chapter']} with {people(row['players'])}", round(row["luck"] * row["deals"]), row["deals"])
            for row in rows_with_deals.to_dicts()
        ]
        worst = extreme(counted, confidence=confidence)
        unknown = rows_with_deals.select((pl.col("unknown") * pl.col("deals")).sum() / pl.col("deals").sum()).item()
        where = "" if len(counted) == 1 else f", in {worst.names[0]}" if worst.clear else ", measured in " + worst.names[0]
        says = sentence(
            f"luck decides {percent(worst.share)} of the deals ({span(worst.low, worst.high)}) where it decides most{where}",
            f"{percent(unknown)} of all deals have no verdict of open hands" if unknown else "every deal has a verdict",
        )
    note = f"Every deal has one fate. Intervals: Wilson, {100 * confidence:g} %, in the table and on pointing at a bar."
    assert set(FATE_COLOURS) == set(FATES)
    return Figure(
        "luck", "What deals are lost to", note, [Picture("All chapters", says, spec_of(chart), rounded(rows), size="wide")]
    )


def differences(compare: pl.DataFrame, a: str, b: str, *, confidence: float) -> Figure:
    """Return one picture: deals won by B less deals won by A, for each chapter and number of players."""
    places = []
    some = compare.filter(pl.col("deals") > 0)
    for row in some.to_dicts():
        other = f" / {row['chapter_b']}" if row["chapter"] != row["chapter_b"] else ""
        places.append(f"{row['chapter']}{other}, {people(row['players'])}")
    picture = _paired(some, places, "chapter", a, b, lambda row: f"in {_place(row)}")
    level = f"{100 * confidence:g} %"
    note = f"Points: deals won by {b} less deals won by {a}, the same deals; whiskers: Newcombe intervals for pairs, {level}."
    return Figure("compare", "Differences", note, [picture])


def option_differences(assumptions: pl.DataFrame, *, confidence: float) -> Figure:
    """Return one picture: for each option that was played, deals won with it less deals won by the default."""
    some = assumptions.filter(pl.col("deals") > 0)
    places = [f"{row['chapter']}, {people(row['players'])}: {row['assumption']}={row['option']}" for row in some.to_dicts()]

    def where(row: Mapping[str, Any]) -> str:
        return f"with {row['assumption']}={row['option']} in {_place(row)}"

    picture = _paired(some, places, "chapter and option", "the default", "the option", where)
    level = f"{100 * confidence:g} %"
    note = f"Points: deals won with the option less deals won by the default, the same deals; whiskers: Newcombe, {level}."
    return Figure("assumptions", "What each assumption changes", note, [picture])


def _paired(
    some: pl.DataFrame, places: Sequence[str], title: str, a: str, b: str, where: Callable[[Mapping[str, Any]], str]
) -> Picture:
    """Return a picture with a dot and an interval for each row of paired statistics, at its place."""
    rows = [
        {
            "place": place,
            "difference": 100 * row["difference"],
            "low": 100 * row["difference_low"],
            "high": 100 * row["difference_high"],
            "certain": "significant" if row["significant"] else "not significant",
            "points": f"{100 * row['difference']:+z.1f} ({points(row['difference_low'], row['difference_high'])})",
        }
        for place, row in zip(places, some.to_dicts(), strict=True)
    ]
    base = blank().encode(
        y=alt.Y(
            "place:N", sort=list(places), title=title, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg", labelLimit=260)
        ),
        tooltip=["place:N", "points:N", "certain:N"],
    )
    zero = blank().mark_rule(color="@muted", strokeDash=[3, 3]).encode(x=alt.datum(0, type="quantitative"))
    whiskers = base.mark_rule().encode(x=alt.X("low:Q", title=f"points that {b} wins more than {a}"), x2="high:Q")
    dots = base.mark_point(filled=True, opacity=1).encode(
        x="difference:Q",
        color=alt.Color(
            "certain:N",
            scale=alt.Scale(domain=["significant", "not significant"], range=["@c1", "@grey"]),
            legend=alt.Legend(title=None),
        ),
    )
    certain = some.filter("significant")
    says = "No deals in common."
    if some.height and certain.is_empty():
        says = sentence(f"none of {some.height} differences is significant")
    elif some.height:
        row = certain.sort(pl.col("difference").abs(), descending=True).row(0, named=True)
        sign = 1 if row["difference"] > 0 else -1
        low, high = row["difference_low"], row["difference_high"]
        says = sentence(
            f"{certain.height} of {some.height} differences {'is' if certain.height == 1 else 'are'} significant",
            f"the largest measured of them: {b} wins {100 * abs(row['difference']):.1f} points {'more' if sign > 0 else 'fewer'} "
            f"({points(low, high, sign=sign)}) {where(row)}",
        )
    spec = spec_of(alt.layer(zero, whiskers, dots).properties(height=alt.Step(24)))
    title = f"{b} less {a}"
    return Picture(title[0].upper() + title[1:], says, spec, rounded(rows), size="wide")
