"""Card notation: a suit letter and a rank (`H3`), and sets of cards written with ranges, wild suits and the threat."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

_CARD = re.compile(r"([A-Z])(\d{1,2})\Z")
_SET = re.compile(r"(\*|[A-Z]+)(?:(\d{1,2})(?:-(\d{1,2}))?|(\{threat\}))?\Z")


@functools.lru_cache(maxsize=1024)
def parse_card(text: str) -> tuple[str, int]:
    """Return suit letter and rank of a card such as `H3`; ValueError when it is none."""
    match = _CARD.match(text)
    if match is None:
        raise ValueError(f"'{text}' is no card (a card is a suit letter and a rank, such as H3)")
    return match[1], int(match[2])


def expand_deck(cards: Iterable[str], suits: Sequence[str]) -> tuple[str, ...]:
    """Return the cards of a deck written as cards and ranges (`H1-8`), in slot order: by suit, then by rank."""
    found: set[tuple[int, int]] = set()
    for text in cards:
        match = _SET.match(text)
        if match is None or match[2] is None or len(match[1]) != 1 or match[1] not in suits:
            raise ValueError(f"'{text}' is neither a card (H3) nor a range (H1-8) of the suits {', '.join(suits)}")
        low, high = int(match[2]), int(match[3] or match[2])
        if low > high:
            raise ValueError(_backwards(text))
        for rank in range(low, high + 1):
            key = (suits.index(match[1]), rank)
            if key in found:
                raise ValueError(f"'{suits[key[0]]}{rank}' is in the deck twice")
            if not 1 <= rank <= 16:
                raise ValueError(f"'{text}': ranks go from 1 to 16")
            found.add(key)
    return tuple(f"{suits[suit]}{rank}" for suit, rank in sorted(found))


def select(cards: str | list[str], deck: Sequence[str], threat: int | None = None) -> list[int]:
    """Return the slots of `deck` that a card set names.

    `R` is a suit, `H3` a card, `F1-4` a range, `*8` every suit's 8, `all` the deck, `H{threat}` and
    `*{threat}` the rank of `threat` (none of the cards when `threat` is None). ValueError when the text is no card set.
    """
    return list(_select((cards,) if isinstance(cards, str) else tuple(cards), tuple(deck), threat))


@functools.lru_cache(maxsize=4096)
def _select(cards: tuple[str, ...], deck: tuple[str, ...], threat: int | None) -> tuple[int, ...]:
    chosen: set[int] = set()
    for text in cards:
        if text == "all":
            chosen.update(range(len(deck)))
            continue
        match = _SET.match(text)
        if match is None:
            raise ValueError(f"'{text}' is no card set (allowed: R, H3, F1-8, *8, H{{threat}}, all)")
        letters, low, high, threatened = match.groups()
        if high and int(low) > int(high):
            raise ValueError(_backwards(text))
        for slot, card in enumerate(deck):
            suit, rank = parse_card(card)
            if letters != "*" and suit not in letters:
                continue
            if threatened:
                if rank == threat:
                    chosen.add(slot)
            elif low is None or int(low) <= rank <= int(high or low):
                chosen.add(slot)
    return tuple(sorted(chosen))


def suits_of(cards: str | list[str], suits: Sequence[str]) -> str:
    """Return the suit letters that a card set may touch."""
    letters = ""
    for text in [cards] if isinstance(cards, str) else cards:
        match = _SET.match(text)
        named = "".join(suits) if text == "all" or match is None or match[1] == "*" else match[1]
        letters += "".join(letter for letter in named if letter not in letters)
    return letters


def by_threat(cards: str | list[str] | None) -> bool:
    """Return whether a card set depends on the threat."""
    return cards is not None and any("{threat}" in text for text in ([cards] if isinstance(cards, str) else cards))


def _backwards(text: str) -> str:
    return f"'{text}' runs backwards: a range goes from the lower rank to the higher (H1-8)"
