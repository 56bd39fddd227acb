"""Numbers as users write them: counts, spans of chapters, players, shards."""

from __future__ import annotations

import re
from decimal import Decimal

from scenarios.errors import UserError

COUNT_LIMIT = 10**12  # twelve digits number the parts of a run
SPAN_LIMIT = 1000

_COUNT = re.compile(r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:[eE]\+?[0-9]+)?")
_NUMBER = re.compile(r"[+-]?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_RANGE = re.compile(r"([0-9]+)\s*-\s*([0-9]+)")
_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


def parse_count(text: str | int, option: str) -> int:
    """Return a count in 1 .. 10**12 from text such as ``1000000``, ``1_000_000`` or ``1e6``.

    Raises UserError, naming `option`, the text and the reason.
    """
    given = str(text).strip()
    if _COUNT.fullmatch(given):
        number = Decimal(given.replace("_", ""))
        if number > COUNT_LIMIT:
            raise UserError(f"{option} {given}: at most {COUNT_LIMIT:_}")
        if number != int(number):
            raise UserError(f"{option} {given}: must be a whole number, such as 1000 or 1e6")
        if number < 1:
            raise UserError(f"{option} {given}: must be at least 1")
        return int(number)
    if _NUMBER.fullmatch(given):
        reason = "must be at least 1" if given.startswith("-") else "must be a whole number, such as 1000 or 1e6"
        raise UserError(f"{option} {given}: {reason}")
    raise UserError(f"{option} {given!r}: not a number; write 1000, 1_000 or 1e3")


def parse_share(text: str, option: str) -> float:
    """Return a share from text such as ``0.1%`` or ``0.001``; raises UserError, naming `option`, for what is none."""
    given = text.strip()
    percent = given.endswith("%")
    digits = given.removesuffix("%").rstrip()
    if not re.fullmatch(r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?", digits):
        raise UserError(f"{option} {given!r}: must be a share such as 0.1% or 0.001")
    # Decimal, so that 0.1% and 0.001 are the same number.
    share = Decimal(digits) / (100 if percent else 1)
    if not 0 < share < 1:
        raise UserError(f"{option} {given}: must be more than 0 and less than 100%, such as 0.1% or 0.001")
    return float(share)


def parse_index(text: str | int, option: str) -> int:
    """Return the number of a deal, 0 .. 10**12 - 1, from text as `parse_count` reads it; raises UserError."""
    given = str(text).strip()
    if re.fullmatch(r"0+", given):
        return 0
    if given.startswith("-"):
        raise UserError(f"{option} {given}: must be at least 0")
    number = parse_count(given, option)
    if number >= COUNT_LIMIT:
        raise UserError(f"{option} {given}: at most {COUNT_LIMIT - 1:_}")
    return number


def parse_span(text: str) -> list[str]:
    """Return the chapters of a text such as ``1-4,7`` as strings, each once, in the order given.

    What is no number and no range of numbers (``my.toml``) passes through untouched.
    Raises UserError for an empty element and for a range that runs backwards or covers more than 1000.
    """
    chapters: dict[str, None] = {}
    for element in text.split(","):
        item = element.strip()
        if not item:
            raise UserError(f"chapters {text!r}: an element is empty; write 1-4, 1,3 or my.toml")
        if span := _RANGE.fullmatch(item):
            first, last = int(span[1]), int(span[2])
            if first > last:
                raise UserError(f"chapters {item}: the range runs backwards; write {last}-{first}")
            if last - first >= SPAN_LIMIT:
                raise UserError(f"chapters {item}: a range covers at most {SPAN_LIMIT} chapters")
            chapters.update(dict.fromkeys(str(chapter) for chapter in range(first, last + 1)))
        elif re.fullmatch(r"-[0-9]+|[0-9]+-", item):
            raise UserError(f"chapters {item}: a range needs both ends, such as 1-4")
        else:
            chapters[str(int(item)) if re.fullmatch(r"[0-9]{1,9}", item) else item] = None
    return list(chapters)


def parse_players(text: str) -> list[int]:
    """Return numbers of players (1 to 4), each once, from text such as ``1,2,3,4`` or ``2-4``."""
    players: dict[int, None] = {}
    for item in (element.strip() for element in text.split(",")):
        ends = item.split("-") if _RANGE.fullmatch(item) else [item]
        if not all(re.fullmatch(r"\s*[1-4]\s*", end) for end in ends) or int(ends[0]) > int(ends[-1]):
            raise UserError(f"--players {item or repr(text)}: players must be 1 to 4")
        players.update(dict.fromkeys(range(int(ends[0]), int(ends[-1]) + 1)))
    return list(players)


def parse_shard(text: str) -> tuple[int, int]:
    """Return (i, n) from ``i/n`` with 1 <= i <= n; raises UserError."""
    match = _SHARD.fullmatch(text.strip())
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise UserError(f"--shard {text}: must be i/n with i from 1 to n, such as 1/4")
    return int(match[1]), int(match[2])


def wilson_interval(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval of a rate (95 % unless told), exactly 0 or 1 at the edges."""
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z / scale * (rate * (1 - rate) / trials + z * z / (4 * trials * trials)) ** 0.5
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high
