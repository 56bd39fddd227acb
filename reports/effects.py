"""What goes with winning: a logistic model of the rounds won, in what the deal, the choices and the seats were.

Rounds are counted per combination of factors first, so that a million rows become some thousand; the model is fitted to counts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import polars as pl

from reports.counting import Frames
from reports.dataset import CELL, CellScan
from reports.intervals import check_confidence, share, wilson
from reports.lost_card import SUITS
from reports.pairs import collect
from reports.seated import SeatedCell, seated_cells, wide_rounds
from reports.significance import adjusted
from scenarios.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = (
    *CELL,
    "factor",
    "level",
    "reference",
    "rounds",
    "rate",
    "odds_ratio",
    "odds_low",
    "odds_high",
    "p_value",
    "p_adjusted",
    "significant",
    "note",
)
MODEL_COLUMNS = (*CELL, "rounds", "won", "used", "terms", "explained", "note")
CALIBRATION_COLUMNS = (*CELL, "group", "rounds", "predicted", "won", "rate", "low", "high")
GROUPS = 10
FAR = 12.0  # a log odds ratio beyond this, or a standard error beyond FAR, is no estimate: the data lets it run away
DEPENDENT = 1e-8  # a column whose part outside the others is this small, relative to itself, follows from them
NOTES = {
    "all": "no model: all rounds were won",
    "none": "no model: no round was won",
    "away": "no finite estimate: the rounds won and lost are separated",
}


@dataclass(frozen=True)
class Effects:
    """Three frames, see docs/reports.md: COLUMNS, MODEL_COLUMNS and CALIBRATION_COLUMNS are their columns."""

    effects: pl.DataFrame
    models: pl.DataFrame
    calibration: pl.DataFrame


def effects(
    goals: Frames,
    rounds: Frames,
    *,
    confidence: float = 0.95,
    chapters: Sequence[str] | None = None,
    deals: int | None = None,
) -> Effects:
    """Fit the model of each chapter, players and policy, to the deals below number `deals` of each run (None: to all).

    Both tables are cell scans in the same order, or frames, as for `reports.characters`. Levels without a finite odds ratio (all
    of their rounds won, or all lost) and columns that follow from others are left out, and a note in their row says so.
    Raises UserError for a confidence out of range, missing columns, unreadable parts and tables out of step.
    """
    check_confidence(confidence)
    tables: dict[str, list[pl.DataFrame]] = {"effects": [], "models": [], "calibration": []}
    cells = seated_cells(goals, rounds)
    for cell in cells:
        names = cell.goals.literals()
        for name, table in _of_cell(cell, confidence, deals).items():
            tables[name].append(table.select(*names, pl.all()))
    order = pl.Enum(list(dict.fromkeys([*(chapters or ()), *(cell.goals.chapter for cell in cells)])))
    schemas = {"effects": COLUMNS, "models": MODEL_COLUMNS, "calibration": CALIBRATION_COLUMNS}
    found = {
        name: pl.concat(tables[name], how="vertical_relaxed").with_columns(pl.col("chapter").cast(order)).select(columns)
        if tables[name]
        else pl.DataFrame(schema=dict.fromkeys(columns, pl.Null) | {"chapter": order})
        for name, columns in schemas.items()
    }
    return Effects(**{name: frame.sort(CELL, maintain_order=True) for name, frame in found.items()})


# Counting.


@dataclass
class _Term:
    """A column of the model: `values` per combination of factors (0: as the reference), `of`: where it speaks of something."""

    factor: str
    level: str
    reference: str
    values: pl.Series
    of: pl.Series
    share: bool = True
    note: str = ""
    estimate: tuple[float, float] | None = None


def _counted(cell: SeatedCell, deals: int | None) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Return counts per combination (`lost`, `event`, `half`, `has_*` ...); characters; those with threats."""
    files = [cell.goals, cell.rounds]
    known = _read(cell.goals.frame.group_by("character").agg(pl.col("threat").is_not_null().any().alias("threatened")), files)
    characters = sorted(known["character"])
    threatened = sorted(known.filter("threatened")["character"])
    seats = range(cell.seats)
    has = [pl.any_horizontal(pl.col(f"character_{s}") == name for s in seats).alias(f"has_{name}") for name in characters]
    threats = [
        pl.max_horizontal(pl.when(pl.col(f"character_{s}") == name).then(pl.col(f"threat_{s}")) for s in seats).alias(
            f"threat_{name}"
        )
        for name in threatened
    ]
    inside = pl.col("deal") < deals if deals is not None else None
    frame = wide_rounds(cell, ("character", "threat"), ("lost", "event", "first_leader", "won"), inside)
    factors = [
        "lost",
        "event",
        "first_leader",
        "half",
        *(f"has_{name}" for name in characters),
        *(f"threat_{name}" for name in threatened),
    ]
    counts = [pl.len().cast(pl.Int64).alias("rounds"), pl.col("won").sum().cast(pl.Int64).alias("won")]
    astray = pl.col("deal").ne_missing(pl.col("deal_of_goals")).sum().alias("astray")
    counted = _read(
        frame.select(
            "deal", "deal_of_goals", "lost", "event", "first_leader", "won", (pl.col("deal") % 2).alias("half"), *has, *threats
        )
        .group_by(factors)
        .agg(*counts, astray),
        files,
    )
    if counted["astray"].sum():
        name = f"chapter {cell.goals.chapter}, {cell.goals.players} players, {cell.goals.policy}"
        raise UserError(f"{name}: goals and rounds are not in the same order of play")
    return counted.drop("astray").sort(factors), characters, threatened


