"""The reports as they are shown: what is counted, under which title, what is left out for readers, and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import polars as pl

from reports.attempts import attempts, ends, has_attempts, progress
from reports.balance import balance, player_gaps
from reports.bound import bound
from reports.campaign import book_of, campaign
from reports.characters import characters
from reports.dataset import Pool, Run
from reports.effects import effects
from reports.events import events, has_events
from reports.failures import failures
from reports.first_losses import first_losses
from reports.intervals import check_confidence
from reports.lost_card import lost_card, lost_card_grids
from reports.luck import luck, unplayed
from reports.seats import seats
from reports.threats import threats
from reports.tricks import tricks
from reports.when import when
from scenarios.errors import UserError

if TYPE_CHECKING:
    from reports.pictures import Figure

EFFECTS_DEALS = 100_000
"""Deals of each cell that the effects are fitted to among all reports, which are to be there in seconds."""
Section = tuple[str, pl.DataFrame]


def _nothing() -> list[Figure]:
    return []


@dataclass(frozen=True)
class Sheet:
    """A report ready to be shown: `frame` is what programs get; the rest is for people.

    Without the columns in `hide`, under `titles`, with `notes` above and the `appendix` below. `draw` makes the pictures (and
    loads what that takes).
    """

    name: str
    title: str
    frame: pl.DataFrame
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    hide: Collection[str] = ()
    appendix: Sequence[Section] = ()
    draw: Callable[[], list[Figure]] = _nothing


TITLES = (
    {
        "first_lost": "first\nlost",
        "mean_lost_after": "lost after\ntrick (mean)",
        "lost_card": "lost\ncard",
        "other_rate": "other\ndeals",
        "difference_low": "low",
        "difference_high": "high",
        "p_adjusted": "p\n(adjusted)",
        "other_players": "and",
        "gap_low": "low",
        "gap_high": "high",
        "simultaneous_low": "low\n(all)",
        "simultaneous_high": "high\n(all)",
        "choice_rate": "chosen\nof rounds",
        "choice_low": "low",
        "choice_high": "high",
        "share_low": "low",
        "share_high": "high",
        "won_rate": "won\nof rounds",
        "won_low": "low",
        "won_high": "high",
        "lost_after": "after\ntrick",
        "lost_by_then": "lost\nby then",
        "by_then": "by then\nof rounds",
        "by_then_low": "low",
        "by_then_high": "high",
        "lost_first": "lost\nfirst",
        "not_won": "not won\nof deals",
        "not_won_low": "low",
        "not_won_high": "high",
        "won_by_then": "won\nby then",
    }
    | {
        f"{measure}_{name}": title.format(measure)
        for measure in ("attempts", "rounds")
        for name, title in {
            "mean": "{}\n(mean)",
            "mean_low": "low",
            "mean_high": "high",
            "median": "{}\n(median)",
            "median_low": "low",
            "median_high": "high",
            "p10": "{}\n(10 %)",
            "p90": "{}\n(90 %)",
        }.items()
    }
    | {f"{fate}_{side}": side for fate in ("luck", "hidden", "haste", "won", "unknown") for side in ("low", "high")}
)
"""Column titles for readers; a sheet's own come first."""


