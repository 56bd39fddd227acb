"""The mark of tests that compile the engine anew."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes a minute, for it compiles the engine anew (-m 'not slow' leaves it out)")
