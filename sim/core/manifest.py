"""The manifest of a run: what was asked for, with what, how far it came, what it cost."""

from __future__ import annotations

import errno
import importlib.metadata
import os
import platform
import secrets
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from scenarios.errors import UserError
from sim.core.precision import Precision

SCHEMA_VERSION = 2
"""2: rounds and goals have a column `attempt`."""
MANIFEST_NAME = "manifest.json"
SHARDS_FOLDER = "shards"

Status = Literal["running", "complete", "interrupted", "failed"]


class CellRecord(msgspec.Struct, kw_only=True):
    """One cell of the run's matrix and how far it came (counts in parts and deals)."""

    chapter: str
    title: str
    players: int
    policy: str
    policy_version: int
    weights: str = ""
    """Fingerprint of weights that are not those shipped."""
    scenario_hash: str
    assumptions: dict[str, str]
    based_on: str = ""
    """The chapter that a user's scenario file says it is a version of."""
    playouts: int = 0
    """Worlds a decision, for policies that sample them."""
    inference: str = ""
    """Whether such a policy weighs worlds by the others' choices: on or off; empty for the others."""
    retry: str = "none"
    """What follows a lost attempt: none, fresh or keep."""
    attempts: int = 1
    """Attempts at a deal at most."""
    where: str = ""
    """What every round's deal fits (docs/conditions.md)."""
    tries: int = 0
    """Deals tried for one that fits, at most."""
    chance: float | None = None
    """Of a condition: the share of all deals in the part of it that is dealt outright, 1 when there is none; null where rounds of
    several kinds differ."""
    after_setup: bool = False
    """Of a condition: whether it depends on what was decided in setup, so that policies play different deals of one number."""
    parts: int
    done: int = 0
    deals_done: int = 0
    won: int = 0
    dealt: int = 0
    """Of a condition: rounds dealt."""
    tried: int = 0
    """Of a condition: deals tried for them. `dealt / tried` is the share of accepted deals."""
    halfwidth: float | None = None
    """Reached half-width of the win rate's interval, in a complete run that went on until a wanted one (`Manifest.precision`)."""


class Request(msgspec.Struct, kw_only=True):
    """What the user asked for in words; lets ``--resume`` rebuild the cells from the folder alone."""

    chapters: list[str]
    players: list[int]
    policies: list[str]
    assume: dict[str, str] = {}
    playouts: int = 0
    inference: str = ""
    retry: str = ""
    attempts: int = 0
    where: str = ""
    tries: int = 0


class Environment(msgspec.Struct, kw_only=True):
    """Versions of what computed the run (None: not installed)."""

    python: str
    numpy: str | None
    numba: str | None
    polars: str | None
    platform: str
    cpus: int


class Manifest(msgspec.Struct, kw_only=True):
    """A run's manifest.json. `peak_memory_mib` sums the peaks of all processes of this machine."""

    schema_version: int = SCHEMA_VERSION
    ringsim: str
    deal_format: int
    kind: Literal["run"] = "run"
    status: Status
    created: str
    command: list[str]
    request: Request | None = None
    seed: str
    deals: int
    precision: Precision | None = None
    """The rule by which cells end, `deals` being the most of each; None: every cell has all `deals`."""
    chunk: int
    stop: Literal["full", "early"]
    shard: str | None
    cells: list[CellRecord]
    environment: Environment
    seconds: float = 0.0
    peak_memory_mib: float | None = None


def ringsim_version() -> str:
    """Return the version of the installed package, ``0+unknown`` when run from a bare checkout."""
    return _version("ringsim") or "0+unknown"


def current_environment() -> Environment:
    """Return the versions in use, read without importing the packages."""
    return Environment(
        python=platform.python_version(),
        numpy=_version("numpy"),
        numba=_version("numba"),
        polars=_version("polars"),
        platform=platform.platform(),
        cpus=os.cpu_count() or 1,
    )