def _read(frame: pl.LazyFrame, files: Sequence[CellScan]) -> pl.DataFrame:
    return collect([frame], files)[0]


# The columns of the model.


def _terms(counted: pl.DataFrame, characters: Sequence[str], threatened: Sequence[str]) -> list[_Term]:
    """Return all columns but the constant; of a group that adds up to a constant, the last is the one to be left out."""
    cards = counted["lost"].str.extract_all(r"[A-Z][0-9]+")
    letters = cards.list.eval(pl.element().str.head(1))
    ranks = cards.list.eval(pl.element().str.tail(-1).cast(pl.Float64)).list.mean()
    found = set(letters.explode().drop_nulls())
    suits = [suit for suit in SUITS if suit in found] + sorted(found - set(SUITS))
    terms = []
    for suit in suits[1:]:
        number = letters.list.count_matches(suit)
        terms.append(_Term("lost suit", suit, suits[0], number.cast(pl.Float64), number > 0))
    if found:
        terms.append(_slope("lost rank", "per rank", ranks, counted["rounds"]))
    for name in threatened:
        terms.append(_slope(f"threat of {name}", "per step", counted[f"threat_{name}"].cast(pl.Float64), counted["rounds"]))
    events = counted["event"].fill_null("none").unique().sort().to_list()
    for event in events[1:]:
        in_force = counted["event"].fill_null("none") == event
        terms.append(_Term("event", event, events[0], in_force.cast(pl.Float64), in_force))
    leaders = counted["first_leader"].unique().sort().to_list()
    for seat in leaders[1:]:
        is_first = counted["first_leader"] == seat
        terms.append(_Term("leads first", f"seat {seat}", f"seat {leaders[0]}", is_first.cast(pl.Float64), is_first))
    often = {name: int(counted.filter(f"has_{name}")["rounds"].sum()) for name in characters}
    total = int(counted["rounds"].sum())
    for name in sorted(characters, key=lambda name: (often[name], name)):
        if 0 < often[name] < total:
            has = counted[f"has_{name}"]
            terms.append(_Term("character", name, "not chosen", has.cast(pl.Float64), has))
    return terms


def _slope(factor: str, level: str, values: pl.Series, rounds: pl.Series) -> _Term:
    """Return a column that counts steps from the mean; where there is no value, it is as at the mean."""
    known = values.is_not_null()
    mean = float((values * rounds).sum()) / max(1, int(rounds.filter(known).sum()))
    return _Term(factor, level, "", (values - mean).fill_null(0.0), known, share=False)


# Fitting.


@dataclass(frozen=True)
class _Fit:
    """A model on some of the combinations (`rows`): its columns, their coefficients with the constant first, and errors."""

    rows: NDArray[np.bool_]
    terms: list[_Term]
    coefficients: NDArray[np.float64]
    errors: NDArray[np.float64]
    explained: float


