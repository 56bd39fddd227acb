"""How kernels are compiled: the one place for njit options, typed constants and bit intrinsics.

Every kernel is plain Python under NUMBA_DISABLE_JIT=1. Import this module before numba, so that the
kernel cache lies where it is looked for: in a folder of the user's cache named after a hash of all kernel
sources, because Numba's own cache does not notice edits in other files (numba #1833).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sim.core.messages import is_silent, say

SOURCES = Path(__file__).resolve().parents[1]


def kernel_hash() -> str:
    """Return 16 hex digits that change with any source of kernels or record types, and with the versions of Python and NumPy."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {np.__version__}".encode())
    for path in sorted(SOURCES.rglob("*.py")):
        source = path.read_bytes()
        if b"sim.core.jit" in source or b"np.dtype(" in source or path == Path(__file__).resolve():
            digest.update(path.relative_to(SOURCES).as_posix().encode())
            digest.update(source)
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Return the folder that holds the kernel caches of all versions."""
    import platformdirs

    return Path(os.environ.get("RINGSIM_CACHE_DIR") or platformdirs.user_cache_dir("ringsim")) / "kernels"


def _cache_folder() -> Path | None:
    folder = cache_root() / kernel_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        say(
            f"ringsim: the kernel cache {folder} cannot be written ({error.strerror}); compiling anew in every run "
            "(set RINGSIM_CACHE_DIR to a folder that can)"
        )
        return None
    return folder


CACHE_FOLDER = _cache_folder()
if CACHE_FOLDER is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)

from numba import config, njit, types  # noqa: E402
from numba.core.caching import IndexDataCacheFile  # noqa: E402
from numba.extending import intrinsic  # noqa: E402

COMPILED = not getattr(config, "DISABLE_JIT", 0)
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": CACHE_FOLDER is not None}


class SharedCacheFile(IndexDataCacheFile):
    """A kernel's cache that several processes may write to: Numba chooses a file's number before it writes the index."""

    def save(self, key: Any, data: Any) -> None:
        from filelock import FileLock

        with FileLock(Path(self._cache_path) / ".lock"):
            super().save(key, data)


def _decorator(**options: Any) -> Callable[[Any], Any]:
    compile_lazily = njit(**_OPTIONS, **options)

    def decorate(function: Any) -> Any:
        dispatcher = compile_lazily(function)
        if COMPILED:
            find = dispatcher.get_call_template
            # A constant as an argument is no reason to compile a kernel once more: its type is what counts.
            dispatcher.get_call_template = lambda args, kws: find(
                [types.unliteral(kind) for kind in args], {name: types.unliteral(kind) for name, kind in kws.items()}
            )
            if CACHE_FOLDER is not None:
                dispatcher._cache._cache_file.__class__ = SharedCacheFile
        return dispatcher

    return decorate


kernel = _decorator()
"""Decorator of every kernel."""
inlined = _decorator(forceinline=True)
"""Decorator of the small kernels on the hot path: LLVM inlines them into their callers."""
merged = njit(inline="always", **_OPTIONS)
"""Decorator of kernels with few callers that are large by what they call: compiled as a part of these and not by themselves,
since every kernel that is compiled takes the machine code of all that it calls through the optimiser again."""

ZERO = np.uint64(0)
ONE = np.uint64(1)
LOW32 = np.uint64(0xFFFFFFFF)
THIRTY_TWO = np.uint64(32)


def is_warm(part: str = "complete") -> bool:
    """Return whether this version's kernels (or those of a `part`) were compiled before (False when there is no cache)."""
    return CACHE_FOLDER is not None and (CACHE_FOLDER / part).exists()


def mark_warm(part: str = "complete") -> None:
    """Note in the cache folder that every kernel of this version (or of a `part`) has been compiled."""
    if CACHE_FOLDER is not None:
        (CACHE_FOLDER / part).touch()


@contextlib.contextmanager
def compiling(cold: bool, what: str = "the engine") -> Iterator[None]:
    """Tell on stderr, while the body runs, that kernels are compiled and how long it takes (nothing when not cold, or silent)."""
    if not cold or not COMPILED or is_silent():
        yield
        return
    began = time.perf_counter()
    done = threading.Event()

    def tick() -> None:
        while not done.wait(1.0):
            print(f"\r{line} {time.perf_counter() - began:3.0f} s", end="", file=sys.stderr, flush=True)

    line = f"compiling {what}, once per version ..."
    watch = threading.Thread(target=tick, daemon=True) if sys.stderr.isatty() else None
    print(line, end="" if watch else "\n", file=sys.stderr, flush=True)
    if watch:
        watch.start()
    try:
        yield
    finally:
        done.set()
        if watch:
            watch.join()
            print(file=sys.stderr)
    print(f"compiled in {time.perf_counter() - began:.0f} s", file=sys.stderr)


