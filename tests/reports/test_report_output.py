from __future__ import annotations

import io
import json
import os
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from synthetic_run import frames, make_rows, write_run

from reports import balance, failures, heading, lost_card, open_run, player_gaps, write
from reports.output import FORMATS, check_target, choose_format
from scenarios.errors import UserError

ROUNDS, GOALS = frames(*make_rows(3, early=True))
REPORTS = {
    "failures": failures(GOALS, rounds=ROUNDS),
    "lost_card": lost_card(ROUNDS),
    "balance": balance(ROUNDS),
    "player_gaps": player_gaps(balance(ROUNDS)),
    "empty": balance(ROUNDS).clear(),
}


@pytest.mark.parametrize("name", REPORTS)
def test_csv_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    frame = REPORTS[name]
    write(frame, "csv", tmp_path / "report.csv")
    text = (tmp_path / "report.csv").read_text()
    assert text.splitlines()[0] == ",".join(frame.columns)
    back = pl.read_csv(io.StringIO(text), schema=frame.schema)
    assert_frame_equal(back, frame, check_exact=True)


@pytest.mark.parametrize("name", REPORTS)
def test_json_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    frame = REPORTS[name]
    write(frame, "json", tmp_path / "report.json")
    rows = json.loads((tmp_path / "report.json").read_text())
    assert rows == frame.to_dicts()
    assert all(list(row) == frame.columns for row in rows)


@pytest.mark.parametrize("name", REPORTS)
def test_parquet_comes_back_as_it_was_and_says_where_it_is_from(tmp_path: Path, name: str) -> None:
    frame = REPORTS[name]
    write(frame, "parquet", tmp_path / "report.parquet", title="A title", notes=["seed 0x2a", "seed 0x2b"])
    assert_frame_equal(pl.read_parquet(tmp_path / "report.parquet"), frame, check_exact=True)
    metadata = pl.read_parquet_metadata(tmp_path / "report.parquet")
    assert (metadata["title"], metadata["notes"]) == ("A title", "seed 0x2a\nseed 0x2b")


def test_no_number_is_written_as_nothing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"rate": [float("nan"), 0.25, None]})
    for format in ("csv", "json", "parquet", "table", "md"):
        write(frame, format, tmp_path / f"report.{format}")
    assert json.loads((tmp_path / "report.json").read_text()) == [{"rate": None}, {"rate": 0.25}, {"rate": None}]
    assert pl.read_parquet(tmp_path / "report.parquet")["rate"].to_list() == [None, 0.25, None]
    assert not [file for file in tmp_path.iterdir() if b"nan" in file.read_bytes().lower()]


FRAME = pl.DataFrame(
    {
        "chapter": ["1", "10"],
        "character": ["bilbo_baggins", "sam"],
        "rounds": [1_000_000, 7],
        "rate": [0.12345, 1.0],
        "gap": [-0.0001, 0.5],
        "p_value": [0.00001, 0.04],
        "mean_lost_after": [3.25, None],
        "significant": [True, False],
        "undecided": [0, 0],
    }
)


def test_the_table_is_to_be_read(tmp_path: Path) -> None:
    write(
        FRAME,
        "table",
        tmp_path / "report.txt",
        title="How [bold]often[/bold]",
        notes=["seed 0x2a :seed:"],
        titles={"rate": "not\nmet"},
        hide=["undecided"],
        appendix=[("More", pl.DataFrame({"suit": ["H"], "1": ["*-5.0"]})), ("None", FRAME.clear())],
    )
    lines = [line.rstrip() for line in (tmp_path / "report.txt").read_text().splitlines()]
    assert lines == [
        "How [bold]often[/bold]",
        "seed 0x2a :seed:",
        "                                          not",
        "chapter   character          rounds       met     gap   p value   mean lost after   significant",
        "─" * 95,
        "1         Bilbo Baggins   1_000_000    12.3 %    +0.0   <0.0001               3.2   yes",
        "10        Sam                     7   100.0 %   +50.0    0.0400                     no",
        "",
        "More",
        "suit       1",
        "─" * 12,
        "H      *-5.0",
        "",
        "None",
        "no rows",
    ]


def test_markdown_is_to_be_read(tmp_path: Path) -> None:
    write(
        FRAME,
        "md",
        tmp_path / "report.md",
        title="How often",
        notes=["seed 0x2a"],
        titles={"rate": "not\nmet", "gap": "a|b"},
        hide=["undecided"],
        appendix=[("More", pl.DataFrame({"suit": ["H"], "1": ["*-5.0"]})), ("None", FRAME.clear())],
    )
    assert (tmp_path / "report.md").read_text() == (
        "## How often\n\nseed 0x2a\n\n"
        "| chapter | character | rounds | not met | a\\|b | p value | mean lost after | significant |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| 1 | Bilbo Baggins | 1_000_000 | 12.3 % | +0.0 | <0.0001 | 3.2 | yes |\n"
        "| 10 | Sam | 7 | 100.0 % | +50.0 | 0.0400 |  | no |\n\n"
        "## More\n\n| suit | 1 |\n| --- | ---: |\n| H | *-5.0 |\n\n"
        "## None\n\nno rows\n"
    )


