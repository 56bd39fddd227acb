"""What the lost card does to the chance to win: deals without a card against all others of the cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reports.counting import Frames, chapter_order, count_groups
from reports.dataset import CELL
from reports.intervals import check_confidence, newcombe, share, wilson
from reports.significance import adjusted, two_shares

COLUMNS = (
    "chapter",
    "players",
    "policy",
    "lost_card",
    "deals",
    "won",
    "rate",
    "low",
    "high",
    "other_rate",
    "difference",
    "difference_low",
    "difference_high",
    "test",
    "p_value",
    "p_adjusted",
    "significant",
)
SUITS = "HMFSR"
RANKS = [str(rank) for rank in range(1, 9)]


def lost_card(rounds: Frames, *, confidence: float = 0.95, chapters: Sequence[str] | None = None) -> pl.DataFrame:
    """Return one row per chapter, players, policy and lost card (columns: COLUMNS, see docs/reports.md).

    A deal with several lost cards counts once for each of them; deals without one are among the others of
    every card. `difference` is `rate` (won with this card lost) less `other_rate` (won of all other deals
    of the cell), with Newcombe's interval. `p_value` is two-sided: `test` "z" is the pooled z test for two
    independent shares, "fisher" Fisher's exact test where an expected count is below 5. `p_adjusted` is
    Benjamini-Hochberg's over the cards of the cell and `significant` says p_adjusted <= 1 - confidence.
    Without other deals, other_rate and all after it are null. `rounds` is a LazyFrame or cell scans;
    `chapters` orders the chapters, the default is the scans' order, or numbers before names. Raises
    UserError for a confidence out of range, missing columns and unreadable parts.
    """
    check_confidence(confidence)
    counts = [pl.len().alias("deals"), pl.col("won").sum()]
    counted = count_groups(rounds, ["lost"], counts, needs=["lost", "won"])
    chapter = chapter_order(rounds, counted["chapter"], chapters)
    sums = pl.col("deals", "won").sum()
    cells = counted.group_by(CELL).agg(sums.name.prefix("all_"))
    cards = (
        counted.with_columns(pl.col("lost").str.extract_all(r"\S+").list.unique().alias("lost_card"))
        .filter(pl.col("lost_card").list.len() > 0)
        .explode("lost_card")
        .group_by(*CELL, "lost_card")
        .agg(sums)
        .join(cells, on=CELL)
        .with_columns(
            pl.col("chapter").cast(chapter),
            (pl.col("all_deals") - pl.col("deals")).alias("other_deals"),
            (pl.col("all_won") - pl.col("won")).alias("other_won"),
        )
    )
    order = {card: place for place, card in enumerate(sorted(cards["lost_card"].unique(), key=_card_order))}
    cards = cards.sort(*CELL, pl.col("lost_card").replace_strict(order, return_dtype=pl.UInt32))
    low, high = wilson(cards["won"], cards["deals"], confidence=confidence)
    versus = cards["won"], cards["deals"], cards["other_won"], cards["other_deals"]
    difference_low, difference_high = newcombe(*versus, confidence=confidence)
    test, p_value = two_shares(*versus)
    cards = cards.with_columns(
        share("won", "deals").alias("rate"),
        low,
        high,
        share("other_won", "other_deals").alias("other_rate"),
        difference_low.alias("difference_low"),
        difference_high.alias("difference_high"),
        test,
        p_value,
    ).with_columns((pl.col("rate") - pl.col("other_rate")).alias("difference"))
    return (
        cards.with_columns(
            pl.col("p_value").map_batches(adjusted, return_dtype=pl.Float64).over(CELL).alias("p_adjusted"),
        )
        .with_columns((pl.col("p_adjusted") <= 1 - confidence).alias("significant"))
        .select(COLUMNS)
    )


@dataclass(frozen=True)
class Grid:
    """One cell's differences as text: a row per suit, a column per rank."""

    title: str
    table: pl.DataFrame


def lost_card_grids(report: pl.DataFrame) -> list[Grid]:
    """Return one suit x rank grid per cell of what `lost_card()` returned, for people to read.

    Each field is the difference in percentage points, with a * where it is significant, and empty where that
    card was never lost. Rows are Hills, Mountains, Forests, Shadows, Rings, columns 1 to 8; further suits
    and ranks follow.
    """
    grids = []
    for (chapter, players, policy), cell in report.group_by(CELL, maintain_order=True):
        fields = {
            (card[0], card[1:]): ("" if value is None else f"{'*' if significant else ''}{100 * value:+z.1f}")
            for card, value, significant in cell.select("lost_card", "difference", "significant").iter_rows()
        }
        suits = list(dict.fromkeys([*SUITS, *sorted(suit for suit, _ in fields)]))
        more = sorted({rank for _, rank in fields}, key=lambda rank: (len(rank), rank))
        ranks = list(dict.fromkeys([*RANKS, *more]))
        table = pl.DataFrame({"suit": suits} | {rank: [fields.get((suit, rank), "") for suit in suits] for rank in ranks})
        grids.append(Grid(f"chapter {chapter}, {players} players, {policy}", table))
    return grids


def _card_order(card: str) -> tuple[int, str, int, str]:
    place = SUITS.find(card[0])
    return place if place >= 0 else len(SUITS), card[0], int(card[1:]) if card[1:].isdigit() else 0, card
