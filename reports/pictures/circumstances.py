"""What else may matter: the lost card, threats, seats, who was chosen, events."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from reports.lost_card import RANKS, SUITS
from reports.pictures.figure import Figure, Picture, blank, greatest, rounded, spec_of
from reports.pictures.goals import cells, colours
from reports.pictures.words import extreme, listed, people, percent, person, points, sentence, span


def lost_cards(lost_card: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: suits and ranks, the difference that a lost card makes."""
    specs: dict[tuple[str, str], dict[str, Any]] = {}
    pictures = []
    names = lost_card["lost_card"].unique().to_list()
    suits = list(dict.fromkeys([*SUITS, *sorted({name[0] for name in names})]))
    ranks = list(dict.fromkeys([*RANKS, *sorted({name[1:] for name in names}, key=lambda rank: (len(rank), rank))]))
    reach = greatest(lost_card, "difference")
    for (chapter, players, policy), rows in cells(lost_card):
        place = chapter, policy
        values = [
            {
                "suit": row["lost_card"][0],
                "rank": row["lost_card"][1:],
                "difference": 100 * row["difference"],
                "shown": f"{100 * row['difference']:+z.1f}{'*' if row['significant'] else ''}",
                "significant": row["significant"],
                "card": row["lost_card"],
                "won without it": f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
                "points": f"{100 * row['difference']:+z.1f} ({points(row['difference_low'], row['difference_high'])})",
                "p": f"{row['p_adjusted']:.4f}",
            }
            for row in rows
            if row["difference"] is not None
        ]
        if place not in specs:
            specs[place] = _grid(suits, ranks, 100 * reach[place])
        says = _most_missed(rows, confidence)
        pictures.append(Picture(people(players), says, specs[place], rounded(values), chapter, policy))
    note = (
        "Fields: share of the rounds won when this card is lost, less that of all other rounds, in points. * and a frame: "
        f"significant at {1 - confidence:.4g} after adjusting for all cards of the picture (Benjamini-Hochberg). The interval in "
        f"a sentence is that of this one card, Newcombe, {100 * confidence:g} %."
    )
    return Figure("lost-card", "What a lost card does", note, pictures)


def _most_missed(rows: list[dict[str, Any]], confidence: float) -> str:
    tested = [row for row in rows if row["difference"] is not None]
    certain = [row for row in tested if row["significant"]]
    if not tested:
        return sentence("the same card is lost in every round")
    if not certain:
        return sentence(f"none of {len(tested)} cards makes a significant difference when it is lost")
    row = max(certain, key=lambda row: abs(row["difference"]))
    sign = 1 if row["difference"] > 0 else -1
    size = f"{100 * abs(row['difference']):.1f} points ({points(row['difference_low'], row['difference_high'], sign=sign)})"
    return sentence(
        f"{len(certain)} of {len(tested)} cards make{'s' if len(certain) == 1 else ''} a significant difference when lost",
        f"the largest measured is that of {row['lost_card']}: {size} {'more' if sign > 0 else 'fewer'} rounds won",
    )


def _grid(suits: list[str], ranks: list[str], reach: float) -> dict[str, Any]:
    base = blank().encode(
        x=alt.X(
            "rank:N",
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
            scale=alt.Scale(domain=ranks, paddingInner=0.05),
        ),
        y=alt.Y(
            "suit:N",
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelColor="@fg"),
            scale=alt.Scale(domain=suits, paddingInner=0.08),
        ),
    )
    fields = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color(
            "difference:Q",
            scale=alt.Scale(domain=[-reach, 0, reach], range=["@worse", "@even", "@better"], interpolate="rgb"),
            legend=None,
        ),
        tooltip=["card:N", "won without it:N", "points:N", alt.Tooltip("p:N", title="p (adjusted)")],
    )
    frames = (
        base.transform_filter("datum.significant")
        .mark_rect(cornerRadius=2, filled=False, fill=None, stroke="@fg", strokeWidth=1.2)
        .encode(tooltip=["card:N", "won without it:N", "points:N", alt.Tooltip("p:N", title="p (adjusted)")])
    )
    text = base.transform_filter("!datum.significant").mark_text(fontSize=9).encode(text="shown:N")
    bold = base.transform_filter("datum.significant").mark_text(fontSize=9, fontWeight="bold").encode(text="shown:N")
    return spec_of(alt.layer(fields, frames, text, bold).properties(height=alt.Step(28)))