def now_iso() -> str:
    """Return the present time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def peak_memory_mib() -> float | None:
    """Return the largest resident memory this process has had, in MiB; None where it cannot be known."""
    # Linux first by /proc: ru_maxrss of a spawned process starts at its parent's size.
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def write_manifest(manifest: Manifest, path: Path) -> None:
    """Write the manifest to `path` in one step; raises UserError when it cannot be written."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; raises UserError when it is missing, damaged or of a newer schema."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {_reason(error)}") from error
    try:
        version = msgspec.json.decode(data, type=_Versioned).schema_version
        if version > SCHEMA_VERSION:
            raise UserError(f"{path}: schema_version {version} is newer than this ringsim reads ({SCHEMA_VERSION})")
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise UserError(f"{path}: not a ringsim manifest ({error})") from error


def write_shard_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest of one shard and bring the folder's manifest.json up to date.

    Shards of one run may share a folder. Each owns a file below shards/ and manifest.json is their sum.
    No lock is needed: whoever wrote manifest.json last looks at the shards once more afterwards.
    """
    assert manifest.shard is not None
    own = shard_manifest_path(folder, manifest.shard)
    try:
        own.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise write_error(own.parent, error) from error
    write_manifest(manifest, own)
    seen = read_shards(folder)
    while True:
        write_manifest(merge_shards(seen), folder / MANIFEST_NAME)
        again = read_shards(folder)
        if again == seen:
            return
        seen = again


def shard_manifest_path(folder: Path, shard: str) -> Path:
    """Return where the manifest of shard ``i/n`` lies."""
    return folder / SHARDS_FOLDER / f"{shard.replace('/', '-of-')}.json"


def read_shards(folder: Path) -> list[Manifest]:
    """Return the manifests of the shards that write into `folder`, by shard number; empty without shards."""
    shards = [read_manifest(path) for path in (folder / SHARDS_FOLDER).glob("*-of-*.json")]
    return sorted(shards, key=lambda shard: int((shard.shard or "0/0").split("/")[0]))


def merge_shards(shards: Sequence[Manifest]) -> Manifest:
    """Return one manifest for the shards given: parts, deals and wins are sums, `shard` lists who is in.

    `shard` is None once all are in. Seconds are summed, peak memory is the largest.
    """
    merged = msgspec.convert(msgspec.to_builtins(shards[0]), type=Manifest)
    totals = {(cell.chapter, cell.players, cell.policy): cell for cell in merged.cells}
    for shard in shards[1:]:
        merged.seconds += shard.seconds
        for cell in shard.cells:
            total = totals[cell.chapter, cell.players, cell.policy]
            total.parts += cell.parts
            total.done += cell.done
            total.deals_done += cell.deals_done
            total.won += cell.won
            total.dealt += cell.dealt
            total.tried += cell.tried
    merged.created = min(shard.created for shard in shards)
    peaks = [shard.peak_memory_mib for shard in shards if shard.peak_memory_mib is not None]
    merged.peak_memory_mib = max(peaks, default=None)
    states = {shard.status for shard in shards}
    order: tuple[Status, ...] = ("running", "failed", "interrupted", "complete")
    merged.status = next(status for status in order if status in states)
    numbers = [(shard.shard or "").split("/")[0] for shard in shards]
    of = int((shards[0].shard or "0/0").split("/")[1])
    merged.shard = None if len(shards) == of else f"{','.join(numbers)}/{of}"
    return merged


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path` by way of a temporary file beside it: readers see all of it or nothing.

    Raises UserError naming `path` when the disk is full, the folder is read-only and the like; the
    temporary file is removed then.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(3)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            # The content must be on disk before the name is: a crash then costs the file, never its truth.
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except BaseException as error:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        if isinstance(error, OSError):
            raise write_error(path, error) from error
        raise


def write_error(path: Path, error: OSError) -> UserError:
    """Return the line for the user when `path` could not be written."""
    hints = {
        errno.ENOSPC: "; free some space, then complete the run with --resume",
        errno.EDQUOT: "; free some space, then complete the run with --resume",
        errno.EROFS: "; choose another --out",
        errno.EACCES: "; choose another --out",
        errno.EPERM: "; choose another --out",
    }
    return UserError(f"cannot write {path}: {_reason(error)}{hints.get(error.errno or 0, '')}")


class _Versioned(msgspec.Struct):
    schema_version: int


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
