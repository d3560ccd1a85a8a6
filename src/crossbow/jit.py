"""The four decorators all numeric code uses, and the folder where compiled kernels are kept.

    from crossbow.jit import AHEAD, helper, kernel, loop, maker, prefetch

Kernels are what Python calls: compiled on first use, cached on disk, run without the GIL. Helpers are what only kernels
call: always inlined. Numba counts references to arrays, also to a row of one and to a field of a named tuple, and by
atomic operations, which took almost half of the time that decoding took. So it counts only where it must:

                                              called by Python or kernels    inlined into kernels
    makes no arrays and returns none          loop                           helper
    may make arrays and return them           kernel                         maker

What runs often belongs in the first row. It does not compile if it makes an array or returns one.

Numba does not notice an edit in a callee of another file, nor a change of the bounds-check flag. So the cache folder
is named by a digest of that flag and of this package's sources, wherever a folder has kernels: constants of the files
beside them are compiled in too.

Compiling takes about a minute in all, so a wheel brings compiled kernels (seeds.py), and a program can ask to be told
when a kernel is compiled (compiling.py).
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from llvmlite import ir
from numba.core import config, event, types
from numba.extending import intrinsic
from numba.np import arrayobj

from crossbow.compiling import tell
from crossbow.seeds import plant

HAS_KERNELS = re.compile(rb"from crossbow\.jit import .*(helper|kernel|loop|maker)\b")
numba_config: Any = config  # its settings are made at run time, so a type checker cannot know them


def kernel_sources(package: Path) -> list[Path]:
    """This file, and all files of the package's folders in which any has kernels or helpers."""
    folders = {path.parent for path in package.rglob("*.py") if HAS_KERNELS.search(path.read_bytes())}
    return sorted({package / "jit.py", *(path for f in folders - {package} for path in f.glob("*.py"))})


def cache_folder() -> Path:
    """Where compiled kernels live: in $CROSSBOW_CACHE or the user's cache folder, named by their sources' digest."""
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {numba_config.BOUNDSCHECK}".encode())
    for path in kernel_sources(package):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    base = os.environ.get("CROSSBOW_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crossbow"
    return root / f"kernels-{digest.hexdigest()[:16]}"


def anything_cached() -> bool:
    """Whether the cache folder has any kernel yet."""
    return any(Path(numba_config.CACHE_DIR).rglob("*.nbi"))


class _Watch(event.Listener):
    """Tells which kernel is being compiled. Its callees are compiled meanwhile, as parts of it.

    Numba compiles under a lock, so there is one at a time. What it loads from a cache is no event.
    """

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: event.Event) -> None:
        if self.depth == 0:
            tell(event.data["dispatcher"].py_func.__name__)
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            tell(None)
        check_returns(event.data["dispatcher"])


def check_returns(function: Any) -> None:
    """Raise an error if a function that counts no references returns arrays among others, where Numba does not look."""
    if function.targetoptions.get("_nrt") is False:
        parts = [part for made in function.nopython_signatures for part in getattr(made.return_type, "types", ())]
        if any(isinstance(part, numba.types.Array) for part in parts):
            raise TypeError(f"{function.py_func.__name__} returns an array; make it a kernel or a maker")


numba_config.CACHE_DIR = str(cache_folder())
plant(Path(numba_config.CACHE_DIR))
event.register("numba:compile", _Watch())

AHEAD = 12  # how many steps ahead a walk asks for an entry, see `prefetch`
kernel = numba.njit(cache=True, nogil=True)
maker = numba.njit(forceinline=True)
if TYPE_CHECKING:  # Numba's types do not know the option that turns counting off
    loop, helper = kernel, maker
else:
    loop = numba.njit(cache=True, nogil=True, _nrt=False)
    helper = numba.njit(forceinline=True, _nrt=False)


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Have an entry of an array of one dimension fetched from memory while other work is done.

    It is meant for walks over places that are spread over a large array. A walk that asks for the place AHEAD steps
    later waits for only half of the places.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, integer = signature.args
        view = arrayobj.make_array(kind)(context, builder, arguments[0])
        place = context.cast(builder, arguments[1], integer, types.intp)
        address = builder.bitcast(builder.gep(view.data, [place]), ir.IntType(8).as_pointer())
        i32 = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [address.type], ir.FunctionType(ir.VoidType(), [address.type, i32, i32, i32]))
        builder.call(function, [address, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate


if TYPE_CHECKING:
    def prefetch(array: Any, index: Any) -> None: ...
else:
    prefetch = intrinsic(_prefetch)
