"""``ringsim schema``: the shape of scenario files, for editors."""

from __future__ import annotations

from cli.writing import Force, Out, choose_shape, write_text

EPILOG = "Example: ringsim schema --out ringsim.schema.json"


def schema(out: Out = None, force: Force = False) -> None:
    """Write the JSON schema of scenario files, so that an editor completes and checks them."""
    choose_shape("json", out, force)
    from scenarios.schema import schema_text

    write_text(schema_text(), out)
