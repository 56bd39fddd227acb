from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Iterator

import psutil
import pytest

from scenarios.errors import UserError
from sim.core.workers import WorkerDiedError, run_tasks

_prepared = 0


def prepare(value: int) -> None:
    global _prepared
    _prepared = value


def square(number: int) -> int:
    return number * number + _prepared


def process_of(_task: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def big(number: int) -> bytes:
    return bytes([number]) * 1_000_000


def act(name: str) -> str:
    if name == "fail":
        raise ValueError("broken coin")
    if name == "complain":
        raise UserError("--policy coin: no such coin")
    if name == "odd":
        raise UnsendableError("one", "two")
    if name == "exit":
        os._exit(3)
    if name == "kill":
        os.kill(os.getpid(), 9)
    if name == "wait":
        time.sleep(60)
    return name


class UnsendableError(Exception):
    """Pickles, but cannot be built again: its arguments are not what __init__ wants."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def children() -> set[int]:
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if child.is_running() and "resource_tracker" not in " ".join(child.cmdline())
    }


def test_two_workers_share_the_tasks() -> None:
    results = dict(run_tasks(square, range(50), 2, functools.partial(prepare, 1000)))
    assert results == {number: number * number + 1000 for number in range(50)}
    processes = {pid for _, pid in run_tasks(process_of, range(12), 2)}
    assert len(processes) <= 2
    assert os.getpid() not in processes
    assert not children()


def test_one_worker_stays_in_the_process() -> None:
    assert list(run_tasks(process_of, range(2), 1)) == [(0, os.getpid()), (1, os.getpid())]


def test_tasks_are_taken_as_they_are_needed() -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken % 200

    with contextlib.closing(run_tasks(big, endless(), 2)) as results:
        for _ in range(6):
            index, content = next(results)
            assert content == bytes([index + 1]) * 1_000_000
    assert taken <= 10
    assert not children()


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_come_back(workers: int) -> None:
    with pytest.raises(ValueError, match="broken coin") as caught:
        list(run_tasks(act, ["a", "fail", "wait" if workers == 2 else "b"], workers))
    if workers == 2:
        assert any("act" in note and "Traceback" in note for note in caught.value.__notes__)
    with pytest.raises(UserError, match="^--policy coin: no such coin$"):
        list(run_tasks(act, ["complain"], workers))
    assert not children()


def test_an_exception_that_cannot_be_sent_keeps_its_traceback() -> None:
    with pytest.raises(RuntimeError, match="(?s)Traceback.*UnsendableError: onetwo"):
        list(run_tasks(act, ["odd"], 2))


@pytest.mark.parametrize(("name", "words"), [("kill", r"killed by signal 9 \(exit code -9\); memory"), ("exit", "exit code 3")])
def test_a_dead_worker_is_named_and_the_others_stop(name: str, words: str) -> None:
    started = time.perf_counter()
    with pytest.raises(WorkerDiedError, match=rf"^worker [12] .*{words}"):
        list(run_tasks(act, ["wait", name], 2))
    assert time.perf_counter() - started < 15
    assert not children()
