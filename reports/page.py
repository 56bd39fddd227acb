"""A report as one HTML file that needs nothing else: pictures, the libraries that draw them, tables, where they are from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import polars as pl
from great_tables import GT, html
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from reports.pictures import Figure, Picture
from reports.pictures.theme import CONFIG, SCHEMES
from reports.readable import column_title, is_right, readable
from reports.sheets import TITLES, Sheet

MOST_ROWS, MOST_ROWS_OF_A_CHAPTER = 600, 80
"""A longer table is left to `--format csv`: it would make the page slow, and nobody reads it there."""

Facts = Sequence[tuple[str, str]]
SPANNED = {
    "rate": ("low", "high"),
    "difference": ("difference_low", "difference_high"),
    "gap": ("gap_low", "gap_high"),
    "choice_rate": ("choice_low", "choice_high"),
    "share": ("share_low", "share_high"),
    "won_rate": ("won_low", "won_high"),
    "by_then": ("by_then_low", "by_then_high"),
}
"""Whose interval two columns are."""


def page(
    title: str,
    facts: Sequence[Facts],
    sheets: Sequence[Sheet],
    *,
    confidence: float,
    chapters: Mapping[str, str],
    policies: Sequence[str],
) -> str:
    """Return the page: `facts` are (name, value) pairs of each run, `chapters` the chapters' titles, both in order.

    With one sheet its table comes first; with several, general pictures come first and the rest chapter by chapter. Of
    several `policies` the first is shown until the reader chooses another.
    """
    import vl_convert

    library = vl_convert.javascript_bundle(None)  # type: ignore[arg-type]  # None: the three libraries, as globals
    payload = _Payload(several=len(policies) > 1)
    drawn = [(sheet, sheet.draw()) for sheet in sheets]
    pictured = {picture.policy for _, figures in drawn for figure in figures for picture in figure.pictures}
    sections = _sections(drawn, chapters, payload, confidence, alone=len(sheets) == 1)
    assets = files("reports") / "assets"
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = environment.from_string((assets / "page.html").read_text(encoding="utf-8")).render(
        title=title,
        facts=facts,
        notes=[note for sheet in sheets for note in sheet.notes] if len(sheets) == 1 else [],
        policies=[policy for policy in policies if policy in pictured],
        sections=sections,
        style=Markup((assets / "page.css").read_text(encoding="utf-8")),
        payload=Markup(payload.text()),
        library=Markup(library.replace("</script", "<\\/script")),
        script=Markup((assets / "page.js").read_text(encoding="utf-8")),
    )
    return text


class _Payload:
    """What the page's script draws: each spec once, and the rows of each picture. `several`: of several policies."""

    def __init__(self, *, several: bool) -> None:
        self.several = several
        self.specs: dict[int, tuple[int, Mapping[str, Any]]] = {}
        self.pictures: list[dict[str, Any]] = []

    def add(self, picture: Picture) -> dict[str, Any]:
        """Take in a picture and return what the page says of it."""
        number, _ = self.specs.setdefault(id(picture.spec), (len(self.specs), picture.spec))
        self.pictures.append({"spec": number, "height": picture.height, "rows": picture.rows})
        title = f"{picture.title}, {picture.policy}" if self.several and picture.policy else picture.title
        return {"number": len(self.pictures) - 1, "title": title, "says": picture.says}

    def text(self) -> str:
        content = {
            "schemes": SCHEMES,
            "config": CONFIG,
            "specs": [spec for _, spec in self.specs.values()],
            "pictures": self.pictures,
        }
        # "<" would end the script element where a name holds "</script>".
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _sections(
    drawn: Sequence[tuple[Sheet, list[Figure]]],
    chapters: Mapping[str, str],
    payload: _Payload,
    confidence: float,
    *,
    alone: bool,
) -> list[dict[str, Any]]:
    sections = []
    general = []
    for sheet, figures in drawn:
        whole = [figure for figure in figures if any(picture.chapter is None for picture in figure.pictures)]
        for figure in whole:
            tables = _tables(sheet, None, confidence) if figure is whole[-1] else []
            general.append(_block(figure, list(figure.pictures), tables, payload))
        if alone and not whole:
            # The table of the whole report first, its pictures chapter by chapter.
            tables = _tables(sheet, None, confidence)
            general.append({"title": "", "note": "", "groups": [], "tables": tables, "first": True})
        elif alone and general:
            general[0]["first"], general[0]["tables"] = True, general[-1]["tables"]
            if len(general) > 1:
                general[-1]["tables"] = []
    if general:
        short = "table" if alone and not general[0]["groups"] else "overview"
        sections.append({"id": "overview", "short": short, "title": "", "blocks": general})
    for chapter, name in chapters.items():
        blocks = []
        for sheet, figures in drawn:
            for figure in figures:
                pictures = [picture for picture in figure.pictures if picture.chapter == chapter]
                if pictures:
                    tables = [] if alone else _tables(sheet, chapter, confidence)
                    blocks.append(_block(figure, pictures, tables, payload))
        if blocks:
            title = f"Chapter {chapter}: {name}" if name else f"Chapter {chapter}"
            short = f"chapter {chapter}" if len(chapters) < 6 else chapter
            sections.append({"id": f"chapter-{chapter}", "short": short, "title": title, "blocks": blocks})
    return sections


