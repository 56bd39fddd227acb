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
from cli.stopped import Commands, StoppedError
from scenarios.errors import UserError, nearest, parts
from sim.core.messages import silence
from sim.core.stopping import INTERRUPTED, exit_code, heed_signals, stopped_by

CLOSED_PIPE = 141
"""The exit code of a command whose reader went away, as shells give it for the signal SIGPIPE."""

app = typer.Typer(
    name="ringsim",
    cls=Commands,
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


JSON_ERRORS = "--json-errors"
JSON_ERRORS_VARIABLE = "RINGSIM_JSON_ERRORS"


def _version(on: bool) -> None:
    if on:
        from importlib.metadata import version

        print(f"ringsim {version('ringsim')}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", callback=_version, is_eager=True),
    json_errors: bool = typer.Option(
        False, JSON_ERRORS, help=f"Errors as one JSON object on stderr, anywhere on the line; or {JSON_ERRORS_VARIABLE}=1."
    ),
) -> None:
    """Simulate the Lord of the Rings trick-taking card games and read why groups fail."""
    silence(False)


def main() -> None:
    """Run the command line; exit code 0, 1 (differences found), 2 (wrong input), 130 (interrupted), 141 (closed pipe) or 143
    (terminated)."""
    heed_signals()
    arguments, as_json = _take_json_errors(sys.argv[1:])
    try:
        code = app(args=arguments, standalone_mode=False)
        sys.stdout.flush()
    except UserError as error:
        _fail(str(error), 2, as_json)
    except StoppedError as error:
        _fail(str(error.by) or "interrupted", exit_code(error.by), as_json)
    except KeyboardInterrupt as stopped:
        # Before a command was reached, or after.
        _fail(str(stopped) or "interrupted", exit_code(stopped), as_json)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; what is still buffered must not meet the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)
    except SystemExit as ended:
        # So Typer itself ends a command whose pipe was closed; nothing else leaves it with 1.
        sys.exit(CLOSED_PIPE if ended.code == 1 else ended.code)
    except Exception as error:
        if (by := stopped_by()) is not None:
            _fail(str(by), exit_code(by), as_json)
        # Typer keeps Click private: its usage errors are known by their method alone.
        if not hasattr(error, "format_message"):
            if type(error).__name__ == "Abort":
                sys.exit(INTERRUPTED)
            raise
        _fail_usage(error, as_json)
    sys.exit(code if isinstance(code, int) else 0)


def _take_json_errors(arguments: list[str]) -> tuple[list[str], bool]:
    """Return the arguments without --json-errors, and whether errors are wanted as JSON."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    asked = JSON_ERRORS in arguments[:end] or os.environ.get(JSON_ERRORS_VARIABLE, "") not in ("", "0")
    return [word for place, word in enumerate(arguments) if word != JSON_ERRORS or place > end], asked


def _fail(line: str, code: int, as_json: bool, **known: Any) -> NoReturn:
    """Say what is wrong, as a line or as a JSON object, and end with the exit code."""
    line = " ".join(line.split())
    if as_json:
        import json

        print(json.dumps({"message": line, "exit_code": code, **(parts(line) if code == 2 else {}), **known}), file=sys.stderr)
    else:
        print(f"error: {line}" if code == 2 else line, file=sys.stderr)
    sys.exit(code)


def _fail_usage(error: Any, as_json: bool) -> NoReturn:
    """Say what Typer does not understand, in our words."""
    context = getattr(error, "ctx", None)
    line = error.format_message()
    known: dict[str, Any] = {}
    if type(error).__name__ == "NoArgsIsHelpError":
        if as_json:
            _fail(f"a command is missing; see {error.ctx.command_path} --help", 2, as_json)
        print(line, file=sys.stderr)
        sys.exit(2)
    if hasattr(error, "possibilities"):
        options = [option for parameter in context.command.params for option in parameter.opts] if context else []
        line = f"{error.option_name}: there is no such option{nearest(error.option_name, options)}"
    elif getattr(error, "option_name", None):
        known = {"option": error.option_name}
    line = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", line).rstrip(".")
    _fail(f"{line}; see {context.command_path} --help" if context else line, 2, as_json, **known)


if __name__ == "__main__":
    main()
