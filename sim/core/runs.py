"""A run: a matrix of cells played chunk by chunk into a folder of parts that can be completed later.

A chunk is a pure function of (cell, seed, first deal, count). Chunks are cut by deal number alone, so the
parts of a run are the same bytes for any number of workers, and after any interruption.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import polars as pl
from tqdm import tqdm

from scenarios.errors import UserError
from sim.core import dataset, manifest
from sim.core.manifest import CellRecord, Manifest, Request
from sim.core.numbers import COUNT_LIMIT
from sim.core.precision import Precision, reached, second_stage
from sim.core.seed import SEED_BITS, seed_hex
from sim.core.stopping import INTERRUPTED, exit_code
from sim.core.workers import WorkerDiedError, run_on_dask, run_tasks, usable_cpus

DEFAULT_CHUNK = 50_000
DEFAULT_SIMULATE = "sim.tricks.batch:simulate_chunk"

_SMALL_RUN = 2.0  # so many full chunks are played sooner than a worker is spawned (about 1.5 s)
_BLOCKS = 8  # in this process a chunk is played in so many calls, so that Ctrl-C need not wait for all of it
_LINE_SECONDS = 5.0
_SAVE_SECONDS = 10.0

Stop = Literal["full", "early"]
Simulate = Callable[["Cell", int, int, int, Stop], tuple[pl.DataFrame, pl.DataFrame]]


class Cell(msgspec.Struct, kw_only=True, frozen=True):
    """One cell of the matrix: a chapter for a number of players under a policy.

    `scenario` is opaque here and handed to the simulate function; it must be picklable. `chunk` is how many
    deals of this cell make a fair part: one to two seconds of play, or less.
    """

    chapter: str
    title: str
    players: int
    policy: str
    policy_version: int
    weights: str = ""
    scenario_hash: str
    assumptions: dict[str, str]
    based_on: str = ""
    playouts: int = 0
    inference: str = ""
    retry: str = "none"
    attempts: int = 1
    where: str = ""
    tries: int = 0
    chance: float | None = None
    after_setup: bool = False
    scenario: Any = None
    chunk: int = DEFAULT_CHUNK

    @property
    def key(self) -> tuple[str, int, str]:
        """Chapter, players and policy: unique in a run."""
        return self.chapter, self.players, self.policy


class RunSpec(msgspec.Struct, kw_only=True, frozen=True):
    """What is to be played: every cell plays the deals 0 .. deals - 1 of the seed, or fewer under a rule of `precision`.

    `shard` (i, n) restricts the run to the chunks whose index leaves i - 1 modulo n.
    """

    seed: int
    deals: int
    cells: list[Cell]
    chunk: int = DEFAULT_CHUNK
    stop: Stop = "full"
    shard: tuple[int, int] | None = None
    precision: Precision | None = None
    deal_format: int = 1


class RunResult(msgspec.Struct, kw_only=True, frozen=True):
    """A complete run. `played` counts the deals of this call (0: the run was complete before)."""

    out: Path
    manifest: Manifest
    played: int
    seconds: float


class Interrupted(KeyboardInterrupt):
    """Ctrl-C (or SIGTERM, see `sim.core.stopping`) during a run: finished parts are kept and the manifest says so."""

    def __init__(self, out: Path, done: int, parts: int, resume: str, code: int = INTERRUPTED) -> None:
        word = "interrupted" if code == INTERRUPTED else "terminated"
        super().__init__(f"{word}: {done} of {parts} parts done; complete it with: {resume}")
        self.code = code


class ChunkTask(msgspec.Struct, frozen=True, array_like=True):
    """One chunk: the cell's place in the spec, the first deal, the number of deals."""

    cell: int
    first_deal: int
    count: int


class ChunkResult(msgspec.Struct, frozen=True, array_like=True):
    """What came of a chunk: rows of both tables, deals won, who played it and its peak memory in MiB, rounds dealt under a
    condition and deals tried for them."""

    rows: int
    won: int
    process: int
    peak_mib: float | None
    tried: tuple[int, int] = (0, 0)


