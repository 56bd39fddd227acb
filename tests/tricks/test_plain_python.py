"""The same tests as plain Python (NUMBA_DISABLE_JIT=1): kernels mean the same, and an index out of range is an error there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.core.jit import COMPILED
from sim.tricks.library import PLAYING

if not COMPILED:
    pytest.skip("this is plain Python already", allow_module_level=True)

HERE = Path(__file__).parent
PLAIN = ["test_rules_tricks.py", "test_rules_goals.py", "test_deals.py", "test_golden.py"]


def run(environment: dict[str, str], *arguments: str) -> str:
    """Run Python here with changed variables; return its output, or fail with it."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=HERE.parents[1],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("name", PLAIN)
def test_passes_as_plain_python(name: str) -> None:
    # Sums of unsigned numbers wrap round, as they do in the compiled kernels; NumPy warns of it.
    out = run({"NUMBA_DISABLE_JIT": "1"}, "-m", "pytest", str(HERE / name), "-q", "-W", "ignore:overflow encountered")
    assert " passed" in out


COLUMNS = """
import hashlib, json
from sim.tricks.batch import play_columns
import scenarios
digest = hashlib.sha256()
for label in ("1", "2", "3", "4"):
    for players in (1, 2, 3, 4):
        for policy in {policies}:
            for columns in play_columns(scenarios.load(label), players, policy, 5, 0, {deals}, False, 2):
                digest.update(columns.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.parametrize(("policy", "deals"), [("random", 4), ("script", 4), ("team", 1)])
def test_batches_are_the_same_compiled_and_as_plain_python(policy: str, deals: int) -> None:
    program = COLUMNS.format(policies=f"({policy!r},)", deals=deals)
    assert run({"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}, "-c", program) == run({}, "-c", program)


@pytest.mark.slow
def test_batches_are_the_same_with_every_index_checked(tmp_path: Path) -> None:
    program = COLUMNS.format(policies=tuple(PLAYING), deals=10)
    checked = run({"NUMBA_BOUNDSCHECK": "1", "RINGSIM_CACHE_DIR": str(tmp_path)}, "-c", program)
    assert checked == run({}, "-c", program)
