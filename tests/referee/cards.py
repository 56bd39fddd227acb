"""Cards are strings, `H3`; what their letters and numbers mean."""

from __future__ import annotations

ONE_RING = "R1"


def suit(card: str) -> str:
    """Return the suit letter of a card such as `H3`."""
    return card[0]


def rank(card: str) -> int:
    """Return the rank of a card such as `H3`."""
    return int(card[1:])


def cards_of(suits: str, ranks: int = 8) -> list[str]:
    """Return the cards of some suits from 1 up to a rank."""
    return [f"{letter}{value}" for letter in suits for value in range(1, ranks + 1)]
