"""Transcripts of one round of everything in the library and each number of players, word for word."""

from __future__ import annotations

import pytest

from .golden import COMMAND, FOLDER, cells, path_of, text_of


@pytest.mark.parametrize(("label", "players"), list(cells()))
def test_the_transcript_is_the_golden_one(label: str, players: int) -> None:
    path = path_of(label, players)
    assert path.exists(), f"{path.name} is missing; write it with: {COMMAND}"
    assert text_of(label, players) == path.read_text(encoding="utf-8"), f"if the change is meant: {COMMAND}"


def test_every_golden_transcript_belongs_to_a_chapter() -> None:
    assert sorted(FOLDER.glob("*")) == sorted(path_of(label, players) for label, players in cells())
