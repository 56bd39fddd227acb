"""What the numbers say: Polars frames of a run in, small Polars frames of results out.

The functions of the same name shadow their modules on purpose: `reports.failures(frame)` returns a frame.
"""

from reports.balance import balance, player_gaps
from reports.compare import compare, differing_deals, pair_runs
from reports.dataset import CellScan, Pool, Run, open_run, pool
from reports.failures import failures
from reports.lost_card import lost_card, lost_card_grids
from reports.luck import luck
from reports.output import heading, write

__all__ = [
    "CellScan",
    "Pool",
    "Run",
    "balance",
    "compare",
    "differing_deals",
    "failures",
    "heading",
    "lost_card",
    "lost_card_grids",
    "luck",
    "open_run",
    "pair_runs",
    "player_gaps",
    "pool",
    "write",
]
