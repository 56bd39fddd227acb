"""Ctrl-C as a terminal sends it: SIGINT to every process of the group."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from coin_game import SIMULATE, cell, files, spec

from sim.core import runs
from sim.core.manifest import MANIFEST_NAME, read_manifest

PROGRAM = str(Path(__file__).with_name("coin_run.py"))
RUN = spec(cell(players=3), cell(), deals=1000, chunk=50)
OPTIONS = ["4", "--players", "3,4", "--policy", "script", "--seed", "7", "--deals", "1e3", "--chunk", "50"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals to a process group")


class Program:
    """``ringsim run`` of the coin game in a process group of its own."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, "run", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def interrupt(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def terminate(self, whole_group: bool) -> None:
        if whole_group:
            os.killpg(self.process.pid, signal.SIGTERM)
        else:
            self.process.terminate()

    def end(self) -> tuple[int, str, str]:
        stdout, stderr = self.process.communicate(timeout=30)
        return self.process.returncode, stdout, stderr

    def survivors(self) -> list[psutil.Process]:
        """Processes of the group that are still there a moment after the program's end."""
        for _ in range(100):
            alive = [process for process in psutil.process_iter() if _group(process) == self.process.pid]
            if not alive:
                break
            time.sleep(0.02)
        return alive


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    runs.execute(RUN, folder, simulate=SIMULATE, quiet=True)
    return files(folder)


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    started: list[Program] = []
    yield started
    for program in started:
        if program.process.poll() is None:
            os.killpg(program.process.pid, signal.SIGKILL)
            program.process.communicate()


def wait_for_parts(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 30
    while len(list(folder.glob("goals/*/*/*/*.parquet"))) < number:
        assert time.monotonic() < deadline, "the run does not get going"
        time.sleep(0.01)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_the_parts_and_resume_completes_them(
    tmp_path: Path, whole: dict[str, bytes], programs: list[Program], workers: str
) -> None:
    out = tmp_path / "my run"
    programs.append(Program(*OPTIONS, "--out", str(out), "--workers", workers, COIN_PAUSE="1"))
    wait_for_parts(out, 5)
    programs[0].interrupt()
    code, stdout, stderr = programs[0].end()
    assert code == 130
    assert stdout == ""
    assert "Traceback" not in stderr
    assert not programs[0].survivors()

    manifest = read_manifest(out / MANIFEST_NAME)
    done = sum(record.done for record in manifest.cells)
    assert manifest.status == "interrupted"
    assert 5 <= done < 40
    assert stderr.splitlines()[-1] == (
        f"interrupted: {done} of 40 parts done; complete it with: ringsim run --resume --out '{out}'"
    )
    kept = files(out)
    assert len([name for name in kept if name.startswith("goals")]) == done
    assert kept.items() <= whole.items()
    assert not list(out.rglob("*.tmp"))

    programs.append(Program("--resume", "--out", str(out), "--workers", "1"))
    code, stdout, stderr = programs[1].end()
    assert code == 0, stderr
    assert files(out) == whole
    assert len(stdout.splitlines()) == 3
    resumed = read_manifest(out / MANIFEST_NAME)
    assert resumed.status == "complete"
    assert resumed.seconds > manifest.seconds


@pytest.mark.parametrize(("workers", "whole_group"), [("1", False), ("2", False), ("2", True)])
def test_sigterm_ends_a_run_as_ctrl_c_does(
    tmp_path: Path, whole: dict[str, bytes], programs: list[Program], workers: str, whole_group: bool
) -> None:
    out = tmp_path / "run"
    programs.append(Program(*OPTIONS, "--out", str(out), "--workers", workers, COIN_PAUSE="1"))
    wait_for_parts(out, 3)
    programs[0].terminate(whole_group)
    code, stdout, stderr = programs[0].end()
    assert (code, stdout) == (143, "")
    assert "Traceback" not in stderr
    assert not programs[0].survivors()
    manifest = read_manifest(out / MANIFEST_NAME)
    done = sum(record.done for record in manifest.cells)
    assert manifest.status == "interrupted"
    assert 3 <= done < 40
    assert stderr.splitlines()[-1] == f"terminated: {done} of 40 parts done; complete it with: ringsim run --resume --out {out}"
    assert not list(out.rglob("*.tmp"))
    runs.execute(RUN, out, resume=True, simulate=SIMULATE, quiet=True)
    assert files(out) == whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_meets_a_callback_of_c_ends_the_command_too(number: signal.Signals, code: int) -> None:
    # What is raised in a callback is lost, as LLVM's are when kernels are compiled; something else fails then.
    program = """
import ctypes, os, signal, sys
from cli import main
def callback():
    os.kill(os.getpid(), {number})
    return 0
def command():
    ctypes.CFUNCTYPE(ctypes.c_int)(callback)()
    raise RuntimeError("no compiled object yet")
main.app = lambda **_: command()
main.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program.format(number=int(number))],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == code
    assert done.stderr.splitlines()[-1] == ("interrupted" if number == signal.SIGINT else "terminated")
    assert "RuntimeError" not in done.stderr


def test_a_stopped_run_tells_programs_so(tmp_path: Path, programs: list[Program]) -> None:
    programs.append(Program(*OPTIONS, "--out", str(tmp_path / "run"), "--workers", "1", "--json-errors", COIN_PAUSE="1"))
    wait_for_parts(tmp_path / "run", 2)
    programs[0].interrupt()
    code, _, stderr = programs[0].end()
    told = json.loads(stderr.splitlines()[-1])
    assert (code, told["exit_code"]) == (130, 130)
    assert told["message"].startswith("interrupted: ")


def test_a_second_ctrl_c_kills_at_once(tmp_path: Path, programs: list[Program], whole: dict[str, bytes]) -> None:
    out = tmp_path / "run"
    pause = {"COIN_PAUSE": "1", "COIN_STUBBORN": "1"}
    programs.append(Program(*OPTIONS, "--out", str(out), "--workers", "2", **pause))
    wait_for_parts(out, 2)
    programs[0].interrupt()
    time.sleep(0.3)
    started = time.monotonic()
    programs[0].interrupt()
    code, _, stderr = programs[0].end()
    # A signal that meets the interpreter on its way out ends it by the signal, which a shell calls 130 too.
    assert code in (130, -signal.SIGINT)
    assert time.monotonic() - started < 20
    assert "Traceback" not in stderr
    assert not programs[0].survivors()
    assert files(out).items() <= whole.items()


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path, programs: list[Program], whole: dict[str, bytes]) -> None:
    out = tmp_path / "run"
    programs.append(Program(*OPTIONS, "--out", str(out), "--workers", "2", COIN_PAUSE="1"))
    wait_for_parts(out, 2)
    programs[0].process.kill()
    programs[0].process.communicate(timeout=30)
    assert not programs[0].survivors()
    assert read_manifest(out / MANIFEST_NAME).status == "running"
    runs.execute(RUN, out, resume=True, simulate=SIMULATE, quiet=True)
    assert files(out) == whole


def _group(process: psutil.Process) -> int | None:
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else os.getpgid(process.pid)
    except (psutil.Error, ProcessLookupError):
        return None