def failures_sheet(read: Pool, confidence: float) -> Sheet:
    """Return which goals are not met."""
    frame = failures(read.goal_cells, rounds=read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import goals

        return [goals.missed(frame, first_losses(read.goal_cells, read.round_cells), confidence=confidence)]

    return Sheet(
        "failures",
        f"Goals not met, with {100 * confidence:g} % Wilson intervals",
        frame,
        titles={"rate": "not met"},
        hide=[] if frame["undecided"].sum() else ["undecided"],
        draw=draw,
    )


def first_losses_sheet(read: Pool, confidence: float) -> Sheet:
    """Return, of the goals not met, whose goal of the round was lost first."""
    failing = failures_sheet(read, confidence)
    frame = first_losses(read.goal_cells, read.round_cells)
    title = "Goals not met, by the goal of the round that was lost first"
    return replace(failing, title=title, frame=frame, titles={"first": "lost first", "share": "not met\nof rounds"}, hide=())


def lost_card_sheet(read: Pool, confidence: float) -> Sheet:
    """Return what each lost card does to the chance to win."""
    frame = lost_card(read.round_cells, confidence=confidence)
    significant = f"* where p (Benjamini-Hochberg) <= {1 - confidence:.4g}"

    def draw() -> list[Figure]:
        from reports.pictures import circumstances

        return [circumstances.lost_cards(frame, confidence=confidence)]

    return Sheet(
        "lost-card",
        f"Deals won by lost card, with {100 * confidence:g} % intervals; differences in points",
        frame,
        titles={"rate": "won\nof deals"},
        hide=["test", "p_value"],
        appendix=[(f"{grid.title}: difference in points, {significant}", grid.table) for grid in lost_card_grids(frame)],
        draw=draw,
    )


def balance_sheet(read: Pool, confidence: float) -> Sheet:
    """Return how many deals are won, the gaps between numbers of players, and the bound of open hands where there is one."""
    frame = balance(read.round_cells, confidence=confidence)
    gaps = player_gaps(frame, confidence=confidence)
    most = bound(read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import chances

        names, policies = chapter_titles(read.runs), policies_of(read.runs)
        drawn = [chances.overview(frame, most, names, policies, confidence=confidence)]
        return [*drawn, chances.between_players(frame, gaps, most, names, policies, confidence=confidence)]

    appendix = [] if gaps.is_empty() else [(_gap_title(confidence), gaps)]
    return Sheet(
        "balance",
        f"Deals won, with {100 * confidence:g} % Wilson intervals",
        frame,
        titles={"rate": "won\nof deals"},
        appendix=appendix if most.is_empty() else [*appendix, (_bound_title(confidence), most)],
        draw=draw,
    )


def gaps_sheet(read: Pool, confidence: float) -> Sheet:
    """Return the gaps between numbers of players alone."""
    sheet = balance_sheet(read, confidence)
    gaps = player_gaps(sheet.frame, confidence=confidence)
    return replace(sheet, title=_gap_title(confidence), frame=gaps, titles={}, appendix=[])


def bound_sheet(read: Pool, confidence: float) -> Sheet:
    """Return the bound of open hands alone."""
    sheet = balance_sheet(read, confidence)
    most = bound(read.round_cells, confidence=confidence)
    return replace(sheet, title=_bound_title(confidence), frame=most, titles={"rate": "not lost\nof deals"}, appendix=[])


def luck_sheet(read: Pool, confidence: float, *, fast: str = "team", strong: str = "search", open: str = "open") -> Sheet:
    """Return what deals are lost to, from three policies."""
    frame = luck(read, fast=fast, strong=strong, open=open, confidence=confidence)
    all_same = all((frame[f"{role}_deals"] == frame["deals"]).all() for role in ("fast", "strong", "open"))

    def draw() -> list[Figure]:
        from reports.pictures import chances

        return [chances.fates(frame, confidence=confidence)]

    return Sheet(
        "luck",
        f"What deals come to, with {100 * confidence:g} % Wilson intervals",
        frame,
        titles={f"{role}_deals": f"deals of\n{name}" for role, name in (("fast", fast), ("strong", strong), ("open", open))}
        | {"contradicted": f"won, though\n{open} says lost"},
        notes=[
            f"luck: {open} loses too | hidden: of the three only {open} wins | haste: {strong} wins, {fast} does not | "
            f"won: {fast} wins | unknown: {fast} and {strong} lose, {open} has no verdict",
            f"counted are the deals that {fast}, {strong} and {open} all played; {open} plays after its own setup",
            *(f"left out: {line}" for line in unplayed(read, [fast, strong, open])),
        ],
        hide=[
            *("fast", "strong", "open"),
            *(["fast_deals", "strong_deals", "open_deals"] if all_same else []),
            *([] if frame["contradicted"].sum() else ["contradicted"]),
        ],
        draw=draw,
    )


def characters_sheet(read: Pool, confidence: float) -> Sheet:
    """Return who is chosen, and how rounds with and without each character go."""
    frame = characters(read.goal_cells, read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import circumstances

        return [circumstances.choices(frame, confidence=confidence)]

    return Sheet(
        "characters",
        f"Characters chosen, and rounds won with them, with {100 * confidence:g} % intervals; differences in points",
        frame,
        titles={"rate": "won\nwith", "other_rate": "won\nwithout"},
        notes=["who is chosen goes by the hands: a difference is not the character's doing"],
        hide=["difference_low", "difference_high"],
        draw=draw,
    )


def threats_sheet(read: Pool, confidence: float) -> Sheet:
    """Return what each threat does to its character's goal."""
    frame = threats(read.goal_cells, read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import circumstances

        return [circumstances.threat_effects(frame, confidence=confidence)]

    return Sheet(
        "threats",
        f"Goals not met by threat, with {100 * confidence:g} % intervals; differences in points",
        frame,
        titles={"rate": "not met", "other_rate": "other\nthreats"},
        hide=["test", "p_value", "won", "won_low", "won_high"],
        draw=draw,
    )


def seats_sheet(read: Pool, confidence: float) -> Sheet:
    """Return what is missed by seat, order of choice and leading seat."""
    frame = seats(read.goal_cells, read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import circumstances

        return [circumstances.places(frame, confidence=confidence)]

    return Sheet(
        "seats",
        f"Goals not met by seat and order of choice, rounds lost by leading seat, with {100 * confidence:g} % Wilson intervals",
        frame,
        titles={"rate": "not met\nor lost", "counted": "place by"},
        notes=[
            "seat, order: goals not met of who sits there, of who chooses first, second, ... (clockwise from the seat that leads "
            "first) | leader: rounds not won when this seat leads first",
            "low (all), high (all): hold for all places of one kind in a cell together",
        ],
        draw=draw,
    )


def tricks_sheet(read: Pool, confidence: float) -> Sheet:
    """Return how many tricks characters win."""
    frame = tricks(read.goal_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import goals

        return [goals.tricks_won(frame, confidence=confidence)]

    title = f"Tricks won, and goals not met with so many, with {100 * confidence:g} % Wilson intervals"
    return Sheet("tricks", title, frame, titles={"rate": "not met", "share": "of rounds"}, draw=draw)


def when_sheet(read: Pool, confidence: float) -> Sheet:
    """Return when goals are lost."""
    frame = when(read.goal_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import goals

        return [goals.lost_by_trick(frame, confidence=confidence)]

    title = f"Goals lost for good, trick by trick, with {100 * confidence:g} % Wilson intervals"
    return Sheet("when", title, frame, titles={"share": "of rounds"}, draw=draw)


def events_sheet(read: Pool, confidence: float) -> Sheet:
    """Return how rounds go by number and event."""
    frame = events(read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import circumstances

        return [circumstances.by_event(frame, confidence=confidence)] if has_events(frame) else []

    return Sheet(
        "events",
        f"Rounds won by number and event, with {100 * confidence:g} % Wilson intervals",
        frame,
        titles={"rate": "won\nof rounds"},
        notes=["low (all), high (all): hold for all rows of a cell together"],
        draw=draw,
    )


def attempts_sheet(read: Pool, confidence: float) -> Sheet:
    """Return how many attempts and rounds deals take, and where attempts are lost."""
    frame = attempts(read.round_cells, confidence=confidence)
    lost = ends(read.goal_cells, read.round_cells, confidence=confidence)

    def draw() -> list[Figure]:
        from reports.pictures import progress as pictures

        table = progress(read.round_cells, confidence=confidence)
        return [pictures.won_by_round(table, frame, confidence=confidence)] if table.height else []

    return Sheet(
        "attempts",
        f"Attempts and rounds until a deal is won, with {100 * confidence:g} % intervals",
        frame,
        notes=[
            "mean: of the deals won | median, 10 %, 90 %: of all deals (empty where fewer are won)",
            "not won: lost in the last attempt that was allowed",
        ],
        appendix=[(_ends_title(confidence), lost)] if lost.height else [],
        draw=draw,
    )


def progress_sheet(read: Pool, confidence: float) -> Sheet:
    """Return the distributions of attempts and rounds."""
    frame = progress(read.round_cells, confidence=confidence)
    title = f"Deals won by number of attempts and of rounds, with {100 * confidence:g} % Wilson intervals"
    return replace(attempts_sheet(read, confidence), title=title, frame=frame, notes=(), appendix=())


def ends_sheet(read: Pool, confidence: float) -> Sheet:
    """Return where attempts are lost alone."""
    frame = ends(read.goal_cells, read.round_cells, confidence=confidence)
    titles = {"first": "lost first", "rate": "of those\nreached", "share": "of all\nlost"}
    return replace(
        attempts_sheet(read, confidence), title=_ends_title(confidence), frame=frame, titles=titles, notes=(), appendix=()
    )  # fmt: skip


def campaign_sheet(read: Pool, confidence: float, chapters: Sequence[str] | None = None) -> Sheet:
    """Return how many attempts and rounds all chapters in a row take; default: the chapters with plain numbers."""
    chosen = list(chapters) if chapters is not None else book_of(read.chapters)
    if not chosen:
        raise UserError("the run has no chapter with a number: a campaign goes through the chapters of a book")
    return Sheet(
        "campaign",
        f"Chapters {chosen[0]} to {chosen[-1]} in a row: attempts and rounds, with {100 * confidence:g} % intervals",
        campaign(read.round_cells, confidence=confidence, chapters=chosen),
        notes=["mean: of the campaigns won | median, 10 %, 90 %: of all | not won: some chapter was given up"],
        titles={"deals": "deals or\ncampaigns", "not_won": "not won"},
    )


def assumptions_sheet(frame: pl.DataFrame, confidence: float, notes: Sequence[str] = ()) -> Sheet:
    """Return what each option of an assumption changes, from what `reports.assumptions` returns; `notes` say what was played."""

    def draw() -> list[Figure]:
        from reports.pictures import chances

        return [chances.option_differences(frame, confidence=confidence)] if (frame["deals"] > 0).any() else []

    return Sheet(
        "assumptions",
        f"What each assumption changes, on the same deals, with {100 * confidence:g} % Newcombe intervals for pairs",
        frame,
        titles=TITLES
        | {
            "instead_of": "instead\nof",
            "rate_a": "won by\ndefault",
            "rate_b": "won with\noption",
            "changed": "played\notherwise",
            "discordant": "only one\nwins",
            "p_value": "p\n(McNemar)",
            "no_effect": "cannot change it, because",
        },
        notes=[
            *notes,
            "played otherwise: deals of which anything recorded differs (characters, threats, tricks, goals), whoever wins | "
            "difference: option less default, in points | p adjusted for all rows (Benjamini-Hochberg)",
            "a difference is the policy's as much as the rule's: it may know how to play one option better than the other",
        ],
        hide=[
            *("policy", "both", "only_a", "only_b", "neither", "test"),
            *([] if frame["no_effect"].is_not_null().any() else ["no_effect"]),
        ],
        draw=draw,
    )


def effects_sheet(
    read: Pool, confidence: float, *, only: Literal["", "models", "calibration"] = "", deals: int | None = None
) -> Sheet:
    """Return what goes with winning, all things together: odds ratios, the models they are from, and their calibration.

    `only` chooses one of the two other tables, for programs; `deals` fits to so many deals of each run and cell.
    """
    found = effects(read.goal_cells, read.round_cells, confidence=confidence, chapters=read.chapters, deals=deals)
    cut = deals is not None and any(run.manifest["deals"] > deals for run in read.runs)
    several = any(cell["retry"] != "none" for run in read.runs for cell in run.manifest["cells"] if "retry" in cell) or any(
        (scan.frame.select(pl.col("round").max()).collect().item() or 1) > 1 for scan in read.round_cells
    )

    def draw() -> list[Figure]:
        from reports.pictures import models

        return [
            models.odds_ratios(found.effects, confidence=confidence),
            models.calibrations(found.calibration, confidence=confidence),
        ]

    titles = {
        "effects": f"Odds ratios of winning (logistic models), with {100 * confidence:g} % Wald intervals",
        "models": "The models: what is explained of the deviance of single rounds",
        "calibration": f"Calibration: rounds won by predicted chance, with {100 * confidence:g} % Wilson intervals",
    }
    frames = {"effects": found.effects, "models": found.models, "calibration": found.calibration}
    return Sheet(
        "effects",
        titles[only or "effects"],
        frames[only or "effects"],
        titles={
            "rate": "won\nof rounds",
            "odds_ratio": "odds\nratio",
            "odds_low": "low",
            "odds_high": "high",
            "reference": "against",
        },
        notes=[
            "these models describe how the policies named here play, not the game, and not what people do",
            "each odds ratio is for its factor with all others as they are; who is chosen goes by the hands: it is no cause",
            "lost rank, threats: odds ratio for one step more | calibration: each half of the deals (even, odd) as predicted by "
            "the model of the other half",
            *(
                ["rounds of one deal are taken as independent: with several to a deal, intervals are too short"]
                if several
                else []
            ),
            *([f"fitted to the first {deals:_} deals of each; ringsim report effects takes all"] if cut else []),
        ],
        hide=["p_value", *([] if found.effects["note"].is_not_null().any() else ["note"])] if not only else [],
        appendix=[] if only else [(titles[name], frames[name]) for name in ("models", "calibration")],
        draw=draw,
    )


def every_sheet(read: Pool, confidence: float) -> list[Sheet]:
    """Return all reports that these runs have something to say on, the general ones first.

    Raises UserError for a confidence out of range and unreadable parts.
    """
    check_confidence(confidence)
    makers = (
        balance_sheet,
        _luck_sheet_if_played,
        failures_sheet,
        when_sheet,
        tricks_sheet,
        lost_card_sheet,
        threats_sheet,
        seats_sheet,
        characters_sheet,
        partial(effects_sheet, deals=EFFECTS_DEALS),
        events_sheet,
        _attempts_sheet_if_several,
    )
    sheets = [sheet for maker in makers if (sheet := maker(read, confidence)) and sheet.frame.height]
    return [sheet for sheet in sheets if sheet.name != "events" or has_events(sheet.frame)]


def _attempts_sheet_if_several(read: Pool, confidence: float) -> Sheet | None:
    sheet = attempts_sheet(read, confidence)
    return sheet if has_attempts(sheet.frame) else None


def _luck_sheet_if_played(read: Pool, confidence: float) -> Sheet | None:
    places: dict[str, set[tuple[str, int]]] = {"team": set(), "search": set(), "open": set()}
    for scan in read.round_cells:
        if scan.policy in places:
            places[scan.policy].add((scan.chapter, scan.players))
    return luck_sheet(read, confidence) if set.intersection(*places.values()) else None


def chapter_titles(runs: Sequence[Run]) -> dict[str, str]:
    """Return the title of each chapter in the order of the runs, as they recorded it; "" where they did not."""
    return {cell["chapter"]: cell.get("title", "") for run in runs for cell in run.manifest["cells"]}


def policies_of(runs: Sequence[Run]) -> list[str]:
    """Return the policies in the order of the runs; `open`, which is no player, comes last."""
    found = dict.fromkeys(cell["policy"] for run in runs for cell in run.manifest["cells"])
    return sorted(found, key=lambda policy: policy == "open")


def _ends_title(confidence: float) -> str:
    return f"Where attempts are lost, with {100 * confidence:g} % Wilson intervals"


def _gap_title(confidence: float) -> str:
    return f"Gaps between player counts in points, with {100 * confidence:g} % Newcombe intervals"


def _bound_title(confidence: float) -> str:
    return f"Deals that open hands do not lose (after the setup of open), with {100 * confidence:g} % Wilson intervals"
