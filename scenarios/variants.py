"""What of a file holds under the house rules in force: `when` and `variants`, settled before anything else is read.

A table in a list may have `when = { rule = "value" }` (or a list of values): it is left out under other house rules.
Any table may have `variants`, a list of tables with `when` and with keys that then take the place of the table's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from scenarios.errors import UserError, nearest
from scenarios.model import HouseRules


def settle(raw: Any, rules: HouseRules, where: str, key: str = "") -> Any:
    """Return a file's tables without what does not hold; UserError for a `when` that names no house rule or no value of it."""
    if isinstance(raw, Mapping):
        table = {name: value for name, value in raw.items() if name not in ("when", "variants")}
        variants = raw.get("variants", [])
        if not isinstance(variants, list) or not all(isinstance(one, Mapping) and "when" in one for one in variants):
            raise UserError(
                f"{where}: {key + '.' if key else ''}variants: must be a list of tables with when = {{ rule = value }}"
            )
        for number, variant in enumerate(variants):
            if _holds(variant["when"], rules, where, f"{key + '.' if key else ''}variants[{number}].when"):
                table |= {name: value for name, value in variant.items() if name != "when"}
        return {name: settle(value, rules, where, f"{key}.{name}" if key else name) for name, value in table.items()}
    if isinstance(raw, list):
        return [
            settle(one, rules, where, f"{key}[{number}]")
            for number, one in enumerate(raw)
            if not isinstance(one, Mapping) or "when" not in one or _holds(one["when"], rules, where, f"{key}[{number}].when")
        ]
    return raw


def _holds(when: Any, rules: HouseRules, where: str, key: str) -> bool:
    known = get_type_hints(HouseRules)
    if not isinstance(when, Mapping):
        raise UserError(f"{where}: {key} = {when!r}: must be a table from house rules to values")
    holds = True
    for rule, wanted in when.items():
        if rule not in rules.__struct_fields__:
            raise UserError(f"{where}: {key}: unknown house rule '{rule}'{nearest(rule, known)}")
        values = wanted if isinstance(wanted, list) else [wanted]
        for value in values:
            if value not in get_args(known[rule]):
                allowed = ", ".join(get_args(known[rule]))
                raise UserError(f"{where}: {key}.{rule} = {value!r}: allowed are {allowed}")
        holds &= getattr(rules, rule) in values
    return holds
