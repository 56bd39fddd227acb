"""Weights of one's own in a run: the policy `team:FILE` or `team:FOLDER` is `team` with what `ringsim tune` wrote there.

The name is a policy like any other, so that `--policy team,team:my.npz` compares both on the same deals. Runs record a
fingerprint of the weights, not where they lie.
"""

from __future__ import annotations

import functools
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scenarios.errors import UserError
from scenarios.model import Scenario
from sim.tricks.policies import team
from sim.tricks.policies.features import WIDTH

PREFIX = "team:"


def base_of(policy: str) -> str:
    """Return the name of the policy that decides: `team` for one with weights of one's own."""
    return "team" if policy.startswith(PREFIX) else policy


def place_of(policy: str) -> Path:
    """Return the file or folder of weights that a policy names; UserError when there is none."""
    place = Path(policy.removeprefix(PREFIX))
    if not policy.removeprefix(PREFIX) or not place.exists():
        raise UserError(f"--policy {policy}: there is no file or folder '{place if policy != PREFIX else ''}' of weights")
    return place


def file_at(place: Path, kind: Scenario, players: int, option: str) -> Path:
    """Return the file of weights for a kind of round: `place`, or what lies in that folder.

    Raises UserError, naming `option`, when nothing lies there.
    """
    if not place.is_dir():
        return place
    file = team.file_in(place, kind, players)
    if file is None:
        names = " or ".join(team.names_of(kind, players))
        raise UserError(f"{option}: has no weights for chapter {kind.name} with {players} players ({names})")
    return file


def read_weights(file: Path, option: str) -> dict[str, np.ndarray]:
    """Return the weights that a file holds (see `team.to_brain`); UserError naming `option` when it holds none that fit."""
    try:
        with np.load(file) as data:
            arrays = {name: np.asarray(data[name], np.float64) for name in team.ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as wrong:
        raise UserError(f"{option} {file}: holds no weights of team, as ringsim tune writes them ({wrong})") from None
    nets = len(arrays["linear"]) if arrays["linear"].ndim else 0
    units = arrays["bias"].shape[-1] if arrays["bias"].ndim else 0
    features = arrays["linear"].shape[-1] if arrays["linear"].ndim else 0
    shapes = {
        "linear": (nets, features), "first": (nets, features, units), "bias": (nets, units), "second": (nets, units),
    }  # fmt: skip
    fits = 0 < nets <= team.NETS and features <= WIDTH and units <= team.HIDDEN_UNITS
    if not fits or any(arrays[name].shape != shape for name, shape in shapes.items()):
        told = ", ".join(f"{name} {arrays[name].shape}" for name in team.ARRAYS)
        raise UserError(f"{option} {file}: its arrays do not fit together or are too large ({told})")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise UserError(f"{option} {file}: has weights that are no numbers")
    return arrays


@functools.cache
def _brain(file: Path) -> np.record:
    return team.to_brain(read_weights(file, "--policy team:"))


def brain_of(policy: str, kind: Scenario, players: int) -> np.record:
    """Return the weights (record BRAIN) that a policy plays a kind of round with; UserError when it names none that fit."""
    if base_of(policy) == policy:
        return team.weights_of(kind, players)
    return _brain(file_at(place_of(policy), kind, players, f"--policy {policy}"))


def brains_of(policy: str, kinds: Sequence[Scenario], players: int) -> np.recarray:
    """Return the same for each kind of round of a chapter: records BRAIN, shape (kinds,)."""
    return team.side_by_side([brain_of(policy, kind, players) for kind in kinds])


def fingerprint(policy: str, kinds: Sequence[Scenario], players: int) -> str:
    """Return 16 hexadecimal digits that stand for a policy's own weights for a chapter; empty when it has none of its own."""
    if base_of(policy) == policy:
        return ""
    return hashlib.sha256(brains_of(policy, kinds, players).tobytes()).hexdigest()[:16]
