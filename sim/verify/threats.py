"""Threats as dealt in whole rounds: uniform, never the rank of a lost card that the goal needs, without replacement."""

from __future__ import annotations

import numpy as np

import scenarios
from sim.tricks.batch import play_columns
from sim.verify.check import Array, Check, Line, Panel, chi_square, combined

RIGHT = "Right: every bar ends at its black line (expected). Wrong: bars that miss it."


def threats(deals: int, seed: int) -> Check:
    """Play `deals` rounds of chapters 2 and 3 by the random policy and look at the threats drawn."""
    return threats_check(_by_character("2", 3, deals, seed), _by_character("3", 4, deals, seed))


def threats_check(two: dict[str, Array], three: dict[str, Array]) -> Check:
    """Return the check of the threats of chapters 2 and 3: by character (0: not in the round), and lost cards as text."""
    sam, lost = two["sam"], two["lost"]
    values = sorted({int(v) for v in sam[sam > 0]} | {1, 2, 3, 4})
    found = np.bincount(sam, minlength=5)[1:]
    check = Check("threats", "Threats", RIGHT, columns=3)
    # By symmetry over the lost Hills a voided threat changes nothing in total.
    check.lines.append(
        Line(
            "threat of Sam, chapter 2, 3 players",
            "1 to 4, 25 % each",
            ", ".join(f"{n / len(sam):.3%}" for n in found),
            1,
            chi_square(found, np.full(len(found), len(sam) / 4)) if len(values) == 4 else 0.0,
        )
    )
    check.panels.append(_bars("Sam, all deals", [str(v) for v in values], found / len(sam), np.full(len(found), 0.25)))
    p_values, void = [], 0
    for rank in range(1, 5):
        of_rank = np.bincount(sam[lost == f"H{rank}"], minlength=5)[1:]
        chances = np.array([0 if value == rank else 1 / 3 for value in range(1, 5)])
        p_values.append(chi_square(of_rank, chances * of_rank.sum()))
        void += of_rank[rank - 1]
        check.panels.append(_bars(f"Sam when H{rank} is lost", list("1234"), of_rank / max(1, of_rank.sum()), chances))
    tests, p = combined(p_values)
    check.lines.append(
        Line("threat of Sam when its Hill is lost", "the three others 33.333 % each", f"void threats {void}", tests, p)
    )
    both = (three["sam"] > 0) & (three["farmer_maggot"] > 0) & ~np.isin(three["lost"], ["H1", "H2", "H3", "H4"])
    pairs = np.zeros((5, 5), np.int64)
    np.add.at(pairs, (three["farmer_maggot"][both], three["sam"][both]), 1)
    chances = np.where(np.eye(4, dtype=bool), 0, 1 / 12)
    shares = pairs[1:, 1:] / max(1, both.sum())
    check.lines.append(
        Line(
            "threats of Farmer Maggot and Sam, chapter 3, 4 players",
            "each of 12 pairs 8.333 %, never alike",
            f"{shares[chances > 0].min():.3%} to {shares.max():.3%}, alike {int(np.trace(pairs))} times",
            1,
            chi_square(pairs[1:, 1:], chances * both.sum()),
        )
    )
    labels = [f"{a},{b}" for a in range(1, 5) for b in range(1, 5) if a != b]
    off = ~np.eye(4, dtype=bool)
    check.panels.append(_bars("Farmer Maggot, Sam", labels, shares[off], chances[off]))
    return check


def _bars(title: str, labels: list[str], shares: Array, chances: Array) -> Panel:
    rows = [
        {"label": label, "observed": float(share), "expected": float(chance)}
        for label, share, chance in zip(labels, shares, chances, strict=True)
    ]
    return Panel(title, "bars", rows, x="threat", y="share of deals")


def _by_character(chapter: str, players: int, deals: int, seed: int) -> dict[str, Array]:
    scenario = scenarios.load(chapter)
    rounds, goals = play_columns(scenario, players, "random", seed, 0, deals, True)
    found: dict[str, Array] = {}
    for role, entry in enumerate(scenario.roster):
        found[entry.character] = np.where(goals.character == role, goals.threat, 0).max(axis=1).astype(np.int64)
    masks, where = np.unique(rounds.lost, return_inverse=True)
    names = [next(card for slot, card in enumerate(scenario.cards) if int(mask) >> slot & 1) for mask in masks]
    found["lost"] = np.array(names)[where]
    return found
