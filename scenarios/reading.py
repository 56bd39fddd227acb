"""From TOML to structs. What does not fit is one line: file, key, value, what is allowed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from scenarios.errors import UserError, nearest

T = TypeVar("T")

_STEP = re.compile(r"\.(\w+)|\[([^\]]*)\]")
_WORDS = {
    "int": "a whole number",
    "float": "a number with a decimal point",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""msgspec's names of types, as one says them of a TOML file."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; UserError when it is missing or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: is not valid TOML ({error})") from None


def convert(raw: Any, kind: type[T], where: str, key: str = "") -> T:
    """Return `raw` as `kind`; UserError with one line `where: key = value: what is allowed` when it does not fit."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        message, _, steps = str(error).partition(" - at `$")
        _tell(message, steps, raw, kind, where, key)


def among(name: str, allowed: Iterable[str], where: str, besides: str = "") -> None:
    """Raise UserError with the nearest name unless `name` is allowed; `where` is the file and the key."""
    allowed = list(allowed)
    if name not in allowed:
        raise UserError(f"{where} = '{name}': allowed are {', '.join(allowed)}{besides}{nearest(name, allowed)}")


def _tell(message: str, steps: str, raw: Any, kind: Any, where: str, key: str) -> NoReturn:
    """Say in the words of the file what msgspec found."""
    for step in _STEP.finditer(steps):
        kind = _fitting(kind, raw)
        name, index = step.groups()
        if name is not None:
            fields = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}
            raw, kind = raw[name], get_type_hints(kind, include_extras=True)[fields[name]]
            key += f".{name}"
        elif index.isdigit():
            raw, kind = raw[int(index)], get_args(kind)[0]
            key += f"[{index}]"
        else:
            # msgspec does not say which key of a table it means: the first whose value does not fit.
            kind = get_args(kind)[1]
            name = next(name for name, value in raw.items() if not _fits(value, kind))
            raw = raw[name]
            key += f".{name}"
    key = key.lstrip(".")
    place = f"{where}: {key}" if key else where
    field = re.search(r"(unknown|missing required) field `(\w+)`", message)
    if field is not None:
        allowed = [field.encode_name for field in msgspec.structs.fields(_fitting(kind, raw))]
        if field[1] == "unknown":
            raise UserError(f"{place}: unknown key '{field[2]}'; allowed are {', '.join(allowed)}{nearest(field[2], allowed)}")
        raise UserError(f"{place}: the key '{field[2]}' is missing")
    if allowed := list(_literals(kind)):
        raise UserError(f"{place} = {_shown(raw)}: allowed are {', '.join(allowed)}{nearest(str(raw), allowed)}")
    described = _description(kind)
    expected = f"must be {described}" if described else _in_words(message)
    raise UserError(f"{place} = {_shown(raw)}: {expected}")


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _fitting(kind: Any, value: Any) -> Any:
    """Return the member of a union, stripped of its annotations, that holds values such as `value`."""
    if get_origin(kind) is Annotated:
        return _fitting(get_args(kind)[0], value)
    if isinstance(kind, type) or get_origin(kind) in (list, dict, Literal):
        return kind
    members = [_fitting(member, value) for member in get_args(kind)]
    holds: type = dict if isinstance(value, Mapping) else list if isinstance(value, list) else object
    for member in members:
        if get_origin(member) is holds or (holds is dict and isinstance(member, type) and issubclass(member, msgspec.Struct)):
            return member
    return members[0]


def _description(kind: Any) -> str:
    """Return what a type of scenarios.model says of itself (`Meta(description=...)`), also inside `... | None`."""
    if get_origin(kind) is Annotated:
        said = [meta.description for meta in kind.__metadata__ if isinstance(meta, msgspec.Meta) and meta.description]
        return said[0] if said else ""
    return next((text for member in get_args(kind) if get_origin(member) is Annotated and (text := _description(member))), "")


def _literals(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from (str(value) for value in get_args(kind))
    elif get_origin(kind) not in (list, dict):
        for member in get_args(kind):
            yield from _literals(member)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, str | int | float | list | dict) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _in_words(message: str) -> str:
    if message.endswith("of length >= 1"):
        return "must not be empty"
    kinds = re.sub(r"`([\w |]+)`", lambda match: _named_kinds(match[1]), message)
    return kinds[0].lower() + kinds[1:]


def _named_kinds(text: str) -> str:
    return " or ".join(_WORDS.get(kind, f"a {kind}") for kind in text.split(" | ") if kind != "null")
