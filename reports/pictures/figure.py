"""A figure: pictures of one kind, one for each cell, chapter or policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import polars as pl

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Picture:
    """One picture: a Vega-Lite `spec` without data and width, its data `rows`, and the sentence that says what it shows.

    `size` is "small" (four stand side by side), "medium" or "wide". Several pictures may share a spec. `chapter` and `policy`
    say where the picture belongs; None: to all of them. Colours in the spec are names of `theme.SCHEMES`, written "@name".
    """

    title: str
    says: str
    spec: Mapping[str, Any]
    rows: Rows
    chapter: str | None = None
    policy: str | None = None
    size: str = "small"

    @property
    def height(self) -> float:
        """The height in pixels; where the spec gives one for each place of its y axis, for the places that there are."""
        height = self.spec["height"]
        if not isinstance(height, Mapping):
            return float(height)
        y = next(
            layer["encoding"]["y"] for layer in self.spec.get("layer", [self.spec]) if "field" in layer["encoding"].get("y", {})
        )
        places = y.get("scale", {}).get("domain") or {row.get(y["field"]) for row in self.rows} - {None}
        return float(height["step"] * len(places))


@dataclass(frozen=True)
class Figure:
    """Pictures that are read the same way: `note` says how."""

    name: str
    title: str
    note: str
    pictures: Sequence[Picture] = field(default_factory=list)


def spec_of(chart: Any) -> dict[str, Any]:
    """Return an Altair chart that was made without data as a Vega-Lite spec without data, schema and theme."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    for name in ("$schema", "config", "datasets"):
        spec.pop(name, None)
    # A layer that named its data would not see the picture's.
    for part in (spec, *spec.get("layer", ())):
        part.pop("data", None)
    return spec


def blank() -> alt.Chart:
    """Return a chart whose data is still to come."""
    return alt.Chart(alt.Data(name="rows"))


def rounded(rows: Rows) -> list[dict[str, Any]]:
    """Return rows with floats to five digits, which no picture can show more of."""
    return [{name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in row.items()} for row in rows]


def greatest(frame: pl.DataFrame, column: str) -> dict[tuple[str, str], float]:
    """Return the greatest absolute value of a column for each (chapter, policy): a scale that their pictures share."""
    found = frame.group_by("chapter", "policy").agg(pl.col(column).abs().max().fill_null(0).cast(pl.Float64))
    return {(str(chapter), policy): max(value, 0.001) for chapter, policy, value in found.iter_rows()}
