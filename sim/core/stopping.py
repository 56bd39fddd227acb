"""SIGTERM, as batch systems and `kill` send it, ends a command as Ctrl-C does: what is finished is kept."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 128 + 2
"""The exit code after Ctrl-C, as shells give it for the signal SIGINT."""
TERMINATED = 128 + 15
"""The exit code after the signal SIGTERM."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """The signal SIGTERM came; whoever cleans up after Ctrl-C does so after this."""

    code = TERMINATED


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was stopped."""
    return int(getattr(stopped, "code", INTERRUPTED))


def heed_sigterm() -> None:
    """Let SIGTERM raise Terminated in the main thread of this process (of a command, never of a library's user)."""
    if sys.platform != "win32":
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated("terminated")
