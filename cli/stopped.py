"""A command that was stopped by Ctrl-C or SIGTERM: Typer would print an empty line and forget by which."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class StoppedError(Exception):
    """A command was stopped; `by` says by what, and what is to be done next."""

    def __init__(self, by: KeyboardInterrupt) -> None:
        super().__init__(str(by))
        self.by = by


class Commands(TyperGroup):
    """The commands of ringsim; one that is stopped raises StoppedError."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the context names."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise StoppedError(stopped) from None
