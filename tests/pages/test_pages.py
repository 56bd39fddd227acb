"""The HTML page of all reports, and that of one, in a real browser: wide and narrow, light and dark, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import REQUIRED, Browser, chromium
from synthetic_run import Cell, make_rows, write_run
from typer.testing import CliRunner

from cli.report import app
from reports.pictures.theme import SCHEMES

CELLS: list[Cell] = [
    (chapter, players, policy) for chapter in ("2", "my") for policy in ("team", "search", "open") for players in (1, 2, 3, 4)
]
SINGLE = ["balance", "luck", "failures", "lost-card", "characters", "threats", "seats", "tricks", "when", "events"]
WIDTHS = [1400, 380]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rounds, goals = make_rows(7, CELLS, deals=60, rounds_to_a_deal=2, verdicts=True)
    name = "</script><b>&"  # a name may hold anything
    for row in goals:
        row["character"] = name if row["character"] == "frodo" else row["character"]
    return write_run(tmp_path_factory.mktemp("runs") / "a run", rounds, goals, cells=CELLS, deals=60)


@pytest.fixture(scope="module")
def page(run: Path) -> Path:
    return written(run, "all")


def written(run: Path, name: str) -> Path:
    out = run.parent / f"{name}.html"
    result = CliRunner().invoke(app, [name, str(run), "--out", str(out), "--force"], catch_exceptions=False)
    assert result.exit_code == 0
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as window:
        yield window


# What each shown picture says of itself: data rows that have a mark, and marks drawn of them.
SHOWN = """
return [...document.querySelectorAll('.picture')].filter((place) => place.offsetWidth).map((place) => ({
  title: place.closest('article').querySelector('h3').textContent + ' / ' + place.getAttribute('aria-label'),
  rows: JSON.parse(document.getElementById('pictures').textContent).pictures[place.dataset.number].rows.length,
  marks: place.querySelectorAll('.role-mark path, .role-mark line, .role-mark text').length,
  broken: [...place.querySelectorAll('[d], [transform]')].filter((mark) => /NaN|undefined/.test(mark.outerHTML)).length,
  scheme: place.dataset.scheme,
  wide: place.querySelector('svg') ? place.querySelector('svg').getBoundingClientRect().width : 0,
  room: place.getBoundingClientRect().width,
}))
"""


TITLES = """
return [...document.querySelectorAll('.grid[data-of] h4')].filter((title) => title.offsetWidth).map((title) => title.textContent)
"""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_all_pictures_are_drawn(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width=width, scheme=scheme)
    seen = 0
    for policy in ("team", "search", "open"):
        browser.ask(f"document.querySelector('input[value={policy}]').click()")
        browser.draw()
        shown = browser.ask(SHOWN)
        seen += len(shown)
        assert len(shown) > 50
        titles = browser.ask(TITLES)
        assert {title.rpartition(", ")[2] for title in titles} == {policy}
        for picture in shown:
            assert picture["rows"] > 0, picture
            # A tile and its number, a bar, a point: no row is without a mark, but for those that a layer leaves out.
            assert picture["marks"] >= picture["rows"], picture
            assert picture["broken"] == 0, picture
            assert picture["scheme"] == scheme, picture
            assert 0.8 * picture["room"] < picture["wide"] <= picture["room"] + 1, picture
    pictures = len(json.loads(browser.ask("return document.getElementById('pictures').textContent"))["pictures"])
    general = browser.ask("return document.querySelectorAll('.grid:not([data-of]) .picture').length")
    assert seen - 2 * general == pictures == browser.ask("return document.querySelectorAll('.picture').length")
    assert browser.complaints() == []
    assert browser.ask("return document.documentElement.scrollWidth") == width  # nothing sticks out sideways


COLOURS = """
const fills = (selector) => [...new Set([...document.querySelectorAll(selector)].map((mark) => mark.getAttribute('fill')))];
return {
  card: getComputedStyle(document.querySelector('article')).backgroundColor,
  labels: fills('.role-axis-label text').filter((fill) => fill),
  marks: fills('.role-mark path').filter((fill) => fill && fill.startsWith('#')),
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_colours_follow_the_reader(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width, scheme="light")
    light = browser.ask(COLOURS)
    browser.scheme("dark")
    browser.draw()
    dark = browser.ask(COLOURS)
    for found, scheme in ((light, "light"), (dark, "dark")):
        colours = SCHEMES[scheme]
        red, green, blue = (int(colours["bg"][place : place + 2], 16) for place in (1, 3, 5))
        assert found["card"] == f"rgb({red}, {green}, {blue})"
        assert set(found["labels"]) == {colours["muted"], colours["fg"]}
        assert colours["c0"] in found["marks"]
    assert not set(light["marks"]) & set(dark["marks"])
    assert browser.complaints() == []


def test_pictures_are_drawn_when_they_are_scrolled_to(browser: Browser, page: Path) -> None:
    browser.driver.get("about:blank")
    browser.driver.get(page.as_uri())
    wait = "const done = arguments[arguments.length - 1]; setTimeout(done, 700)"
    browser.driver.execute_async_script(wait)
    count = "return [...document.querySelectorAll('.picture')].filter((p) => p.offsetWidth && !p.querySelector('svg')).length"
    before = browser.ask(count)
    assert before > 0
    assert browser.ask("return document.querySelectorAll('.picture svg').length") > 0
    browser.ask("[...document.querySelectorAll('.picture')].filter((p) => p.offsetWidth).at(-1).scrollIntoView()")
    browser.driver.execute_async_script(wait)
    assert browser.ask(count) < before
    assert browser.complaints() == []


def test_what_was_played_stands_at_the_top(browser: Browser, page: Path) -> None:
    browser.open(page, width=1400, scheme="light")
    facts = dict(
        browser.ask("return [...document.querySelectorAll('.facts div')].map((d) => [...d.children].map((c) => c.textContent))")
    )
    assert facts["policy"] == "team (version 1), search (version 1), open (version 1)"
    assert facts["seed"] == "0x2a"
    assert facts["ringsim"] == "0.1.0"
    assert facts["deals"].startswith("60 ")
    assert facts["command"] == "ringsim run"
    assert facts["played"] == "2026-01-01 00:00:00+00:00"
    assert "A10=at_play" in facts["assumptions"]
    headings = browser.ask("return [...document.querySelectorAll('h2')].map((h) => h.textContent)")
    assert headings == ["Chapter 2: Chapter 2", "Chapter my: Chapter my"]
    bold = browser.ask("return document.querySelectorAll('b').length")
    assert bold == 0  # a character's name is text, whatever it holds
    says = browser.ask("return [...document.querySelectorAll('figcaption')].map((c) => c.textContent)")
    assert all(re.fullmatch(r"\S.*\.", text) for text in says)


@pytest.mark.parametrize(
    "name", ["balance", "luck", "failures", "lost-card", "characters", "threats", "seats", "tricks", "when", "events"]
)
def test_a_single_report_shows_its_table_first(browser: Browser, run: Path, name: str) -> None:
    browser.open(written(run, name), width=380, scheme="dark")
    parts = browser.ask("return [...document.querySelectorAll('.numbers > *, .picture')].map((part) => part.className)")
    order = ["picture" if part.startswith("picture") else "table" for part in parts]
    assert order[0] == "table"
    assert "picture" in order
    assert browser.ask("return document.querySelector('.numbers').open")
    assert browser.ask("return document.querySelectorAll('.picture svg').length") > 0
    assert browser.complaints() == []
    assert browser.ask("return document.documentElement.scrollWidth") == 380


def test_the_page_needs_nothing_else(browser: Browser, page: Path) -> None:
    browser.open(page, width=1400, scheme="light")
    assert browser.ask("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []
    wanted = "script[src], img, iframe, link:not([href^='data:'])"
    assert browser.ask(f"return document.querySelectorAll(`{wanted}`).length") == 0
    assert page.stat().st_size < 10_000_000


def test_a_missing_browser_is_said_or_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="no chromium and chromedriver here"), chromium():
        pass
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match=f"{REQUIRED} is set"), chromium():
        pass
