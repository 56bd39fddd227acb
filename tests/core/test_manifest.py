from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.errors import UserError
from sim.core.manifest import (
    CellRecord,
    Manifest,
    current_environment,
    merge_shards,
    now_iso,
    peak_memory_mib,
    read_manifest,
    ringsim_version,
    write_manifest,
)


def manifest(**changes: object) -> Manifest:
    cell = CellRecord(
        chapter="1",
        title="A Long-expected Party",
        players=3,
        policy="script",
        policy_version=1,
        scenario_hash="sha256:00",
        assumptions={"A10": "at_play"},
        parts=2,
        done=2,
        deals_done=100,
        won=47,
    )
    fields = {
        "ringsim": ringsim_version(),
        "deal_format": 1,
        "status": "complete",
        "created": now_iso(),
        "command": ["ringsim", "run", "1"],
        "seed": "0x2a",
        "deals": 100,
        "chunk": 50,
        "stop": "full",
        "shard": None,
        "cells": [cell],
        "environment": current_environment(),
        "seconds": 12.3,
        "peak_memory_mib": peak_memory_mib(),
    }
    return Manifest(**(fields | changes))  # type: ignore[arg-type]


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    written = manifest()
    write_manifest(written, path)
    assert read_manifest(path) == written
    content = json.loads(path.read_text())
    assert {"schema_version": 2, "kind": "run", "seed": "0x2a", "shard": None, "status": "complete"}.items() <= content.items()
    assert set(content["environment"]) == {"python", "numpy", "numba", "polars", "platform", "cpus"}
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema_version": 1}', '{"schema_version": 3}', '{"schema_version": "x"}', "\0\xff"]
)
def test_what_is_no_manifest(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(UserError, match=r"manifest\.json: "):
        read_manifest(path)
    with pytest.raises(UserError, match="cannot read .*no such file"):
        read_manifest(tmp_path / "none.json")


def test_shards_add_up() -> None:
    parts = [manifest(shard="1/3"), manifest(shard="3/3", status="running", seconds=0.7)]
    some = merge_shards(parts)
    assert (some.shard, some.status, some.cells[0].won, some.cells[0].parts, some.seconds) == ("1,3/3", "running", 94, 4, 13.0)
    everything = merge_shards([parts[0], manifest(shard="2/3"), manifest(shard="3/3")])
    assert (everything.shard, everything.status, everything.cells[0].deals_done) == (None, "complete", 300)
    assert parts[0].cells[0].won == 47


def test_peak_memory_is_that_of_this_process() -> None:
    peak = peak_memory_mib()
    assert peak is not None
    assert 5 < peak < 4000
