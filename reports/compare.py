"""Two ways to play the same deals (policies, rules, assumptions), compared deal by deal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from reports.dataset import CellScan, Run
from reports.intervals import check_confidence, newcombe_paired, share
from reports.pairs import blocks, collect, condition_of, outcomes, shuffled_by
from reports.significance import adjusted, mcnemar
from scenarios.errors import UserError, nearest

COLUMNS = (
    "chapter",
    "chapter_b",
    "players",
    "policy_a",
    "policy_b",
    "deals",
    "rate_a",
    "rate_b",
    "difference",
    "difference_low",
    "difference_high",
    "discordant",
    "both",
    "only_a",
    "only_b",
    "neither",
    "test",
    "p_value",
    "p_adjusted",
    "significant",
)
DEAL_COLUMNS = ("chapter", "chapter_b", "players", "policy_a", "policy_b", "deal", "won_a", "won_b")


@dataclass(frozen=True)
class PairedCell:
    """One chapter and number of players, played by both."""

    a: CellScan
    b: CellScan

    def literals(self) -> tuple[pl.Expr, ...]:
        """Return the columns that say what is compared, as constants."""
        return (
            pl.lit(self.a.chapter).alias("chapter"),
            pl.lit(self.b.chapter).alias("chapter_b"),
            pl.lit(self.a.players, dtype=pl.UInt8).alias("players"),
            pl.lit(self.a.policy).alias("policy_a"),
            pl.lit(self.b.policy).alias("policy_b"),
        )

    def deals(self) -> Iterator[pl.LazyFrame]:
        """Yield, block by block, one row per deal in common: `deal`, `won_a`, `won_b`."""
        for block in blocks([self.a, self.b]):
            a = outcomes([self.a], block).select("deal", pl.col("won").alias("won_a"))
            yield a.join(outcomes([self.b], block).select("deal", pl.col("won").alias("won_b")), on="deal")


@dataclass(frozen=True)
class PairedRuns:
    """Two runs of the same seed (or one, twice), their cells matched; `left_out` names the cells of one side only,
    `remarks` say what is to be kept in mind of the pairs."""

    a: Run
    b: Run
    policy_a: str
    policy_b: str
    cells: tuple[PairedCell, ...]
    left_out: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def pair_runs(
    a: Run,
    b: Run,
    *,
    policy_a: str | None = None,
    policy_b: str | None = None,
    chapters: Mapping[str, str] | None = None,
) -> PairedRuns:
    """Match the cells of two runs by chapter and number of players; `a` and `b` may be the same run.

    A policy need not be named where a run holds only one. `chapters` maps chapters of `a` to differently named ones
    of `b`; all others are matched by name, or, where a scenario file says which chapter it is based on, by that. One
    policy of one run is compared with itself where names differ. Raises UserError for different seeds or deal formats, an
    unknown policy or chapter, several policies to choose from, and runs without a cell in common.
    """
    both = f"{a.path} and {b.path}"
    (seed, format_), (other_seed, other_format) = shuffled_by(a), shuffled_by(b)
    if seed != other_seed:
        raise UserError(f"{both} have different seeds ({seed:#x} and {other_seed:#x}): only runs of one seed share their deals")
    if format_ != other_format:
        raise UserError(f"{both} have different deal formats ({format_} and {other_format}): the same number is another deal")
    policy_a, policy_b = _policy(a, policy_a), _policy(b, policy_b)
    same = a is b and policy_a == policy_b
    renamed = _based_on(a, b, chapters or {}, same=same) | _renamed(a, b, chapters or {})
    alone = same and bool(renamed)

    ours = {(scan.chapter, scan.players): scan for scan in a.round_cells if scan.policy == policy_a}
    theirs = {(scan.chapter, scan.players): scan for scan in b.round_cells if scan.policy == policy_b}
    partner = {(chapter, players): (renamed.get(chapter, chapter), players) for chapter, players in ours}
    taken = set(renamed.values())
    partner = {key: other for key, other in partner.items() if key[0] in renamed or (other[0] not in taken and not alone)}
    matched = {key: other for key, other in partner.items() if other in theirs}
    if not matched:
        there = f"A has {_chapters(ours)}, B has {_chapters(theirs)}"
        raise UserError(f"{both} have no chapter and number of players in common: {there}; --match 5=my matches other names")
    remarks: dict[str, None] = {}
    for key, other in matched.items():
        (ours_fit, after_setup), (theirs_fit, _) = condition_of(a, ours[key]), condition_of(b, theirs[other])
        if ours_fit != theirs_fit:
            told = " and ".join(f"'{text}'" if text else "none" for text in (ours_fit, theirs_fit))
            raise UserError(
                f"{both} have different conditions on their deals ({told}) for chapter {key[0]}, {key[1]} players: "
                "the same number is another deal; compare their rates by their intervals"
            )
        if after_setup:
            remarks[
                f"where '{ours_fit}' depends on setup: after different setups a number stands for different deals of A and B"
            ] = None
    only_b = theirs.keys() - set(matched.values())
    return PairedRuns(
        a=a,
        b=b,
        policy_a=policy_a,
        policy_b=policy_b,
        cells=tuple(PairedCell(ours[key], theirs[other]) for key, other in matched.items()),
        left_out=()
        if alone
        else (
            *(f"chapter {key[0]}, {key[1]} players: only in A" for key in ours if key not in matched),
            *(f"chapter {key[0]}, {key[1]} players: only in B" for key in theirs if key in only_b),
        ),
        remarks=tuple(remarks),
    )


def compare(paired: PairedRuns, *, confidence: float = 0.95) -> pl.DataFrame:
    """Return one row per chapter and players (columns: COLUMNS, see docs/reports.md).

    Counted are the deals that both sides played. `difference` is `rate_b` - `rate_a` with Newcombe's interval for
    paired shares; `discordant` is the share of deals that only one side wins. `p_value` is McNemar's, two-sided, and
    `p_adjusted` Benjamini-Hochberg's over all rows. Without deals in common the shares and all after them are null.
    Raises UserError for a confidence out of range and unreadable parts.
    """
    check_confidence(confidence)
    a, b = pl.col("won_a"), pl.col("won_b")
    sums = {"both": (a & b).sum(), "only_a": (a & ~b).sum(), "only_b": (~a & b).sum(), "neither": (~a & ~b).sum()}
    counts = [pl.len().cast(pl.Int64).alias("deals"), *(count.cast(pl.Int64).alias(name) for name, count in sums.items())]
    counted = pl.concat([_count(cell, counts) for cell in paired.cells])
    table = with_statistics(counted, confidence=confidence).with_columns(pl.col("chapter").cast(pl.Enum(paired.a.chapters)))
    return table.select(COLUMNS).sort("chapter", "players")


def with_statistics(counted: pl.DataFrame, *, confidence: float) -> pl.DataFrame:
    """Add to rows of counts (`deals`, `both`, `only_a`, `only_b`, `neither`) what follows from them: `rate_a` to `significant`.

    Rows without deals keep null; `p_adjusted` is Benjamini-Hochberg's over all others.
    """
    low, high = newcombe_paired(*(counted[name] for name in ("both", "only_b", "only_a", "neither")), confidence=confidence)
    test, p_value = mcnemar(counted["only_a"], counted["only_b"])
    some = pl.col("deals") > 0
    table = (
        counted.with_columns(
            (pl.col("both") + pl.col("only_a")).alias("won_a"),
            (pl.col("both") + pl.col("only_b")).alias("won_b"),
            (pl.col("only_a") + pl.col("only_b")).alias("one"),
            low.alias("difference_low"),
            high.alias("difference_high"),
            test,
            p_value,
        )
        .with_columns(
            share("won_a", "deals").alias("rate_a"),
            share("won_b", "deals").alias("rate_b"),
            share("one", "deals").alias("discordant"),
            pl.when(some).then("test").alias("test"),
            pl.when(some).then("p_value").alias("p_value"),
        )
        .with_columns((pl.col("rate_b") - pl.col("rate_a")).alias("difference"))
    )
    significant = (pl.col("p_adjusted") <= 1 - confidence).alias("significant")
    return table.with_columns(adjusted(table["p_value"])).with_columns(significant)


def differing_deals(paired: PairedRuns, *, first: int = 10) -> pl.DataFrame:
    """Return the `first` deals of each chapter and players that only one side wins (columns: DEAL_COLUMNS).

    Raises UserError for unreadable parts.
    """
    frames = [_first_differing(cell, first) for cell in paired.cells]
    return pl.concat(frames).with_columns(pl.col("chapter").cast(pl.Enum(paired.a.chapters))).sort("chapter", "players", "deal")


def _count(cell: PairedCell, counts: list[pl.Expr]) -> pl.DataFrame:
    blocks_ = [collect([deals.select(counts)], [cell.a, cell.b])[0] for deals in cell.deals()]
    return pl.concat(blocks_).sum().select(*cell.literals(), pl.all())


def _first_differing(cell: PairedCell, first: int) -> pl.DataFrame:
    found = pl.DataFrame(schema={"deal": pl.UInt64, "won_a": pl.Boolean, "won_b": pl.Boolean})
    for deals in cell.deals():
        more = deals.filter(pl.col("won_a") != pl.col("won_b")).sort("deal").head(first - found.height)
        found.vstack(collect([more], [cell.a, cell.b])[0], in_place=True)
        if found.height == first:
            break
    return found.with_columns(cell.literals()).select(DEAL_COLUMNS)


def _policy(run: Run, name: str | None) -> str:
    found = list(dict.fromkeys(scan.policy for scan in run.round_cells))
    if name is None:
        if len(found) > 1:
            raise UserError(f"{run.path}: holds the policies {', '.join(found)}; choose with --policy")
        return found[0]
    if name not in found:
        raise UserError(f"--policy {name}: {run.path} holds no deals of it, only of {', '.join(found)}{nearest(name, found)}")
    return name


def _based_on(a: Run, b: Run, chosen: Mapping[str, str], *, same: bool) -> dict[str, str]:
    """Return chapter of A -> that of B where one says that it is a version of the other, and neither has another partner."""
    pairs = [(cell.get("based_on"), cell["chapter"]) for cell in b.manifest["cells"]]
    if not same:
        pairs += [(cell["chapter"], cell.get("based_on")) for cell in a.manifest["cells"]]
        # The same name on both sides comes first.
        pairs = [pair for pair in pairs if pair[0] not in b.chapters and pair[1] not in a.chapters]
    found = [pair for pair in dict.fromkeys(pairs) if pair[0] in a.chapters and pair[1] in b.chapters]
    taken = (set(chosen), set(chosen.values()))
    taken = (taken[0] | taken[1],) * 2 if same else taken
    found = [pair for pair in found if pair[0] not in taken[0] and pair[1] not in taken[1]]
    ours, theirs = ([pair[side] for pair in found] for side in (0, 1))
    return {x: y for x, y in found if ours.count(x) == theirs.count(y) == 1}


def _renamed(a: Run, b: Run, chapters: Mapping[str, str]) -> dict[str, str]:
    for pair in chapters.items():
        for run, chapter in zip((a, b), pair, strict=True):
            if chapter not in run.chapters:
                held = f"its chapters are {', '.join(run.chapters)}{nearest(chapter, run.chapters)}"
                raise UserError(f"--match {'='.join(pair)}: {run.path} has no chapter '{chapter}'; {held}")
    for pair in chapters.items():
        if list(chapters.values()).count(pair[1]) > 1:
            raise UserError(f"--match {'='.join(pair)}: chapter {pair[1]} can be matched once only")
    return dict(chapters)


def _chapters(cells: Mapping[tuple[str, int], CellScan]) -> str:
    players: dict[str, list[int]] = {}
    for chapter, number in cells:
        players.setdefault(chapter, []).append(number)
    return "; ".join(f"chapter {chapter} for {', '.join(map(str, numbers))}" for chapter, numbers in players.items())
