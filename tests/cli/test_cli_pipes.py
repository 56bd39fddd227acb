"""A reader that has seen enough, such as `head`, is no reason for a traceback."""

from __future__ import annotations

import os
import subprocess

import pytest
from invocation import PEER, RINGSIM, environment

from cli.main import CLOSED_PIPE


@pytest.mark.parametrize("command", ["chapters", "show 4", "--help"])
def test_head(command: str) -> None:
    done = subprocess.run(
        f"'{RINGSIM}' {command} | head -n 1", shell=True, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "command",
    [["show", "4"], ["chapters", "--format", "json"], ["check", str(PEER.parent / "ttcg_p4.jsonl")]],
    ids=lambda command: command[0],
)
def test_a_closed_pipe(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [str(RINGSIM), *command], env=environment(), stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120
        )
    finally:
        os.close(writer)
    assert done.returncode == CLOSED_PIPE
    assert [line for line in done.stderr.splitlines() if "rounds checked" not in line] == []