_trailing_zeros: Any
_leading_zeros: Any
_popcount: Any
_multiply_high: Any
call_far: Any
FAR: dict[int, Any] = {}
"""Kernels that are called through their address, by number (`far`)."""

if COMPILED:

    @intrinsic
    def compiled_call_far(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir
            from numba.core import cgutils

            kinds = [context.get_value_type(kind) for kind in signature.args[1]]
            function = ir.FunctionType(context.get_value_type(types.int64), kinds)
            pointer = builder.inttoptr(args[0], function.as_pointer())
            return builder.call(pointer, cgutils.unpack_tuple(builder, args[1]))

        return types.int64(address, arguments), codegen

    call_far = compiled_call_far

    @intrinsic
    def compiled_trailing_zeros(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), codegen

    @intrinsic
    def compiled_leading_zeros(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), codegen

    @intrinsic
    def compiled_popcount(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def compiled_multiply_high(typingctx: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            wide = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), codegen

    _trailing_zeros, _leading_zeros = compiled_trailing_zeros, compiled_leading_zeros
    _popcount, _multiply_high = compiled_popcount, compiled_multiply_high

else:

    def plain_call_far(address: Any, arguments: Any) -> int:
        return int(FAR[int(address)](*arguments))

    call_far = plain_call_far

    def plain_trailing_zeros(mask: Any) -> int:
        return (int(mask) & -int(mask)).bit_length() - 1

    def plain_leading_zeros(mask: Any) -> int:
        return 64 - int(mask).bit_length()

    def plain_popcount(mask: Any) -> int:
        return int(mask).bit_count()

    def plain_multiply_high(a: Any, b: Any) -> Any:
        return np.uint64((int(a) * int(b)) >> 64)

    _trailing_zeros, _leading_zeros = plain_trailing_zeros, plain_leading_zeros
    _popcount, _multiply_high = plain_popcount, plain_multiply_high


PINNED: dict[int, Any] = {}
"""Records that kernels find by their address, kept for the life of the process."""


def pinned(record: Any) -> int:
    """Return the address of a record (`np.zeros(1, dtype).view(np.recarray)[0]`) for kernels, which read it with `at_address`."""
    address = int(record.__array_interface__["data"][0])
    PINNED[address] = record
    return address


def at_address(dtype: np.dtype) -> Any:
    """Return a function for kernels: from an address that `pinned` returned to the record of `dtype` there.

    A large record that few rounds need so costs the others one number in a record that they have anyway.
    """
    if not COMPILED:
        return lambda address: PINNED[int(address)]
    from numba import from_dtype

    kind = from_dtype(dtype)

    @intrinsic
    def compiled_at_address(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), codegen

    return compiled_at_address


def far(number: int, function: Any) -> None:
    """Let a kernel that returns an int64 be called as `call_far(address_of(number, ...), (argument, ...))`.

    LLVM optimises each caller again with all that it calls by name. A kernel that is called rarely, or is large, is compiled
    once when it is called through its address. (Plain Python calls the function with that number.)
    """
    FAR[number] = function


def address_of(number: int, *arguments: Any) -> int:
    """Return what `call_far` needs to call a kernel whose arguments are of the types `arguments`, compiling or loading it."""
    function = FAR[number]
    if not COMPILED:
        return number
    function.compile(tuple(arguments))
    result = function.overloads[tuple(arguments)]
    if types.unliteral(result.signature.return_type) != types.int64:
        told = result.signature.return_type
        raise TypeError(f"{function.py_func.__name__} returns {told}; a far kernel returns int64")
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


@inlined
def lowest(mask):
    """Return the slot of the lowest card of `mask` (uint64, not 0)."""
    return _trailing_zeros(mask)


@inlined
def highest(mask):
    """Return the slot of the highest card of `mask` (uint64, not 0)."""
    return 63 - _leading_zeros(mask)


@inlined
def count(mask):
    """Return the number of cards in `mask` (uint64)."""
    return _popcount(mask)


@inlined
def multiply_high(a, b):
    """Return the upper 64 bits of the product of two uint64."""
    return _multiply_high(a, b)


@inlined
def bit(slot):
    """Return the card `slot` (0 to 63) as a mask."""
    return ONE << np.uint64(slot)


@inlined
def nth(mask, n):
    """Return the slot of the n-th lowest card (from 0) of `mask`; n must be below its count."""
    for _ in range(n):
        mask &= mask - ONE
    return _trailing_zeros(mask)
