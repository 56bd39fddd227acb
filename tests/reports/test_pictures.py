from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from synthetic_run import Cell, make_rows, write_run

from reports import open_run, pool
from reports.dataset import Pool
from reports.pictures.figure import Picture
from reports.pictures.image import composed, image
from reports.pictures.theme import CONFIG, SCHEMES, painted
from reports.sheets import Sheet, every_sheet

CELLS: list[Cell] = [
    (chapter, players, policy) for chapter in ("2", "my") for policy in ("team", "search", "open") for players in (3, 4)
]
REPORTS = ["balance", "luck", "failures", "when", "tricks", "lost-card", "threats", "seats", "characters", "effects"]
REPORTS += ["events", "attempts"]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    rows = make_rows(5, CELLS, rounds_to_a_deal=2, verdicts=True)
    return pool([open_run(write_run(tmp_path_factory.mktemp("runs") / "run", *rows, cells=CELLS))])


@pytest.fixture(scope="module")
def sheets(read: Pool) -> dict[str, Sheet]:
    return {sheet.name: sheet for sheet in every_sheet(read, 0.95)}


def test_every_report_is_there_and_has_pictures(sheets: dict[str, Sheet]) -> None:
    assert list(sheets) == REPORTS
    for sheet in sheets.values():
        figures = sheet.draw()
        assert figures
        for figure in figures:
            assert figure.pictures
            assert figure.note
            for picture in figure.pictures:
                assert picture.rows
                assert re.fullmatch(r"[A-Z0-9“].*\.", picture.says), picture.says
                assert "nan" not in picture.says.lower().split()


def test_pictures_come_to_their_cells(sheets: dict[str, Sheet]) -> None:
    for name in ("failures", "when", "tricks", "lost-card", "seats", "characters"):
        frame = sheets[name].frame
        pictures = {(p.chapter, p.title, p.policy): p for p in sheets[name].draw()[0].pictures}
        assert len(pictures) == frame.select("chapter", "players", "policy").unique().height
        for (chapter, title, policy), picture in pictures.items():
            cell = frame.filter(chapter=chapter, players=int(title.split()[0]), policy=policy)
            shown = json.dumps(picture.rows)
            column = {"lost-card": "rate", "characters": "choice_rate", "when": "by_then", "tricks": "share"}.get(name, "rate")
            values = cell[column].to_list() if name != "lost-card" else cell["difference"].to_list()
            if name == "failures":  # the bars are shares by what was lost first: they add up to the rate
                bars: dict[str, float] = {}
                for row in picture.rows:
                    bars[row["character"]] = bars.get(row["character"], 0) + row.get("share", 0)
                assert sorted(bars.values()) == pytest.approx(sorted(values), abs=1e-3)
            elif name == "lost-card":
                assert sorted(row["difference"] for row in picture.rows) == pytest.approx(
                    sorted(100 * v for v in values), rel=1e-3
                )
            else:
                found = {value for row in picture.rows for value in row.values() if isinstance(value, int | float)}
                assert all(any(value == pytest.approx(other, rel=1e-3) for other in found) for value in values), shown


def test_the_image_has_every_picture_with_its_own_rows(sheets: dict[str, Sheet]) -> None:
    for sheet in sheets.values():
        figures = sheet.draw()
        spec = composed(sheet.title, ["a note"], figures, {"2": "Two", "my": ""})
        placed = [(row["title"]["text"], one) for row in spec["vconcat"] for one in row["concat"]]
        expected = [picture for figure in figures for picture in figure.pictures]
        assert len(placed) == len(expected)
        for heading, one in placed:
            said = re.sub(r"\s+", " ", " ".join(one["title"]["subtitle"]).replace("\u00a0", "_")).strip().replace("_", "\u00a0")
            where = [p for p in expected if p.title == one["title"]["text"] and re.sub(r" +", " ", p.says) == said]
            assert any(list(p.rows) == one["data"]["values"] and _stands_in(p, heading) for p in where), (heading, said)


def _stands_in(picture: Picture, heading: str) -> bool:
    return (picture.policy is None or heading.endswith(picture.policy)) and (
        picture.chapter is None or f"chapter {picture.chapter}" in heading
    )


@pytest.mark.parametrize("name", REPORTS)
def test_png_and_svg_are_drawn(sheets: dict[str, Sheet], name: str) -> None:
    figures = sheets[name].draw()
    svg = image("A title", ["a note"], figures, {}, "svg").decode()
    assert svg.startswith("<svg")
    assert "A title" in svg
    assert "@" not in "".join(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
    drawn = len(re.findall(r"<(?:path|rect|line|text)\b[^>]*", svg))
    assert drawn > 10 * sum(len(figure.pictures) for figure in figures)
    png = image("A title", [], figures, {}, "png")
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") > 400


def test_both_schemes_have_every_colour_and_text_can_be_read_on_the_maps(sheets: dict[str, Sheet]) -> None:
    assert SCHEMES["light"].keys() == SCHEMES["dark"].keys()
    for scheme, colours in SCHEMES.items():
        for ground in ("bg", "low", "high", "worse", "even", "better"):
            assert _contrast(colours["fg"], colours[ground]) >= 4.5, (scheme, ground)
        assert _contrast(colours["muted"], colours["bg"]) >= 4.5
        for series in (f"c{number}" for number in range(8)):
            assert _contrast(colours[series], colours["bg"]) >= 3, (scheme, series)
    specs: list[Any] = [picture.spec for sheet in sheets.values() for figure in sheet.draw() for picture in figure.pictures]
    for scheme in SCHEMES:
        assert '"@' not in json.dumps(painted([CONFIG, *specs], scheme))


def _contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_a_report_of_one_deal_can_be_drawn(tmp_path: Path) -> None:
    cells: list[Cell] = [("1", 3, "team")]
    read = pool([open_run(write_run(tmp_path / "run", *make_rows(2, cells, deals=1), cells=cells, deals=1))])
    for sheet in every_sheet(read, 0.95):
        figures = sheet.draw()
        if any(figure.pictures for figure in figures):
            assert image(sheet.title, [], figures, {}, "svg")
