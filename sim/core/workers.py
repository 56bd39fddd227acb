"""Tasks on worker processes: spawned, bounded, quiet on Ctrl-C, honest about exceptions and deaths.

Only module-level functions are sent to the workers. A task is small; what all tasks share is handed over
once, by the initializer.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import multiprocess
import multiprocess.connection
import multiprocess.resource_tracker

from scenarios.errors import UserError
from sim.core.stopping import SIGNALS

Task = TypeVar("Task")
Result = TypeVar("Result")

_STOP_SECONDS = 3.0  # how long a worker may take to end


class WorkerDiedError(UserError):
    """A worker process ended without an answer; the message names its exit code."""


def usable_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    workers: int,
    initializer: Callable[[], object] | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield (task index, ``function(task)``) as the results come in.

    With ``workers <= 1`` everything happens in this process, in the order of the tasks. Otherwise each
    worker has one task in hand and gets the next with its answer taken, so `tasks` may be an endless
    generator. `initializer` runs once in each worker first.

    Raises what a task raised (with the worker's traceback as a note) and WorkerDiedError when a worker ended on
    its own; the other workers are stopped then, as they are when the iterator is closed and on Ctrl-C.
    Close the iterator (``contextlib.closing``) where its consumer may raise.
    """
    if workers <= 1:
        if initializer is not None:
            initializer()
        for index, task in enumerate(tasks):
            yield index, function(task)
        return
    pool: list[_Worker] = []
    try:
        _start(pool, workers)
        yield from _serve(pool, function, enumerate(tasks), initializer)
    except BaseException:
        _stop(pool, at_once=True)
        raise
    else:
        _stop(pool, at_once=False)


def run_on_dask(
    function: Callable[[Any, Task], Result], shared: Any, tasks: Iterable[Task], scheduler: str
) -> Iterator[tuple[int, Result]]:
    """Yield (task index, ``function(shared, task)``) from the workers of a Dask scheduler, as they come in.

    At most two tasks per thread of the cluster are out at a time. Raises UserError when `distributed` is
    not installed or the scheduler does not answer, and what a task raised.
    """
    if importlib.util.find_spec("distributed") is None:
        raise UserError("--executor dask: the package distributed is missing; pip install ringsim[dask]")
    import distributed

    try:
        client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UserError(f"--scheduler {scheduler}: no Dask scheduler answers there") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=30)
        except TimeoutError as error:
            raise UserError(f"--scheduler {scheduler}: it has no workers (waited 30 s)") from error
        common = client.scatter(shared, broadcast=True, hash=False)
        indices: dict[Any, int] = {}
        todo = enumerate(tasks)
        answers = distributed.as_completed(loop=client.loop)

        def submit() -> bool:
            for index, task in todo:
                future = client.submit(function, common, task, pure=False)
                indices[future] = index
                answers.add(future)
                return True
            return False

        try:
            threads = sum(client.nthreads().values()) or 1
            for _ in range(2 * threads):
                if not submit():
                    break
            for future in answers:
                index, result = indices.pop(future), future.result()
                submit()
                yield index, result
        except BaseException:
            client.cancel(list(indices))
            raise


class _Worker:
    def __init__(self, number: int) -> None:
        context = multiprocess.get_context("spawn")
        self.connection, child = context.Pipe()
        self.process = context.Process(target=_work, args=(child,), name=f"ringsim-worker-{number}", daemon=True)
        self.number = number
        self.ready = False
        self.process.start()
        child.close()

    def send(self, message: tuple[Any, ...]) -> None:
        try:
            self.connection.send(message)
        except OSError:
            raise self.death() from None

    def receive(self) -> tuple[str, int, Any]:
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            raise self.death() from None

    def death(self) -> WorkerDiedError:
        self.process.join(_STOP_SECONDS)
        code = self.process.exitcode
        how = f"ended with exit code {code}"
        if code is not None and code < 0:
            how = f"was killed by signal {-code} (exit code {code})"
        if code == -getattr(signal, "SIGKILL", 9):
            hint = "memory may have run out, --workers 1 or a smaller --chunk needs less"
        elif not self.ready:
            hint = 'it never started; a script that starts workers needs if __name__ == "__main__":'
        else:
            hint = "its last words are above"
        return WorkerDiedError(f"worker {self.number} {how}; {hint}")


