"""The seed of a run: read from text, drawn when none is given, written as hex."""

from __future__ import annotations

import re
import secrets

from scenarios.errors import UserError

SEED_BITS = 128
_DRAWN_BITS = 64  # a drawn seed stays short enough to be read out and typed again

_DECIMAL = re.compile(r"[0-9]+(?:_[0-9]+)*")
_HEX = re.compile(r"0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*")


def parse_seed(text: str | int | None) -> int:
    """Return the seed as an int in 0 .. 2**128 - 1.

    Text is decimal or hex (``0x..``), ``_`` may stand between digits; None draws a 64-bit seed from the
    operating system. Raises UserError for anything else.
    """
    if text is None:
        return secrets.randbits(_DRAWN_BITS)
    if isinstance(text, bool) or not isinstance(text, int | str):
        raise UserError(f"--seed {text!r}: must be a whole number from 0 to 2**{SEED_BITS} - 1")
    if isinstance(text, int):
        seed = text
    else:
        digits = text.strip()
        if _HEX.fullmatch(digits):
            seed = int(digits[2:].replace("_", ""), 16)
        elif _DECIMAL.fullmatch(digits) and len(digits) <= 100:
            seed = int(digits.replace("_", ""))
        else:
            raise UserError(
                f"--seed {_shortened(text)}: must be a whole number from 0 to 2**{SEED_BITS} - 1, decimal or hex (0x..)"
            )
    if not 0 <= seed < 1 << SEED_BITS:
        raise UserError(f"--seed {_shortened(str(text))}: must be from 0 to 2**{SEED_BITS} - 1")
    return seed


def seed_hex(seed: int) -> str:
    """Return the seed as it stands in manifests and folder names, as in ``0x2a``."""
    return hex(seed)


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= 60 else repr(text[:57] + "...")
