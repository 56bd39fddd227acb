"""What the user is told when the input is wrong: one line, with the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake in the input; the message is the one line that the user reads (exit code 2).

    It begins with where the mistake is (`--option value: `, `file: field: `, `chapter 'name': `), says what is allowed
    (`allowed are a, b`; `must be a or b`) and ends with `nearest`, so that programs can be told the same (`parts`).
    """


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the closest of `allowed`, or an empty string."""
    matches = get_close_matches(str(name), list(allowed), n=1, cutoff=0.5)
    return f" (did you mean '{matches[0]}'?)" if matches else ""


_OPTION = re.compile(r"(--[a-z][a-z-]*)(?: (.*?))?: ")
_FILE = re.compile(r"(\S+\.(?:toml|jsonl?|npz|txt|csv))(?::(\d+))?: (?:([A-Za-z0-9_.\[\] ]{1,60}?): )?")
_FIELD = re.compile(r"(chapter|policy|players|seed|assumption) '?([^':]+)'?: ")
_NAME = r"'?[\w./-]+'?"
_ALLOWED = re.compile(rf"(?:allowed are|must be one of|must be) ({_NAME}(?:(?:, | or ){_NAME})*)(?=$|;| \(|,? or a |, which)")
_NEAREST = re.compile(r"\(did you mean '(.*?)'\?\)")


def parts(message: str) -> dict[str, str | int | list[str]]:
    """Return what the message of a UserError names: option or file and field, value, allowed, nearest, as far as it does."""
    found: dict[str, str | int | list[str]] = {}
    if at := _OPTION.match(message):
        found["option"] = at[1]
        if at[2]:
            found["value"] = at[2].strip("'")
    elif at := _FILE.match(message):
        found["file"] = at[1]
        found |= {"line": int(at[2])} if at[2] else {}
        found |= {"field": at[3]} if at[3] else {}
    elif at := _FIELD.match(message):
        found |= {"field": at[1], "value": at[2]}
    if allowed := _ALLOWED.search(message):
        names = [name.strip("'") for name in re.split(r", | or ", allowed[1])]
        found |= {"allowed": names} if len(names) > 1 or "allowed are" in allowed[0] else {}
    if close := _NEAREST.search(message):
        found["nearest"] = close[1]
    return found
