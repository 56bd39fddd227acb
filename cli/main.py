"""The `ringsim` command: its sub-commands, and what the user sees when something is wrong."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, NoReturn

import typer

from cli import (
    assumptions,
    bench,
    campaign,
    chapters,
    check,
    compare,
    find,
    new,
    replay,
    report,
    run,
    schema,
    show,
    solve,
    tune,
    verify,
    warmup,
)
from scenarios.errors import UserError, nearest

CLOSED_PIPE = 141
"""The exit code of a command whose reader went away, as shells give it for the signal SIGPIPE."""

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
app.command("new", epilog=new.EPILOG)(new.new)
app.command("schema", epilog=schema.EPILOG)(schema.schema)
app.command("run", epilog=run.EPILOG)(run.run)
app.command("campaign", epilog=campaign.EPILOG)(campaign.campaign)
report.app.command("assumptions", epilog=assumptions.EPILOG)(assumptions.assumptions)
app.add_typer(report.app, name="report", epilog="Example: ringsim report failures runs/first")
app.command("compare", epilog=compare.EPILOG)(compare.compare)
app.command("find", epilog=find.EPILOG)(find.find)
app.command("replay", epilog=replay.EPILOG)(replay.replay)
app.command("solve", epilog=solve.EPILOG)(solve.solve)
app.command("check", epilog=check.EPILOG)(check.check)
app.command("bench", epilog=bench.EPILOG)(bench.bench)
app.command("verify", epilog=verify.EPILOG)(verify.verify)
app.command("tune", epilog=tune.EPILOG)(tune.tune)
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
    """Run the command line; exit code 0, 1 (differences found), 2 (wrong input), 130 (interrupted) or 141 (closed pipe)."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except UserError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; what is still buffered must not meet the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)
    except SystemExit as ended:
        # So Typer itself ends a command whose pipe was closed; nothing else leaves it with 1.
        sys.exit(CLOSED_PIPE if ended.code == 1 else ended.code)
    except Exception as error:
        # Typer keeps Click private: its usage errors are known by their method alone.
        if not hasattr(error, "format_message"):
            if type(error).__name__ == "Abort":
                sys.exit(130)
            raise
        _fail_usage(error)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str) -> NoReturn:
    print(f"error: {' '.join(line.split())}", file=sys.stderr)
    sys.exit(2)


def _fail_usage(error: Any) -> NoReturn:
    context = getattr(error, "ctx", None)
    line = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        print(line, file=sys.stderr)
        sys.exit(2)
    if hasattr(error, "possibilities"):
        options = [option for parameter in context.command.params for option in parameter.opts] if context else []
        line = f"{error.option_name}: there is no such option{nearest(error.option_name, options)}"
    line = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", line).rstrip(".")
    _fail(f"{line}; see {context.command_path} --help" if context else line)


if __name__ == "__main__":
    main()