def _of_cell(cell: SeatedCell, confidence: float, deals: int | None) -> dict[str, pl.DataFrame]:
    counted, characters, threatened = _counted(cell, deals)
    terms = _terms(counted, characters, threatened)
    rounds, won = int(counted["rounds"].sum()), int(counted["won"].sum())
    nothing = NOTES["all"] if won == rounds else NOTES["none"] if won == 0 else ""
    fit = None if nothing else _fit(counted, terms, note=True)
    model: dict[str, Any] = {"rounds": rounds, "won": won, "used": 0, "terms": 0, "explained": None, "note": nothing}
    if fit is not None:
        used = int(counted["rounds"].to_numpy()[fit.rows].sum())
        left = f"{rounds - used:_} rounds of levels without a finite odds ratio left out" if used < rounds else ""
        model |= {"used": used, "terms": len(fit.terms), "explained": fit.explained, "note": left}
    schema = {
        "rounds": pl.Int64,
        "won": pl.Int64,
        "used": pl.Int64,
        "terms": pl.Int64,
        "explained": pl.Float64,
        "note": pl.String,
    }
    return {
        "effects": _rows(counted, terms, fit, nothing, confidence),
        "models": pl.DataFrame([model | {"note": model["note"] or None}], schema=schema),
        "calibration": _calibration(counted, terms, fit, confidence),
    }


def _fit(counted: pl.DataFrame, terms: Sequence[_Term], *, note: bool = False) -> _Fit | None:
    """Fit the model; with `note`, terms are told what became of them. None where nothing can be fitted."""
    import numpy as np

    n, won = (counted[name].to_numpy().astype(float) for name in ("rounds", "won"))
    rows = n > 0
    kept = list(terms)
    # A level all of whose rounds were won, or all lost, has no finite odds ratio: it and its rounds are left out.
    while separated := [(term, text) for term in kept if term.share and (text := _one_sided(term, n, won, rows))]:
        for term, text in separated:
            rows &= ~term.of.to_numpy()
            kept.remove(term)
            if note:
                term.note = text
    if not 0 < won[rows].sum() < n[rows].sum():
        return None
    kept = _independent(kept, n, rows, note=note)
    while True:
        fitted = _solve([term.values.to_numpy() for term in kept], n, won, rows)
        away = [term for term, b, e in zip(kept, fitted[0][1:], fitted[1][1:], strict=True) if not (abs(b) < FAR and e < FAR)]
        if not away:
            break
        for term in away:
            kept.remove(term)
            if note:
                term.note = NOTES["away"]
    if note:
        for term, b, e in zip(kept, fitted[0][1:], fitted[1][1:], strict=True):
            term.estimate = (float(b), float(e))
    return _Fit(np.asarray(rows), kept, *fitted)


def _one_sided(term: _Term, n: NDArray[np.float64], won: NDArray[np.float64], rows: NDArray[np.bool_]) -> str:
    mine = rows & term.of.to_numpy()
    total, wins = n[mine].sum(), won[mine].sum()
    if total and wins in (0, total):
        return f"no finite odds ratio: all {total:_.0f} rounds {'won' if wins else 'lost'}"
    return ""


def _independent(terms: Sequence[_Term], n: NDArray[np.float64], rows: NDArray[np.bool_], *, note: bool) -> list[_Term]:
    """Return the columns that do not follow from the constant and the columns before them."""
    import numpy as np

    weight = np.sqrt(n[rows])
    basis = [weight / np.linalg.norm(weight)]
    kept = []
    for term in terms:
        column = term.values.to_numpy()[rows] * weight
        rest = column.copy()
        for _ in range(2):  # once more, against rounding
            for direction in basis:
                rest -= direction * (direction @ rest)
        size = np.linalg.norm(rest)
        if size <= DEPENDENT * max(float(np.linalg.norm(column)), 1e-300):
            if note:
                same = "never differs" if np.ptp(term.values.to_numpy()[rows]) == 0 else "follows from the others: the reference"
                term.note = f"no odds ratio: {same}"
            continue
        basis.append(rest / size)
        kept.append(term)
    return kept