def _start(pool: list[_Worker], workers: int) -> None:
    # The tracker unblocks SIGINT when it starts, so it must be there before the signal is blocked.
    multiprocess.resource_tracker.ensure_running()
    with _interrupt_held(), _one_polars_thread():
        for number in range(1, workers + 1):
            pool.append(_Worker(number))


def _serve(
    pool: list[_Worker],
    function: Callable[[Task], Result],
    todo: Iterator[tuple[int, Task]],
    initializer: Callable[[], object] | None,
) -> Iterator[tuple[int, Result]]:
    by_handle: dict[Any, _Worker] = {}
    for worker in pool:
        by_handle[worker.connection] = by_handle[worker.process.sentinel] = worker
        worker.send((function, initializer))
    busy = set(pool)  # a worker that starts is busy until it says "ready"
    while busy:
        handles = [handle for handle, worker in by_handle.items() if worker in busy]
        answered = {by_handle[handle] for handle in multiprocess.connection.wait(handles)}
        for worker in sorted(answered, key=lambda one: one.number):
            # A sentinel can fire with the last answer still in the pipe; receive() reads that first.
            kind, index, content = worker.receive()
            if kind == "error":
                raise content
            worker.ready = True
            busy.discard(worker)
            for task_index, task in todo:
                worker.send((task_index, task))
                busy.add(worker)
                break
            if kind == "result":
                yield index, content


def _stop(pool: list[_Worker], at_once: bool) -> None:
    """End all workers: by closing their pipes, or by killing them, as a Ctrl-C meanwhile does."""
    try:
        for worker in pool:
            worker.connection.close()
            if at_once:
                # Not by SIGTERM: that reaches the whole group when a batch system ends it, and is the parent's to decide on.
                worker.process.kill()
        for worker in pool:
            worker.process.join(_STOP_SECONDS)
    finally:
        for worker in pool:
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _work(connection: Any) -> None:
    """The life of a worker: receive the function, say ready, then answer tasks until the pipe closes."""
    for number in SIGNALS:  # they reach the whole group; the parent decides
        signal.signal(number, signal.SIG_IGN)
    index = -1
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            function, initializer = connection.recv()
            if initializer is not None:
                initializer()
            connection.send(("ready", -1, None))
            while True:
                index, task = connection.recv()
                connection.send(("result", index, function(task)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise
        except BaseException as error:
            connection.send(("error", index, _portable(error)))


def _portable(error: BaseException) -> BaseException:
    """Return the exception with its traceback as a note, or a RuntimeError when it cannot be sent."""
    text = "".join(traceback.format_exception(error)).rstrip()
    if not isinstance(error, UserError):
        error.add_note(f"in a worker process:\n{text}")
    error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"a task failed in a worker process:\n{text}")
    return error


@contextlib.contextmanager
def _interrupt_held() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM while processes start: they never see it, we get it afterwards.

    The blocked mask is for the processes, which inherit it. It does not keep the signal from us, since any
    other thread of ours may take it: hence the handler, where one can be set (in the main thread).
    """
    caught: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: handler for number in SIGNALS if main and callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, _frame: caught.append(number))
    blocks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if caught:
            signal.raise_signal(caught[0])


@contextlib.contextmanager
def _one_polars_thread() -> Iterator[None]:
    """Let each worker's Polars use one thread: the workers already are as many as the CPUs."""
    before = os.environ.get("POLARS_MAX_THREADS")
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("POLARS_MAX_THREADS", None)
