"""``ringsim schema``: the shape of scenario files, for editors."""

from __future__ import annotations

EPILOG = "Example: ringsim schema > ringsim.schema.json"


def schema() -> None:
    """Write the JSON schema of scenario files to stdout, so that an editor completes and checks them."""
    from scenarios.schema import schema_text

    print(schema_text())
