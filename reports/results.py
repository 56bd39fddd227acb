"""Win rates side by side, as text: a row per chapter and number of players, a column per policy, or one policy's by players."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import polars as pl

from reports.counting import Frames, count_groups
from reports.dataset import Run
from reports.output import conditions, limits, policy_text
from scenarios.errors import UserError, nearest

STRENGTH = ("random", "script", "team", "search", "open")
"""Policies in the order of their columns, others after them."""
ROUND, ATTEMPT = "round", "attempt"
TITLES = {"name": "", "deal": "a deal is"}


def results(
    balance: pl.DataFrame,
    *,
    policies: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    long: Collection[str] = (),
) -> pl.DataFrame:
    """Return win rates in percent with their intervals as text: chapter, name, deal, players, then one column per policy.

    `balance` is what `reports.balance` returns, for all runs together; `names` of chapters and which are `long` (a deal is an
    attempt of several rounds) have columns where any is given. A cell that was not played is empty.
    """
    found = balance["policy"].unique().to_list()
    order = list(policies or [name for name in STRENGTH if name in found] + sorted(set(found) - set(STRENGTH)))
    wide = _told(balance).pivot("policy", index=["chapter", "players"], values="text").sort("chapter", "players")
    rates = [pl.col(name).fill_null("") if name in wide.columns else pl.lit("").alias(name) for name in order]
    return wide.select("chapter", *_about(names, long), "players", *rates)


def results_of(
    balance: pl.DataFrame, policy: str, *, names: Mapping[str, str] | None = None, long: Collection[str] = ()
) -> pl.DataFrame:
    """Return what `results` does of one policy: a row per chapter, a column per number of players.

    Raises UserError for a policy that did not play.
    """
    played = balance["policy"].unique().sort().to_list()
    if policy not in played:
        raise UserError(f"--policy '{policy}': allowed are {', '.join(played)}, which played{nearest(policy, played)}")
    people = pl.when(pl.col("players") == 1).then(pl.lit("1 player")).otherwise(pl.format("{} players", "players"))
    told = _told(balance.filter(policy=policy).sort("players")).with_columns(people.alias("people"))
    wide = told.pivot("people", index="chapter", values="text").sort("chapter")
    return wide.select("chapter", *_about(names, long), pl.exclude("chapter").fill_null(""))


def long_chapters(rounds: Frames) -> list[str]:
    """Return the chapters of which some deal had more than one round."""
    later = count_groups(rounds, [], [(pl.col("round") > 1).sum().alias("later")], needs=["round"])
    return later.filter(pl.col("later") > 0)["chapter"].cast(pl.String).unique().to_list()


def _told(balance: pl.DataFrame) -> pl.DataFrame:
    percent = [
        (100 * pl.col(name)).round(1).map_elements("{:.1f}".format, return_dtype=pl.String) for name in ("rate", "low", "high")
    ]
    return balance.with_columns(pl.format("{} ({}-{})", *percent).alias("text"))


def _about(names: Mapping[str, str] | None, long: Collection[str]) -> list[pl.Expr]:
    """Return what is said of a chapter beside its number."""
    chapter = pl.col("chapter").cast(pl.String)
    name = chapter.replace_strict(names or {}, default="", return_dtype=pl.String).alias("name")
    kind = pl.when(chapter.is_in(list(long))).then(pl.lit(ATTEMPT)).otherwise(pl.lit(ROUND)).alias("deal")
    return [*([name] if names else []), *([kind] if long else [])]


def markdown(results: pl.DataFrame, heading: str) -> str:
    """Return the table as Markdown, with lines below that say how it was made."""
    titles = [TITLES.get(name, name) for name in results.columns]
    rules = ["---" if name in ("chapter", *TITLES) else "---:" for name in results.columns]
    lines = ["| " + " | ".join(titles) + " |", "|" + "|".join(rules) + "|"]
    lines += ["| " + " | ".join(str(value) for value in row) + " |" for row in results.iter_rows()]
    return "\n".join([*lines, "", heading])


def made_by(runs: Sequence[Run], confidence: float, long: Collection[str], command: Sequence[str]) -> str:
    """Return the lines below the table: what the numbers are, what was played, and the commands that made them.

    command: of the report.
    """
    lines = [f"Percent of deals won, with {confidence:.0%} Wilson intervals; these are rates of policies, not of people."]
    if long:
        lines += ["A deal of a long chapter is an attempt, won when all of its rounds are. Kinds of round were played alone."]
    for run in runs:
        manifest = run.manifest
        policies = ", ".join(dict.fromkeys(policy_text(cell) for cell in manifest["cells"]))
        played = [f"{manifest['deals']:_} deals of seed {manifest['seed']}", policies, *conditions(manifest), *limits(run)]
        lines.append(f"Played: {', '.join(played)}, ringsim {manifest['ringsim']}.")
    commands = [[word for word in run.manifest.get("command") or [] if word != "--resume"] for run in runs]
    return "\n".join([*lines, "", "```", *(shlex.join(words) for words in [*commands, list(command)] if words), "```"])


def insert(path: Path, name: str, text: str) -> None:
    """Put `text` between the lines `<!-- name -->` and `<!-- /name -->` of a Markdown file.

    Raises UserError when the file cannot be read or has no such lines; it is left as it was then.
    """
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        page = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"--into {path}: {error.strerror}") from None
    head, opened, rest = page.partition(first)
    _, closed, tail = rest.partition(last)
    if not opened or not closed:
        raise UserError(f"--into {path}: has no lines {first} and {last} to put the table between")
    path.write_text(f"{head}{first}\n{text.strip()}\n{last}{tail}", encoding="utf-8")