def test_the_table_goes_to_stdout_without_colours_or_cuts(capsys: pytest.CaptureFixture[str]) -> None:
    wide = pl.DataFrame({f"column_{place:02}": ["x" * 30] for place in range(12)})
    write(wide)
    text = capsys.readouterr().out
    assert text.count("x" * 30) == 12
    assert "\x1b" not in text


def test_csv_and_json_go_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    write(FRAME, "csv")
    assert capsys.readouterr().out == FRAME.write_csv()
    write(FRAME, "json")
    assert json.loads(capsys.readouterr().out) == FRAME.to_dicts()


def test_parquet_goes_to_a_pipe_and_not_to_a_terminal(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(FRAME, "parquet")
    assert_frame_equal(pl.read_parquet(io.BytesIO(capsysbinary.readouterr().out)), FRAME)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(UserError, match="--format parquet: a terminal cannot show it; give --out FILE or a pipe"):
        write(FRAME, "parquet")


@pytest.mark.parametrize("format", [format for format in FORMATS if format not in ("png", "svg")])
def test_an_existing_file_is_replaced_by_force_only(tmp_path: Path, format: str) -> None:
    out = tmp_path / "report"
    out.write_text("precious")
    with pytest.raises(UserError) as caught:
        write(FRAME, format, out)
    assert str(caught.value) == f"--out {out}: exists already; give --force to replace it"
    assert out.read_text() == "precious"
    write(FRAME, format, out, force=True)
    assert out.read_bytes() != b"precious"
    assert list(tmp_path.iterdir()) == [out]


def test_a_frame_alone_has_no_picture(tmp_path: Path) -> None:
    for format in ("png", "svg"):
        with pytest.raises(UserError) as caught:
            write(FRAME, format, tmp_path / "report")
        others = "it can be written as table, csv, parquet, json, md, html"
        assert str(caught.value) == f"--format {format}: there is no picture of this report; {others}"
    assert list(tmp_path.iterdir()) == []


def test_impossible_targets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder; name a file"):
        check_target("csv", tmp_path)
    with pytest.raises(UserError, match=f"--out {os.devnull}: is no regular file"):
        check_target("csv", Path(os.devnull), force=True)
    with pytest.raises(UserError, match=f"the folder {tmp_path / 'none'} does not exist"):
        check_target("csv", tmp_path / "none" / "report.csv")
    with pytest.raises(UserError, match=r"--out .* cannot be written \(File name too long\)"):
        write(FRAME, "csv", tmp_path / ("x" * 252))


def test_the_format_is_given_or_follows_the_suffix() -> None:
    assert choose_format(None, None) == "table"
    assert [
        choose_format(None, Path(f"a.{suffix}")) for suffix in ("CSV", "parquet", "json", "md", "html", "htm", "PNG", "svg")
    ] == [
        "csv",
        "parquet",
        "json",
        "md",
        "html",
        "html",
        "png",
        "svg",
    ]
    assert [choose_format(None, Path(f"a.{suffix}")) for suffix in ("txt", "dat")] == ["table", "table"]
    assert choose_format("md", Path("a.csv")) == "md"
    with pytest.raises(UserError) as caught:
        choose_format("parket", None)
    line = "--format parket: must be one of table, csv, parquet, json, md, html, png, svg (did you mean 'parquet'?)"
    assert str(caught.value) == line


def test_the_heading_says_what_was_played(tmp_path: Path) -> None:
    rows = make_rows(1)
    run = open_run(write_run(tmp_path / "run", *rows))
    assert heading([run], defaults={"A10": "at_play"}) == [
        "policy script (version 1), team (version 1) | seed 0x2a | 40 deals per cell | ringsim 0.1.0 | "
        "assumptions: all at their defaults"
    ]
    searched = open_run(write_run(tmp_path / "searched", *rows, cell={"playouts": 1024}))
    assert heading([searched])[0].startswith("policy script (version 1, 1_024 playouts), team (version 1, 1_024 playouts) | ")
    assert heading([run])[0].endswith("| assumptions: A10=at_play")
    assumptions = {"A10": "after_trick", "A2": "no", "A3": "x"}
    other = write_run(
        tmp_path / "other",
        *(rows[table][: len(rows[table]) // 2] for table in (0, 1)),
        cell={"assumptions": assumptions},
        status="interrupted",
        stop="early",
        shard="1/4",
        deals=10_000,
        chunk=40,
        seed="0x1",
    )
    lines = heading([run, open_run(other)], defaults={"A10": "at_play", "A3": "x"})
    assert lines[0].startswith(f"{tmp_path / 'run'}: policy")
    assert lines[1] == (
        f"{other}: policy script (version 1), team (version 1) | seed 0x1 | 10_000 deals per cell | ringsim 0.1.0 | "
        "shard 1/4 | interrupted: 2 of 1_000 parts | rounds ended as soon as they were decided | "
        "assumptions: A2=no, A10=after_trick"
    )
