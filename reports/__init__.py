"""What the numbers say: Polars frames of a run in, small Polars frames of results out.

The functions of the same name shadow their modules on purpose: `reports.failures(frame)` returns a frame.
"""

from reports.assumptions import Alternative, Played, assumptions, traces
from reports.attempts import attempts, ends, progress
from reports.balance import balance, player_gaps
from reports.bound import bound
from reports.campaign import campaign
from reports.characters import characters
from reports.compare import compare, differing_deals, pair_runs
from reports.dataset import CellScan, Pool, Run, open_run, pool
from reports.effects import Effects, effects
from reports.events import events
from reports.failures import failures
from reports.find import Wanted, find
from reports.first_losses import first_losses
from reports.lost_card import lost_card, lost_card_grids
from reports.luck import luck
from reports.output import heading, write
from reports.seats import seats
from reports.threats import threats
from reports.tricks import tricks
from reports.when import when

__all__ = [
    "Alternative",
    "CellScan",
    "Effects",
    "Played",
    "Pool",
    "Run",
    "attempts",
    "Wanted",
    "assumptions",
    "balance",
    "bound",
    "campaign",
    "characters",
    "compare",
    "differing_deals",
    "ends",
    "effects",
    "events",
    "failures",
    "find",
    "first_losses",
    "heading",
    "lost_card",
    "lost_card_grids",
    "luck",
    "open_run",
    "pair_runs",
    "player_gaps",
    "pool",
    "progress",
    "seats",
    "threats",
    "traces",
    "tricks",
    "when",
    "write",
]
