"""Colours and type of the pictures, for light and for dark surroundings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

SCHEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "bg": "#ffffff",
        "fg": "#1d2430",
        "muted": "#5b6472",
        "grid": "#e3e6eb",
        "low": "#f3f6fb",
        "high": "#79ace0",
        "worse": "#e59a7e",
        "even": "#f4f4f2",
        "better": "#7fb1de",
        "grey": "#a9afb9",
        "c0": "#2f6fb3",
        "c1": "#c97018",
        "c2": "#2c9c7a",
        "c3": "#b0559f",
        "c4": "#c8504d",
        "c5": "#8a7a2f",
        "c6": "#2a91ac",
        "c7": "#6c63b8",
    },
    "dark": {
        "bg": "#191d24",
        "fg": "#e7eaf0",
        "muted": "#a2abb9",
        "grid": "#343b47",
        "low": "#222833",
        "high": "#2f6caa",
        "worse": "#a34f34",
        "even": "#272c35",
        "better": "#2f6caa",
        "grey": "#6f7887",
        "c0": "#6ba7e6",
        "c1": "#f0a355",
        "c2": "#57c7a3",
        "c3": "#d98acb",
        "c4": "#ee8582",
        "c5": "#c9b75c",
        "c6": "#7fd3e8",
        "c7": "#a69df0",
    },
}
"""What each name stands for. Text in "fg" can be read on every colour from "low" to "high" and from "worse" to "better"."""

SERIES = [f"@c{number}" for number in range(8)]
FONT = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"

CONFIG: Mapping[str, Any] = {
    "background": "@bg",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "@muted",
        "titleColor": "@muted",
        "gridColor": "@grid",
        "domainColor": "@grid",
        "tickColor": "@grid",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 150,
    },
    "axisY": {"labelPadding": 6},
    "legend": {
        "labelColor": "@fg",
        "titleColor": "@muted",
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "orient": "top",
        "offset": 6,
        "symbolType": "square",
        "symbolSize": 80,
        "labelLimit": 130,
        "columnPadding": 8,
        "rowPadding": 2,
        "gradientLength": 140,
        "gradientThickness": 8,
        "gradientStrokeColor": "@grid",
    },
    "title": {
        "color": "@fg",
        "subtitleColor": "@muted",
        "anchor": "start",
        "frame": "group",
        "fontSize": 13,
        "subtitleFontSize": 11,
        "offset": 8,
    },
    "text": {"color": "@fg", "fontSize": 11},
    "rule": {"color": "@fg", "strokeWidth": 1.4},
    "point": {"size": 50, "strokeWidth": 1.6},
    "bar": {"cornerRadius": 1},
}


def painted(spec: Any, scheme: str) -> Any:
    """Return a spec with the names of colours ("@fg") replaced by those of `scheme` ("light" or "dark")."""
    colours = SCHEMES[scheme]
    return json.loads(re.sub(r'"@(\w+)"', lambda found: json.dumps(colours[found[1]]), json.dumps(spec)))
