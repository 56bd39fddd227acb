"""The pictures of the checks (Altair, written as SVG and PNG without a browser)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from sim.verify.check import LEVEL, Check, Panel

RIGHT, WRONG, BAND = "#2b6cb0", "#c53030", "#d9dde3"
LIMIT = 8.0
"""Colours of maps end at so many standard errors."""


def save(check: Check, folder: Path, lines_in_all: int) -> list[Path]:
    """Write `folder`/NAME.svg and .png and return their paths. `lines_in_all`: tested lines over all checks."""
    failed = any(line.p < LEVEL / lines_in_all for line in check.lines)
    smallest = min(line.p for line in check.lines)
    panels: list[Any] = [_DRAW[panel.kind](panel) for panel in check.panels if panel.rows]
    body: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=check.columns, spacing=24)
    chart = (
        body.properties(
            title=alt.TitleParams(
                text=f"{check.title}: {'REJECTED' if failed else 'as expected'} (smallest p {smallest:.2g})",
                subtitle=check.right,
                color=WRONG if failed else "#1a202c",
                subtitleColor="#4a5568",
                anchor="start",
                fontSize=17,
                subtitleFontSize=12,
                offset=14,
            )
        )
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=10, titleFontSize=11, grid=False)
    )
    paths = [folder / f"{check.name}.svg", folder / f"{check.name}.png"]
    chart.save(str(paths[0]))
    chart.save(str(paths[1]), scale_factor=1.5)
    return paths


def _order(panel: Panel, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in panel.rows))


def _map(panel: Panel) -> alt.Chart:
    cells = pl.DataFrame(panel.rows).with_columns(pl.col("z").clip(-LIMIT, LIMIT))
    wide = len(panel.order) > 15
    return (
        alt.Chart(cells)
        .mark_rect()
        .encode(
            alt.X("at:N", sort=panel.order, title=panel.x, axis=alt.Axis(labelAngle=-90 if wide else -45, labelFontSize=8)),
            alt.Y("card:N", sort=_order(panel, "card"), title=panel.y, axis=alt.Axis(labelFontSize=8)),
            alt.Color(
                "z:Q",
                scale=alt.Scale(domain=[-LIMIT, 0, LIMIT], range=[WRONG, "#ffffff", RIGHT], interpolate="rgb", clamp=True),
                title=["standard errors", "from expected"],
            ),
        )
        .properties(width=420 if wide else 260, height=400, title=panel.title)
    )


def _square(panel: Panel) -> alt.LayerChart:
    base = alt.Chart(pl.DataFrame(panel.rows)).encode(
        alt.X("at:N", sort=_order(panel, "at"), title=None, axis=alt.Axis(labelAngle=-45)),
        alt.Y("card:N", sort=_order(panel, "card"), title=None),
    )
    cells = base.mark_rect(stroke="#e2e8f0").encode(
        alt.Color(
            "z:Q",
            scale=alt.Scale(domain=[-LIMIT, 0, LIMIT], range=[WRONG, "#ffffff", RIGHT], interpolate="rgb", clamp=True),
            title=["standard errors", "from expected"],
        )
    )
    return (cells + base.mark_text(fontSize=11).encode(alt.Text("z:Q", format=".1f"))).properties(
        width=480, height=420, title=panel.title
    )


def _ratios(panel: Panel) -> alt.LayerChart:
    rows = pl.DataFrame(panel.rows).with_columns(
        outside=(pl.col("ratio") < pl.col("low")) | (pl.col("ratio") > pl.col("high")),
    )
    grouped = "group" in rows.columns
    order = _order(panel, "label")
    base = alt.Chart(rows).encode(
        alt.X("label:N", sort=order, title=panel.x, axis=alt.Axis(labelAngle=-90 if len(order) > 12 else 0, labelFontSize=9)),
        tooltip=["label:N", "ratio:Q"],
    )
    ends = rows.select(pl.min_horizontal(pl.min("low"), pl.min("ratio")), pl.max_horizontal(pl.max("high"), pl.max("ratio"))).row(
        0
    )
    room = 0.15 * (ends[1] - ends[0])
    scale = alt.Scale(domain=[ends[0] - room, ends[1] + room], nice=False)
    axis = alt.Axis(format=".1%", grid=True, tickCount=5)
    y = alt.Y("ratio:Q", title="observed / expected", scale=scale, axis=axis)
    aside = {"xOffset": alt.XOffset("group:N", sort=_order(panel, "group"))} if grouped else {}
    low = alt.Y("low:Q", title="observed / expected", scale=scale, axis=axis)
    band = base.mark_bar(color=BAND).encode(low, alt.Y2("high:Q"), **aside)
    color: Any = alt.Color(
        "outside:N",
        scale=alt.Scale(domain=[False, True], range=[RIGHT, WRONG]),
        legend=None,
    )
    points = base.mark_circle(size=26 if grouped else 50, opacity=1).encode(y, color, **aside)
    width = 1000 if grouped else max(260, min(480, 14 * len(order)))
    return (band + points).properties(width=width, height=190, title=panel.title)


def _bars(panel: Panel) -> alt.LayerChart:
    order = _order(panel, "label")
    base = alt.Chart(pl.DataFrame(panel.rows)).encode(alt.X("label:N", sort=order, title=panel.x, axis=alt.Axis(labelAngle=0)))
    bars = base.mark_bar(color="#90b4dc").encode(alt.Y("observed:Q", title=panel.y, axis=alt.Axis(format="%")))
    ticks = base.mark_tick(color="#1a202c", thickness=2, width=20).encode(alt.Y("expected:Q"))
    return (bars + ticks).properties(width=max(150, 26 * len(order)), height=200, title=panel.title)


_DRAW = {"map": _map, "square": _square, "ratios": _ratios, "bars": _bars}