def _solve(
    columns: Sequence[NDArray[np.float64]], n: NDArray[np.float64], won: NDArray[np.float64], rows: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return coefficients (the constant first), their standard errors and the share of the deviance explained."""
    import numpy as np
    import statsmodels.api as sm

    design = np.column_stack([np.ones(int(rows.sum())), *(column[rows] for column in columns)])
    counts = np.column_stack([won[rows], n[rows] - won[rows]])
    with warnings.catch_warnings():
        # What separation does to a fit is looked at in its figures.
        warnings.simplefilter("ignore")
        fitted = sm.GLM(counts, design, family=sm.families.Binomial()).fit(maxiter=50)
        # Of single rounds, not of the combinations, whose deviance depends on how many there are.
        log_likelihood = float((counts * np.log(np.clip([fitted.mu, 1 - fitted.mu], 1e-300, 1)).T).sum())
        rate = counts[:, 0].sum() / counts.sum()
        none = float((counts.sum(0) * np.log([rate, 1 - rate])).sum())
    return fitted.params, fitted.bse, 1 - log_likelihood / none


def _predicted(fit: _Fit, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the chances that a model gives to combinations."""
    import numpy as np

    line = np.full(int(rows.sum()), fit.coefficients[0])
    for coefficient, term in zip(fit.coefficients[1:], fit.terms, strict=True):
        line += coefficient * term.values.to_numpy()[rows]
    return 1 / (1 + np.exp(-line))


# What is reported.


def _rows(counted: pl.DataFrame, terms: Sequence[_Term], fit: _Fit | None, nothing: str, confidence: float) -> pl.DataFrame:
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rows: list[dict[str, Any]] = []
    for term in terms:
        mine = counted.filter(term.of)
        total, won = int(mine["rounds"].sum()), int(mine["won"].sum())
        row: dict[str, Any] = {"factor": term.factor, "level": term.level, "reference": term.reference or None, "rounds": total}
        row |= {"rate": won / total if term.share and total else None, "note": nothing or term.note or None}
        if fit is not None and term.estimate is not None:
            b, error = term.estimate
            row |= {"odds_ratio": math.exp(b), "odds_low": math.exp(b - z * error), "odds_high": math.exp(b + z * error)}
            row["p_value"] = math.erfc(abs(b / error) / math.sqrt(2))
        rows.append(row)
    texts = dict.fromkeys(("factor", "level", "reference", "note"), pl.String)
    numbers = dict.fromkeys(("rate", "odds_ratio", "odds_low", "odds_high", "p_value"), pl.Float64)
    table = pl.DataFrame(rows, schema={**texts, "rounds": pl.Int64, **numbers})
    return table.with_columns(adjusted(table["p_value"])).with_columns(
        (pl.col("p_adjusted") <= 1 - confidence).alias("significant")
    )


def _calibration(counted: pl.DataFrame, terms: Sequence[_Term], fit: _Fit | None, confidence: float) -> pl.DataFrame:
    """Return groups of rounds by predicted chance; each half of the deals is predicted by the model of the other half."""
    import numpy as np

    halves = []
    for half in (0, 1) if fit is not None else ():
        theirs = (counted["half"] != half).to_numpy()
        of_theirs = counted.with_columns(pl.when(pl.Series(theirs)).then(pl.col("rounds", "won")).otherwise(0))
        assert fit is not None
        other = _fit(of_theirs, fit.terms)
        mine = fit.rows & ~theirs
        if other is not None and mine.any():
            chosen = counted.filter(pl.Series(mine)).select("rounds", "won")
            halves.append(chosen.with_columns(pl.Series("predicted", _predicted(other, mine))))
    schema = {"group": pl.UInt8, "rounds": pl.Int64, "predicted": pl.Float64, "won": pl.Int64, "rate": pl.Float64}
    if not halves:
        return pl.DataFrame(schema=schema | {"low": pl.Float64, "high": pl.Float64})
    both = pl.concat(halves).sort("predicted")
    place = np.cumsum(both["rounds"].to_numpy()) - both["rounds"].to_numpy() / 2
    group = np.minimum(GROUPS, 1 + (GROUPS * place / int(both["rounds"].sum())).astype(int))
    table = (
        both.with_columns(pl.Series("group", group, dtype=pl.UInt8))
        .group_by("group")
        .agg(
            pl.col("rounds").sum(),
            ((pl.col("predicted") * pl.col("rounds")).sum() / pl.col("rounds").sum()).alias("predicted"),
            pl.col("won").sum(),
        )
        .sort("group")
        .with_columns(share("won", "rounds").alias("rate"))
    )
    low, high = wilson(table["won"], table["rounds"], confidence=confidence)
    return table.with_columns(low, high)