def threat_effects(threats: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: how often a goal is missed under each threat."""
    scales = colours(threats) if threats.height else {}
    specs: dict[tuple[str, str], dict[str, Any]] = {}
    tops = greatest(threats, "high")
    pictures = []
    for (chapter, players, policy), rows in cells(threats):
        place = chapter, policy
        values: list[dict[str, Any]] = [
            {
                "who": person(row["character"]),
                "threat": row["threat"],
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
                "certain": bool(row["significant"]),
                "not met": f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
            }
            for row in rows
        ]
        for name in dict.fromkeys(row["character"] for row in rows):
            mine = [row for row in rows if row["character"] == name]
            mean = sum(row["failures"] for row in mine) / sum(row["rounds"] for row in mine)
            values.append({"who": person(name), "mean": mean})
        if place not in specs:
            given = threats.filter(pl.col("chapter") == chapter)["threat"].unique().sort().to_list()
            specs[place] = _under_threat(scales[chapter], given, tops[place])
        says = sentence(*(_threat(name, rows) for name in dict.fromkeys(row["character"] for row in rows)))
        pictures.append(Picture(people(players), says, specs[place], rounded(values), chapter, policy))
    note = (
        "Points: share of the rounds with this threat in which the goal was not met; whiskers: Wilson intervals, "
        f"{100 * confidence:g} %; dashed: all threats of the character. Full points differ significantly from its other threats "
        f"(at {1 - confidence:.4g}, adjusted for all its threats); the interval in a sentence is that of this one difference."
    )
    return Figure("threats", "Threats", note, pictures)


def _threat(name: str, rows: list[dict[str, Any]]) -> str:
    mine = [row for row in rows if row["character"] == name]
    if len(mine) == 1:
        return f"{person(name)} always has threat {mine[0]['threat']}"
    certain = [row for row in mine if row["significant"]]
    if not certain:
        return f"no threat makes a significant difference to {person(name)}'s goal"
    row = max(certain, key=lambda row: abs(row["difference"]))
    sign = 1 if row["difference"] > 0 else -1
    size = f"{100 * abs(row['difference']):.1f} points ({points(row['difference_low'], row['difference_high'], sign=sign)})"
    return (
        f"under threat {row['threat']} {person(name)}'s goal is missed {size} {'more' if sign > 0 else 'less'} often than under "
        f"the others{', the largest of its significant differences' if len(certain) > 1 else ''}"
    )


def _under_threat(color: alt.Color, given: list[int], top: float) -> dict[str, Any]:
    x = alt.X("threat:O", title="threat", scale=alt.Scale(domain=given), axis=alt.Axis(labelAngle=0, ticks=False))
    encoded: Any = color.to_dict()
    offset = alt.XOffset("who:N", scale=alt.Scale(domain=encoded["scale"]["domain"]))
    scale = alt.Scale(domain=[0, top], nice=True)
    axis = alt.Axis(format="%", tickCount=5, domain=False)
    base = blank().transform_filter("isValid(datum.threat)")
    tooltip = [alt.Tooltip("who:N", title="goal of"), "threat:O", "not met:N"]
    means = (
        blank()
        .transform_filter("isValid(datum.mean)")
        .mark_rule(strokeDash=[4, 3], opacity=0.7)
        .encode(y=alt.Y("mean:Q", title="goal not met", scale=scale, axis=axis), color=color)
    )
    whiskers = base.mark_rule(strokeWidth=2).encode(
        x=x, xOffset=offset, y=alt.Y("low:Q", title="goal not met"), y2="high:Q", color=color
    )
    full = base.transform_filter("datum.certain").mark_point(filled=True, opacity=1, size=70)
    hollow = base.transform_filter("!datum.certain").mark_point(filled=False, fill="@bg", opacity=1, size=60)
    dots = [marks.encode(x=x, xOffset=offset, y=alt.Y("rate:Q"), color=color, tooltip=tooltip) for marks in (full, hollow)]
    return spec_of(alt.layer(means, whiskers, *dots).properties(height=180))


PLACES = {"seat": "goal missed, by seat", "order": "goal missed, by order of choice", "leader": "round lost, by leading seat"}
ORDINALS = ("first", "second", "third", "fourth")


def places(seats: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: what is missed or lost by seat, order of choice and leading seat."""
    specs: dict[tuple[str, ...], dict[str, Any]] = {}
    tops = greatest(seats, "high")
    pictures = []

    def label(row: dict[str, Any]) -> str:
        if row["counted"] == "order":
            return f"chooses {ORDINALS[row['place'] - 1] if row['place'] <= len(ORDINALS) else row['place']}"
        return f"seat {row['place']}" if row["counted"] == "seat" else f"seat {row['place']} leads"

    for (chapter, players, policy), rows in cells(seats):
        place = chapter, policy
        values = [
            {
                "place": label(row),
                "what": PLACES[row["counted"]],
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
                "share": f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
            }
            for row in rows
        ]
        order = [value["place"] for value in values]
        key = (*place, *order)
        if key not in specs:
            specs[key] = _ranges(order, tops[place])
        clear, open_ = [], []
        for counted, whose in (("seat", "goal"), ("order", "goal"), ("leader", "round")):
            mine = [row for row in rows if row["counted"] == counted]
            end = extreme(((label(row), row["failures"], row["rounds"]) for row in mine), confidence=confidence)
            said = {"seat": "in {}", "order": "of whoever {}", "leader": "when {}"}[counted].format(end.names[0])
            if end.clear and len(mine) > 1:
                verb = "missed" if whose == "goal" else "lost"
                clear.append(f"the {whose} {said} is {verb} most ({percent(end.share)}, {span(end.low, end.high)})")
            else:
                open_.append({"seat": "seat", "order": "place in the order of choice", "leader": "leading seat"}[counted])
        says = sentence(*clear, f"no {listed(open_, 'or')} stands out" if open_ else "")
        pictures.append(Picture(people(players), says, specs[key], rounded(values), chapter, policy))
    note = (
        f"Points: share of goals missed, or of rounds lost; whiskers: Wilson intervals, {100 * confidence:g} %. Intervals in the "
        "sentences hold for all places of one kind together. Order of choice: clockwise from the seat that leads first. Who "
        "chooses first mostly has a character bound to a card, so these differences are the characters' too."
    )
    return Figure("seats", "Seats and order of choice", note, pictures)


def _ranges(order: list[str], top: float) -> dict[str, Any]:
    y = alt.Y("place:N", sort=order, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg"))
    color = alt.Color(
        "what:N",
        scale=alt.Scale(domain=list(PLACES.values()), range=["@c0", "@c1", "@c3"]),
        legend=alt.Legend(title=None, columns=1, labelLimit=250),
    )
    base = blank().encode(y=y, color=color, tooltip=["place:N", "what:N", "share:N"])
    axis = alt.Axis(format="%", tickCount=5)
    whiskers = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=alt.Scale(domain=[0, top], nice=True), axis=axis), x2="high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1).encode(x=alt.X("rate:Q"))
    return spec_of(alt.layer(whiskers, dots).properties(height=alt.Step(20)))


CHOSEN, WITH, WITHOUT = "chosen", "rounds won with", "rounds won without"


def choices(characters: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell: how often each character is chosen, and how rounds with and without it go."""
    y = alt.Y("character:N", title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg"))
    color = alt.Color(
        "what:N",
        scale=alt.Scale(domain=[CHOSEN, WITH, WITHOUT], range=["@grey", "@c0", "@c1"]),
        legend=alt.Legend(title=None, columns=2, symbolOpacity=1),
    )
    x = alt.X("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5))
    base = blank().encode(y=y, color=color, tooltip=["character:N", "what:N", "of the rounds:N"])
    bars = base.transform_filter(f"datum.what == '{CHOSEN}'").mark_bar(opacity=0.5).encode(x=x)
    others = base.transform_filter(f"datum.what != '{CHOSEN}'")
    whiskers = others.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q")
    dots = others.mark_point(filled=True, opacity=1).encode(x=alt.X("share:Q"))
    spec = spec_of(alt.layer(bars, whiskers, dots).properties(height=alt.Step(28)))
    pictures = []
    for (chapter, players, policy), rows in cells(characters):
        values = []
        for row in rows:
            shares = [
                (CHOSEN, row["choice_rate"], row["choice_low"], row["choice_high"]),
                (WITH, row["rate"], row["low"], row["high"]),
            ]
            if row["other_rate"] is not None:
                shares.append((WITHOUT, row["other_rate"], None, None))
            for what, share, low, high in shares:
                interval = f" ({span(low, high)})" if low is not None and high is not None else ""
                values.append(
                    {
                        "character": person(row["character"]),
                        "what": what,
                        "share": share,
                        "low": share if low is None else low,
                        "high": share if high is None else high,
                        "of the rounds": percent(share) + interval,
                    }
                )
        if all(row["other_rate"] is None for row in rows):
            continue  # nobody chose anything
        pictures.append(Picture(people(players), _chosen(rows, confidence), spec, rounded(values), chapter, policy))
    note = (
        "Only where there was a choice. Bars: share of the rounds in which a character is chosen; points: share won of the "
        f"rounds with it, and of those without it; whiskers: Wilson intervals, {100 * confidence:g} %. Who is chosen goes by the "
        "hands: a difference is not the character's doing. Intervals in the sentences hold for all characters of a picture "
        "together."
    )
    return Figure("characters", "Who is chosen", note, pictures)


def _chosen(rows: list[dict[str, Any]], confidence: float) -> str:
    optional = [row for row in rows if row["other_rate"] is not None]
    often = extreme(((person(row["character"]), row["chosen"], row["rounds"]) for row in optional), confidence=confidence)
    certain = [row for row in optional if row["simultaneous_low"] > 0 or row["simultaneous_high"] < 0]
    in_rounds = f"in {percent(often.share)} of the rounds"
    choice = (
        f"{often.names[0]} is chosen most of those who need not be in, {in_rounds} ({span(often.low, often.high)})"
        if often.clear and len(optional) > 1
        else f"{listed(often.names)} {'is' if often.clear else 'are'} chosen {in_rounds}"
        + ("" if often.clear else " or about as often")
    )
    if not certain:
        return sentence(choice, "rounds with and without them are not certainly won more or less often")
    row = max(certain, key=lambda row: abs(row["difference"]))
    sign = 1 if row["difference"] > 0 else -1
    size = f"{100 * abs(row['difference']):.1f} points ({points(row['simultaneous_low'], row['simultaneous_high'], sign=sign)})"
    return sentence(
        choice, f"rounds with {person(row['character'])} are won {size} {'more' if sign > 0 else 'less'} often than those without"
    )


def by_event(events: pl.DataFrame, *, confidence: float) -> Figure:
    """Return a picture per cell that has events or several rounds: rounds won by number and event."""
    pictures = []
    tops = greatest(events, "high")
    for (chapter, players, policy), rows in cells(events):
        if not any(row["event"] or row["round"] > 1 for row in rows):
            continue
        several = len({row["round"] for row in rows}) > 1

        def label(row: dict[str, Any], several: bool = several) -> str:
            event = (row["event"] or "no event").replace("_", " ")
            return f"{row['round']}: {event}" if several else event

        values = [
            {
                "event": label(row),
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
                "won": f"{percent(row['rate'])} ({span(row['low'], row['high'])})",
            }
            for row in rows
        ]
        order = [value["event"] for value in values]
        base = blank().encode(
            y=alt.Y("event:N", sort=order, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor="@fg")),
            tooltip=["event:N", "won:N"],
        )
        axis = alt.Axis(format="%", tickCount=5)
        scale = alt.Scale(domain=[0, tops[chapter, policy]], nice=True)
        whiskers = base.mark_rule(strokeWidth=2, color="@c0").encode(
            x=alt.X("low:Q", title="rounds won", scale=scale, axis=axis), x2="high:Q"
        )
        dots = base.mark_point(filled=True, opacity=1, color="@c0").encode(x=alt.X("rate:Q"))
        spec = spec_of(alt.layer(whiskers, dots).properties(height=alt.Step(24)))
        end = extreme(((label(row), row["won"], row["rounds"]) for row in rows), confidence=confidence, lowest=True)
        if end.clear:
            says = f"fewest rounds are won with “{end.names[0]}”: {percent(end.share)} ({span(end.low, end.high)})"
        elif end.all_equal:
            says = f"nothing stands out: all intervals meet (the fewest measured: “{end.names[0]}”, {percent(end.share)})"
        else:
            says = f"fewest rounds are won with {listed([f'“{name}”' for name in end.names], 'or')}, whose intervals meet"
        pictures.append(Picture(people(players), sentence(says), spec, rounded(values), chapter, policy))
    note = (
        "Points: share of the rounds won, by number of the round and event; whiskers: Wilson intervals, "
        f"{100 * confidence:g} %. Intervals in the sentences hold for all points together."
    )
    return Figure("events", "Rounds by event", note, pictures)
