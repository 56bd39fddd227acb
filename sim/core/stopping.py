"""SIGTERM, as batch systems and `kill` send it, ends a command as Ctrl-C does: what is finished is kept."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

INTERRUPTED = 128 + 2
"""The exit code after Ctrl-C, as shells give it for the signal SIGINT."""
TERMINATED = 128 + 15
"""The exit code after the signal SIGTERM."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)

_stopped: KeyboardInterrupt | None = None


class Terminated(KeyboardInterrupt):
    """The signal SIGTERM came; whoever cleans up after Ctrl-C does so after this."""

    code = TERMINATED


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was stopped."""
    return int(getattr(stopped, "code", INTERRUPTED))


def heed_signals() -> None:
    """Let both signals raise in the main thread of this process, SIGTERM as Terminated (for a command, not for a library's user).

    One that is ignored, as in the background of a script, stays so.
    """
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def stopped_by() -> KeyboardInterrupt | None:
    """Return what a signal raised, None when none came: what is raised inside a callback of C is lost, and fails elsewhere."""
    return _stopped


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    global _stopped
    _stopped = Terminated("terminated") if number == signal.SIGTERM else KeyboardInterrupt("interrupted")
    raise _stopped
