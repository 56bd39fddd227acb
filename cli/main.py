"""The `ringsim` command: its sub-commands, and what the user sees when something is wrong."""

from __future__ import annotations

import sys

import typer

from cli import bench, chapters, check, replay, report, run, show, warmup
from scenarios.errors import UserError

app = typer.Typer(
    name="ringsim",
    help="Simulate the Lord of the Rings trick-taking card games and read why groups fail.",
    epilog="Example: ringsim run 1-4 --players 3,4 --deals 100_000 --seed 7 --out runs/first",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("chapters", epilog=chapters.EPILOG)(chapters.chapters)
app.command("show", epilog=show.EPILOG)(show.show)
app.command("run", epilog=run.EPILOG)(run.run)
app.add_typer(report.app, name="report")
app.command("replay", epilog=replay.EPILOG)(replay.replay)
app.command("check", epilog=check.EPILOG)(check.check)
app.command("bench", epilog=bench.EPILOG)(bench.bench)
app.command("warmup", epilog=warmup.EPILOG)(warmup.warmup)


def _version(on: bool) -> None:
    if on:
        from importlib.metadata import version

        print(f"ringsim {version('ringsim')}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", callback=_version, is_eager=True),
) -> None:
    """Simulate the Lord of the Rings trick-taking card games and read why groups fail."""


def main() -> None:
    """Run the command line; exit code 0, 1 (differences found), 2 (wrong input) or 130 (interrupted)."""
    try:
        code = app(standalone_mode=False)
    except UserError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        # Typer keeps Click private: its usage errors are known by their method alone.
        if not hasattr(error, "format_message"):
            if type(error).__name__ == "Abort":
                sys.exit(130)
            raise
        _fail(error.format_message())
    sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str) -> None:
    print(f"error: {' '.join(line.split())}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