def _block(figure: Figure, pictures: list[Picture], tables: list[dict[str, Any]], payload: _Payload) -> dict[str, Any]:
    groups = []
    for policy in dict.fromkeys(picture.policy for picture in pictures):
        of = [picture for picture in pictures if picture.policy == policy]
        groups.append({"policy": policy, "size": of[0].size, "pictures": [payload.add(picture) for picture in of]})
    return {"title": figure.title, "note": figure.note, "groups": groups, "tables": tables, "first": False}


def _tables(sheet: Sheet, chapter: str | None, confidence: float) -> list[dict[str, Any]]:
    """Return the sheet's tables: all of it with its appendix, or a chapter's, one for each policy."""
    if chapter is None:
        shown = [(sheet.title, sheet.frame.drop(sheet.hide, strict=False)), *sheet.appendix]
        return [_table(sheet, title, frame, None, confidence) for title, frame in shown]
    mine = sheet.frame.filter(pl.col("chapter").cast(pl.String) == chapter).drop("chapter", *sheet.hide, strict=False)
    tables = []
    for (policy,), frame in mine.group_by("policy", maintain_order=True):
        tables.append(_table(sheet, "The numbers", frame.drop("policy"), str(policy), confidence))
    return tables


def _table(sheet: Sheet, title: str, frame: pl.DataFrame, policy: str | None, confidence: float) -> dict[str, Any]:
    table: dict[str, Any] = {"title": title, "policy": policy, "html": "", "instead": ""}
    if frame.height > (MOST_ROWS if policy is None else MOST_ROWS_OF_A_CHAPTER):
        table["instead"] = f"{frame.height:_} rows; ringsim report {sheet.name} RUN --out {sheet.name}.csv writes them."
    else:
        table["html"] = Markup(_great_table(frame, {**TITLES, **sheet.titles}, confidence))
    return table


def _great_table(frame: pl.DataFrame, titles: Mapping[str, str], confidence: float) -> str:
    text = pl.DataFrame(
        {name: list(column) for name, column in zip(frame.columns, zip(*readable(frame), strict=True), strict=True)}
    )
    table = GT(text if text.width else pl.DataFrame({name: [] for name in frame.columns}))
    labels = {name: escape(column_title(name, titles)).replace("\n", Markup("<br>")) for name in frame.columns}
    table = table.cols_label({name: html(str(label)) for name, label in labels.items()})
    right = [name for name in frame.columns if is_right(frame[name])]
    table = table.cols_align("right", columns=right) if right else table
    for name, ends in SPANNED.items():
        if name in frame.columns and set(ends) <= set(frame.columns):
            table = table.tab_spanner(f"{100 * confidence:g} % interval", columns=list(ends), id=f"{name} interval", gather=False)
    # The page has a style for all tables, in light and dark; the library would add its own to each.
    markup = table.as_raw_html().partition("<table")[2].partition(">")[2].partition("</table>")[0]
    plain = markup.replace(' class="gt_row gt_left"', "").replace("gt_row ", "")
    return f"<table>{plain}</table>"
