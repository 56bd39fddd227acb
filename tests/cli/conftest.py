"""The engine is compiled once, before the commands that need it are timed or their messages are counted."""

from __future__ import annotations

import pytest
from invocation import ringsim


@pytest.fixture(scope="session")
def engine() -> None:
    """Compile the kernels, once per version."""
    done = ringsim("warmup")
    assert done.returncode == 0, done.stderr
