"""The command line that shows a deal of a run again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.dataset import Run


def replay_command(run: Run, key: tuple[str, int, str], defaults: Mapping[str, str]) -> str:
    """Return the command that replays a deal of a cell (chapter, players, policy), but for the deal's number.

    What `open` says of a deal is shown by `ringsim solve --line`. `defaults`: the default option of each assumption.
    """
    chapter, players, policy = key
    cell = next(cell for cell in run.manifest["cells"] if (cell["chapter"], cell["players"], cell["policy"]) == key)
    request = run.manifest.get("request")
    if request:
        # As it was asked for: a file by its path, and only what was chosen against the file and the book.
        chapter = next((text for text in request["chapters"] if Path(text).stem == chapter), chapter)
        chosen = request.get("assume", {})
    else:
        chosen = {name: value for name, value in cell["assumptions"].items() if value != defaults.get(name)}
    words = ["ringsim", "solve" if policy == "open" else "replay", chapter, "--players", str(players)]
    # The verdict of `open` is on the hands after the setup of `team`.
    words += ["--seed", run.manifest["seed"], "--policy", "team" if policy == "open" else policy]
    if cell.get("playouts"):
        words += ["--playouts", str(cell["playouts"])]
    if cell.get("inference"):
        words += ["--inference", cell["inference"]]
    if cell.get("retry", "none") != "none":
        words += ["--retry", cell["retry"]]
    if cell.get("where"):
        words += ["--where", cell["where"], "--tries", str(cell["tries"])]
    words += [word for name, value in chosen.items() for word in ("--assume", f"{name}={value}")]
    return shlex.join([*words, "--line" if policy == "open" else "--deal"])