def default_chunk(cells: Sequence[Cell]) -> int:
    """Return the chunk size when the user names none: the smallest that one of the cells asks for."""
    return min((cell.chunk for cell in cells), default=DEFAULT_CHUNK)


def chunk_tasks(spec: RunSpec) -> Iterator[ChunkTask]:
    """Yield the chunks of a run (of its shard), cell by cell, in the order of deals."""
    shard, shards = spec.shard or (1, 1)
    for index in range(len(spec.cells)):
        for chunk in range(shard - 1, _chunks(spec), shards):
            first = chunk * spec.chunk
            yield ChunkTask(index, first, min(spec.chunk, spec.deals - first))


def simulate_frames(
    spec: RunSpec, *, simulate: str = DEFAULT_SIMULATE, workers: int | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Play a run in memory and return (rounds, goals), cell by cell in the order of deals.

    Frames have the declared schemas of sim.core.dataset. Raises UserError for a spec that cannot be played.
    """
    check_spec(spec)
    job = _Job(spec, None, simulate)
    _prepare(job)
    tasks = list(chunk_tasks(spec))
    frames: dict[int, tuple[pl.DataFrame, pl.DataFrame]] = {}
    answers = run_tasks(_frames_of_open_job, tasks, _workers_for(spec, tasks, workers), functools.partial(_open_job, job))
    with contextlib.closing(answers):  # type: ignore[type-var]
        for index, pair in answers:
            frames[index] = pair
    pairs = [frames[index] for index in sorted(frames)]
    empty = (pl.DataFrame(schema=dataset.ROUNDS_SCHEMA), pl.DataFrame(schema=dataset.GOALS_SCHEMA))
    rounds = pl.concat([empty[0], *(pair[0] for pair in pairs)], how="diagonal")
    goals = pl.concat([empty[1], *(pair[1] for pair in pairs)])
    return rounds, goals


def execute(
    spec: RunSpec,
    out: Path | str,
    *,
    resume: bool = False,
    workers: int | None = None,
    simulate: str = DEFAULT_SIMULATE,
    executor: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    quiet: bool = False,
    command: Sequence[str] = (),
    request: Request | None = None,
    headline: str = "",
) -> RunResult:
    """Play a run into the folder `out` and return what came of it.

    `simulate` is the dotted path (``module:function``) of the function that plays a chunk; when its module
    has a function ``prepare(cells)``, that is called once in this process before workers start (compiling).
    `workers` None: as many as CPUs, none for a small run. `request` and `command` are recorded. `headline` is said on stderr
    once the folder is there.

    Raises UserError when the folder holds something else, the spec contradicts the run to be resumed, or a
    part cannot be written; Interrupted on Ctrl-C. Finished parts are kept in every case.
    """
    check_spec(spec)
    if executor == "dask" and not scheduler:
        raise UserError("--executor dask: needs --scheduler ADDRESS, such as tcp://host:8786")
    # A shared folder must mean the same on every machine.
    folder = Path(os.path.abspath(out))
    run = _Run(spec, folder, Path(out), command, request)
    run.open(resume)
    if headline:
        print(headline, file=sys.stderr)
    job = _Job(spec, folder, simulate)
    progress: _Progress | None = None
    played = 0
    try:
        for tasks in run.stages():
            if not tasks:
                continue
            if progress is None:
                run.save("running")
                _prepare(job)
                progress = _Progress(run.deals, run.deals_done, run.won, quiet)
            progress.extend(run.deals)
            if executor == "dask":
                assert scheduler is not None
                answers = run_on_dask(_write_chunk, job, run.hand_out(tasks), scheduler)
            else:
                number = _workers_for(spec, tasks, workers)
                answers = run_tasks(
                    _write_chunk_of_open_job,
                    run.hand_out(tasks),
                    number,
                    functools.partial(_open_job, job),
                )
            with contextlib.closing(answers):  # type: ignore[type-var]
                for index, result in answers:
                    task = run.take(index, result)
                    played += task.count
                    progress.advance(task.count, run.won)
    except KeyboardInterrupt as stopped:
        run.save_unfinished("interrupted")
        raise Interrupted(Path(out), run.done, run.parts, run.resume_command(), exit_code(stopped)) from None
    except WorkerDiedError as error:
        run.save_unfinished("failed")
        raise WorkerDiedError(
            f"{error}; {run.done} of {run.parts} parts are kept, complete the run with: {run.resume_command()}"
        ) from None
    except BaseException:
        run.save_unfinished("failed")
        raise
    finally:
        if progress is not None:
            progress.close()
    return run.finish(played, quiet)


def check_spec(spec: RunSpec) -> None:
    """Raise UserError when the spec cannot be played."""
    if not 0 <= spec.seed < 1 << SEED_BITS:
        raise UserError(f"--seed {spec.seed}: must be from 0 to 2**{SEED_BITS} - 1")
    if not 1 <= spec.deals <= COUNT_LIMIT:
        raise UserError(f"--deals {spec.deals}: must be from 1 to {COUNT_LIMIT:_}")
    if not 1 <= spec.chunk <= COUNT_LIMIT:
        raise UserError(f"--chunk {spec.chunk}: must be from 1 to {COUNT_LIMIT:_}")
    if spec.stop not in ("full", "early"):
        raise UserError(f"--stop {spec.stop}: must be full or early")
    if spec.shard is not None and not 1 <= spec.shard[0] <= spec.shard[1]:
        raise UserError(f"--shard {_shard_text(spec.shard)}: must be i/n with i from 1 to n")
    if spec.shard is not None and spec.precision is not None:
        shard = _shard_text(spec.shard)
        raise UserError(f"--shard {shard}: a share of the deals cannot tell when there are enough (--until-halfwidth)")
    if not spec.cells:
        raise UserError("nothing to run: no chapter is played by these numbers of players")
    seen: set[tuple[str, int, str]] = set()
    for cell in spec.cells:
        if cell.key in seen:
            raise UserError(f"chapter {cell.chapter} ({cell.players} players, {cell.policy}) is named twice")
        seen.add(cell.key)


class _Job(msgspec.Struct, frozen=True, array_like=True):
    """What all tasks of a run share; sent to each worker once. No folder: frames go back to the parent."""

    spec: RunSpec
    folder: Path | None
    simulate: str


class _Run:
    """The folder of a run and the account of its parts."""

    def __init__(self, spec: RunSpec, folder: Path, shown: Path, command: Sequence[str], request: Request | None) -> None:
        self.spec = spec
        self.folder = folder
        self.shown = shown
        self.command = list(command)
        self.request = request
        self.started = time.perf_counter()
        self.saved = time.perf_counter()
        self.earlier_seconds = 0.0
        self.earlier_peak: float | None = None
        self.peaks: dict[int, float] = {}
        self.handed_out: dict[int, ChunkTask] = {}
        shard, shards = spec.shard or (1, 1)
        mine = range(shard - 1, _chunks(spec), shards)
        last = sum(min(spec.chunk, spec.deals - index * spec.chunk) for index in mine[-1:])
        self.deals = len(spec.cells) * (last + spec.chunk * max(0, len(mine) - 1))
        self.won_first = [0] * len(spec.cells)
        if spec.precision is not None:
            self.deals = len(spec.cells) * spec.precision.first
            mine = range(-(-spec.precision.first // spec.chunk))
        self.record = Manifest(
            ringsim=manifest.ringsim_version(),
            deal_format=spec.deal_format,
            status="running",
            created=manifest.now_iso(),
            command=self.command,
            request=request,
            seed=seed_hex(spec.seed),
            deals=spec.deals,
            precision=spec.precision,
            chunk=spec.chunk,
            stop=spec.stop,
            shard=_shard_text(spec.shard),
            cells=[_record_of(cell, len(mine)) for cell in spec.cells],
            environment=manifest.current_environment(),
        )

    @property
    def parts(self) -> int:
        return sum(cell.parts for cell in self.record.cells)

    @property
    def done(self) -> int:
        return sum(cell.done for cell in self.record.cells)

    @property
    def deals_done(self) -> int:
        return sum(cell.deals_done for cell in self.record.cells)

    @property
    def won(self) -> int:
        return sum(cell.won for cell in self.record.cells)

    def open(self, resume: bool) -> None:
        """Create the folder or take up the run in it; raises UserError when it holds something else."""
        try:
            held = sorted(os.listdir(self.folder)) if self.folder.exists() else []
        except OSError as error:
            raise UserError(f"--out {self.shown}: not a folder that can be read") from error
        held = [name for name in held if not name.endswith(".tmp")]
        own = self.own_manifest()
        shards = manifest.read_shards(self.folder)
        # Shards of one run may start at the same moment: the first has perhaps only made its folder yet.
        just_made = self.spec.shard is not None and held == [manifest.SHARDS_FOLDER] and not shards
        if not held or just_made:
            if resume and not held:
                raise UserError(f"--resume: there is no run in {self.shown}")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise manifest.write_error(self.folder, error) from error
            self.save("running")
            return
        if not shards and not (self.folder / manifest.MANIFEST_NAME).is_file():
            raise UserError(f"--out {self.shown}: holds other files and no run; choose another --out")
        if own.is_file() and (self.spec.shard is not None or not shards):
            if not resume:
                raise UserError(f"--out {self.shown}: holds another run; use --resume to complete it or choose another --out")
            earlier = manifest.read_manifest(own)
            self.compare(earlier)
            self.earlier_seconds = earlier.seconds
            self.earlier_peak = earlier.peak_memory_mib
            self.record.created = earlier.created
            self.record.command = self.command or earlier.command
            self.record.request = self.request or earlier.request
        elif not shards:
            raise UserError(f"--out {self.shown}: holds a run that is not sharded; choose another --out")
        elif self.spec.shard is None:
            of = (shards[0].shard or "").split("/")[-1]
            raise UserError(f"--out {self.shown}: holds shards of a run; name yours, as in --shard 1/{of}")
        else:
            # Another shard of the same run has been here before; joining it overwrites nothing.
            self.compare(shards[0])
            self.save("running")

    def compare(self, earlier: Manifest) -> None:
        """Raise UserError, naming the field and both values, when the run in the folder is another one."""
        now = self.record

        def same(field: str, before: object, given: object) -> None:
            if before != given:
                raise UserError(f"{self.shown} was started with {field} {before}, not {given}; choose another --out")

        same("ringsim", earlier.ringsim, now.ringsim)
        same("schema version", earlier.schema_version, now.schema_version)
        same("deal format", earlier.deal_format, now.deal_format)
        same("--seed", earlier.seed, now.seed)
        same("--until-halfwidth", _halfwidth_text(earlier.precision), _halfwidth_text(now.precision))
        same("--deals", earlier.deals, now.deals)
        same("--chunk", earlier.chunk, now.chunk)
        same("--stop", earlier.stop, now.stop)
        if (earlier.shard or "").split("/")[-1] != (now.shard or "").split("/")[-1]:
            same("--shard", earlier.shard, now.shard)
        names = [[_cell_name(cell) for cell in record.cells] for record in (earlier, now)]
        if sorted(names[0]) != sorted(names[1]):
            only_before = [name for name in names[0] if name not in names[1]]
            only_now = [name for name in names[1] if name not in names[0]]
            same("cells", "; ".join(only_before) or "(no others)", "; ".join(only_now) or "(no others)")
        before = {_cell_name(cell): cell for cell in earlier.cells}
        for cell in now.cells:
            name = _cell_name(cell)
            same(f"policy version of {name}", before[name].policy_version, cell.policy_version)
            same(f"weights of {name}", before[name].weights or "(those shipped)", cell.weights or "(those shipped)")
            same(f"--playouts of {name}", before[name].playouts, cell.playouts)
            same(f"--inference of {name}", before[name].inference, cell.inference)
            same(f"--retry of {name}", before[name].retry, cell.retry)
            same(f"--attempts of {name}", before[name].attempts, cell.attempts)
            same(f"--where of {name}", before[name].where or "(none)", cell.where or "(none)")
            same(f"--tries of {name}", before[name].tries, cell.tries)
            for assumption in sorted(before[name].assumptions.keys() | cell.assumptions.keys()):
                same(
                    f"assumption {assumption} of {name}",
                    before[name].assumptions.get(assumption),
                    cell.assumptions.get(assumption),
                )
            same(f"scenario hash of {name}", before[name].scenario_hash, cell.scenario_hash)

    def stages(self) -> Iterator[list[ChunkTask]]:
        """Yield the tasks that are missing, stage by stage; how long the second is, the played first one says."""
        rule, chunk = self.spec.precision, self.spec.chunk
        if rule is None:
            yield self.missing_tasks(chunk_tasks(self.spec))
            return
        cells = range(len(self.spec.cells))
        yield self.missing_tasks(task for cell in cells for task in _tasks_between(cell, 0, rule.first, chunk))
        ends = [second_stage(rule, won, chunk) for won in self.won_first]
        for cell, end in zip(self.record.cells, ends, strict=True):
            cell.parts = -(-end // chunk)
        self.deals = sum(ends)
        yield self.missing_tasks(task for cell in cells for task in _tasks_between(cell, rule.first, ends[cell], chunk))

    def missing_tasks(self, tasks: Iterable[ChunkTask]) -> list[ChunkTask]:
        """Count the parts that are there and valid; return the tasks of all others."""
        missing: list[ChunkTask] = []
        present = any((self.folder / table).is_dir() for table in dataset.SCHEMAS)
        for task in tasks:
            won = self.complete(task) if present else None
            if won is None:
                missing.append(task)
            else:
                self.count(task, won, self.tried(task))
        if present:
            self.clean()
        return missing

    def hand_out(self, tasks: Sequence[ChunkTask]) -> Iterator[ChunkTask]:
        """Yield the tasks and remember which are out."""
        for index, task in enumerate(tasks):
            self.handed_out[index] = task
            yield task

    def take(self, index: int, result: ChunkResult) -> ChunkTask:
        """Account for an answer; the manifest is brought up to date now and then."""
        task = self.handed_out.pop(index)
        self.count(task, result.won, result.tried)
        if result.peak_mib is not None:
            self.peaks[result.process] = max(result.peak_mib, self.peaks.get(result.process, 0.0))
        if time.perf_counter() - self.saved > _SAVE_SECONDS:
            self.save("running")
        return task

    def count(self, task: ChunkTask, won: int, tried: tuple[int, int]) -> None:
        cell = self.record.cells[task.cell]
        cell.dealt += tried[0]
        cell.tried += tried[1]
        cell.done += 1
        cell.deals_done += task.count
        cell.won += won
        if self.spec.precision is not None and task.first_deal < self.spec.precision.first:
            self.won_first[task.cell] += won

    def complete(self, task: ChunkTask) -> int | None:
        """Return the deals won when the task's parts are there and valid, else None."""
        cell = self.spec.cells[task.cell]
        return dataset.is_complete(self.folder, *cell.key, task.first_deal, task.count)

    def tried(self, task: ChunkTask) -> tuple[int, int]:
        """Return what a complete part says of the deals tried."""
        cell = self.spec.cells[task.cell]
        if not cell.where:
            return 0, 0
        path = dataset.part_path(self.folder, "rounds", *cell.key, task.first_deal)
        return dataset.tried_deals(pl.read_parquet(path, columns=["tries"], glob=False, hive_partitioning=False))

    def clean(self) -> None:
        """Remove what killed writers left of this shard's parts; other shards may be writing theirs."""
        shard, shards = self.spec.shard or (1, 1)
        names = [f"part-{chunk * self.spec.chunk:012d}.parquet" for chunk in range(shard - 1, _chunks(self.spec), shards)]
        for cell in self.spec.cells:
            for table in dataset.SCHEMAS:
                with contextlib.suppress(OSError):
                    dataset.remove_leftovers(dataset.cell_folder(self.folder, table, *cell.key), names)

    def save(self, status: manifest.Status) -> None:
        """Write the manifest (of this shard)."""
        self.saved = time.perf_counter()
        self.record.status = status
        self.record.seconds = round(self.earlier_seconds + self.saved - self.started, 3)
        own = manifest.peak_memory_mib()
        if own is not None:
            self.peaks[os.getpid()] = own
        peaks = [sum(self.peaks.values()) if self.peaks else None, self.earlier_peak]
        self.record.peak_memory_mib = max((round(peak, 1) for peak in peaks if peak is not None), default=None)
        if self.record.shard is None:
            manifest.write_manifest(self.record, self.own_manifest())
        else:
            manifest.write_shard_manifest(self.record, self.folder)

    def save_unfinished(self, status: manifest.Status) -> None:
        """Account for parts that were written though their answer never came, then save, whatever happens."""
        for task in self.handed_out.values():
            won = self.complete(task)
            if won is not None:
                self.count(task, won, self.tried(task))
        self.handed_out.clear()
        self.clean()
        # The reason of the stop is what the user must hear of, not a manifest that could not be written.
        with contextlib.suppress(UserError):
            self.save(status)

    def finish(self, played: int, quiet: bool) -> RunResult:
        """Save the complete run; a run that was complete before is left untouched."""
        if self.spec.precision is not None:
            for cell in self.record.cells:
                cell.halfwidth = reached(self.spec.precision, cell.won, cell.deals_done)
        own = self.own_manifest()
        if not played and own.is_file():
            earlier = manifest.read_manifest(own)
            if earlier.status == "complete" and earlier.cells == self.record.cells:
                if not quiet:
                    print(
                        f"{self.shown} is complete ({self.done} of {self.parts} parts); nothing to do",
                        file=sys.stderr,
                    )
                return self.result(earlier, 0)
        self.save("complete")
        return self.result(self.record, played)

    def result(self, record: Manifest, played: int) -> RunResult:
        seconds = time.perf_counter() - self.started
        return RunResult(out=self.shown, manifest=record, played=played, seconds=seconds)

    def own_manifest(self) -> Path:
        if self.record.shard is None:
            return self.folder / manifest.MANIFEST_NAME
        return manifest.shard_manifest_path(self.folder, self.record.shard)

    def resume_command(self) -> str:
        shard = f" --shard {self.record.shard}" if self.record.shard else ""
        return f"ringsim run --resume --out {shlex.quote(str(self.shown))}{shard}"


class _Progress:
    """One bar on a terminal, a plain line now and then elsewhere, nothing when quiet; always on stderr."""

    def __init__(self, deals: int, done: int, won: int, quiet: bool) -> None:
        self.deals = deals
        self.initial = self.done = done
        self.quiet = quiet
        self.started = self.last = time.perf_counter()
        self.bar: tqdm[Any] | None = None
        if not quiet and sys.stderr.isatty():
            self.bar = tqdm(total=deals, initial=done, unit=" deals", unit_scale=True, dynamic_ncols=True, file=sys.stderr)
            self.show(won)

    def extend(self, deals: int) -> None:
        """Take up that so many deals are to be played in all."""
        self.deals = deals
        if self.bar is not None:
            self.bar.total = deals

    def advance(self, deals: int, won: int) -> None:
        self.done += deals
        if self.bar is not None:
            self.bar.update(deals)
            self.show(won)
        elif not self.quiet and time.perf_counter() - self.last >= _LINE_SECONDS:
            self.last = time.perf_counter()
            rate = (self.done - self.initial) / (self.last - self.started)
            print(
                f"{self.done:_} of {self.deals:_} deals ({self.done / self.deals:.0%}), {rate:_.0f} deals/s, "
                f"won {won / self.done:.1%}",
                file=sys.stderr,
                flush=True,
            )

    def show(self, won: int) -> None:
        if self.bar is not None and self.done:
            self.bar.set_postfix_str(f"won {won / self.done:.1%}")

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


_Object = TypeVar("_Object")

_open: tuple[_Job, Simulate] | None = None  # a worker's own copy of the job, set once by _open_job


def _open_job(job: _Job) -> None:
    """Keep the job in this process, so that a task need only name a chunk."""
    global _open
    _open = job, _simulate_function(job.simulate)


def _write_chunk_of_open_job(task: ChunkTask) -> ChunkResult:
    assert _open is not None
    return _write(_open[0], _open[1], task)


def _frames_of_open_job(task: ChunkTask) -> tuple[pl.DataFrame, pl.DataFrame]:
    assert _open is not None
    return _play(_open[0], _open[1], task)


def _write_chunk(job: _Job, task: ChunkTask) -> ChunkResult:
    """The same on a worker that has no state of its own (Dask)."""
    result = _write(job, _simulate_function(job.simulate), task)
    return ChunkResult(result.rows, result.won, 0, None, result.tried)  # memory elsewhere is not this machine's


def _write(job: _Job, simulate: Simulate, task: ChunkTask) -> ChunkResult:
    assert job.folder is not None
    rounds, goals = _play(job, simulate, task)
    cell = job.spec.cells[task.cell]
    # Goals last: a chunk counts as done once both parts are whole.
    dataset.write_part(rounds, dataset.part_path(job.folder, "rounds", *cell.key, task.first_deal))
    dataset.write_part(goals, dataset.part_path(job.folder, "goals", *cell.key, task.first_deal))
    rows, won = rounds.height + goals.height, dataset.won_deals(rounds)
    return ChunkResult(rows, won, os.getpid(), manifest.peak_memory_mib(), dataset.tried_deals(rounds))


def _play(job: _Job, simulate: Simulate, task: ChunkTask) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Play a chunk in a few calls: a Ctrl-C is heard between them only."""
    cell = job.spec.cells[task.cell]
    step = max(1, -(-cell.chunk // _BLOCKS))
    pairs = [
        simulate(cell, job.spec.seed, first, min(step, task.first_deal + task.count - first), job.spec.stop)
        for first in range(task.first_deal, task.first_deal + task.count, step)
    ]
    rounds, goals = pl.concat([pair[0] for pair in pairs]), pl.concat([pair[1] for pair in pairs])
    expected = dataset.rounds_schema(tries="tries" in rounds.columns, open="open" in rounds.columns)
    for frame, schema in ((rounds, expected), (goals, dataset.GOALS_SCHEMA)):
        if frame.schema != schema:
            raise TypeError(f"{job.simulate} returned {frame.schema}, not {schema}")
    return rounds, goals


def _simulate_function(path: str) -> Simulate:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _prepare(job: _Job) -> None:
    """Let the engine compile once, here, rather than in every worker at the same time."""
    prepare = getattr(importlib.import_module(job.simulate.partition(":")[0]), "prepare", None)
    if prepare is not None:
        prepare(job.spec.cells)


def _workers_for(spec: RunSpec, tasks: Sequence[ChunkTask], workers: int | None) -> int:
    """Return how many processes to start: one (none besides this) for a small run unless told otherwise."""
    if workers is None:
        full_chunks = sum(task.count / spec.cells[task.cell].chunk for task in tasks)
        workers = 1 if full_chunks <= _SMALL_RUN else usable_cpus()
    return min(workers, len(tasks))


def _tasks_between(cell: int, first: int, end: int, chunk: int) -> Iterator[ChunkTask]:
    """Yield the chunks of a cell's deals first .. end - 1; `first` begins a chunk, or there are none."""
    for start in range(first, end, chunk):
        yield ChunkTask(cell, start, min(chunk, end - start))


def _halfwidth_text(rule: Precision | None) -> str:
    return "none" if rule is None else f"{100 * rule.halfwidth:g}%"


def _chunks(spec: RunSpec) -> int:
    return -(-spec.deals // spec.chunk)


def _shard_text(shard: tuple[int, int] | None) -> str | None:
    return None if shard is None else f"{shard[0]}/{shard[1]}"


def _record_of(cell: Cell, parts: int) -> CellRecord:
    return CellRecord(
        chapter=cell.chapter,
        title=cell.title,
        players=cell.players,
        policy=cell.policy,
        policy_version=cell.policy_version,
        weights=cell.weights,
        scenario_hash=cell.scenario_hash,
        assumptions=dict(cell.assumptions),
        based_on=cell.based_on,
        playouts=cell.playouts,
        inference=cell.inference,
        retry=cell.retry,
        attempts=cell.attempts,
        where=cell.where,
        tries=cell.tries,
        chance=cell.chance,
        after_setup=cell.after_setup,
        parts=parts,
    )


def _cell_name(cell: CellRecord) -> str:
    return f"chapter {cell.chapter} with {cell.players} players and {cell.policy}"
