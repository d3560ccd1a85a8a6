"""Compiled kernels that come with a wheel, put into the cache folder at first use, so that nobody waits for them.

    plant(cache_folder())                                   # called by jit.py when there is no cache folder yet
    python -m crossbow.seeds CACHE OUT                      # called by `make wheel`: pack what `crossbow warm` compiled

A seed is what Numba itself wrote into a cache folder, compiled for x86-64-v3, which most machines of the last ten years
understand. It is taken only if the folder would have the same name (the same Numba, sources and bounds checks), and
Python, system and processor fit; anything else is compiled as usual. Numba's index files name the processor that they
were made for, so they are rewritten with the name of this one. Numba will read them as pickles: only an archive
inside this package is opened, and only if it has the digest that was written down beside it when the wheel was built.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import pickle
import pickletools
import platform
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
SEEDS = PACKAGE / "compiled"
ARCHIVE, RECORD = "kernels.zip", "kernels.json"
CPU = "x86-64-v3"
FEATURES = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
            "sse4.2", "ssse3", "xsave")  # what that level means
FLAGS = ",".join(f"+{name}" for name in FEATURES)  # as Numba is told
EPOCH = (1980, 1, 1, 0, 0, 0)  # of files in the archive, so that the same files make the same archive


def environment(folder: Path) -> dict[str, str]:
    """What must be the same where seeds are made and where they are used. The folder's name stands for the sources."""
    return {"folder": folder.name, "python": sys.implementation.cache_tag or "", "abi": getattr(sys, "abiflags", ""),
            "system": f"{platform.system()} {platform.machine()}", "bits": str(sys.maxsize.bit_length() + 1)}


def plant(folder: Path, seeds: Path = SEEDS) -> bool:
    """Fill a cache folder that is not there yet, if there are seeds that fit; whatever is wrong, there are none."""
    if folder.exists() or not (seeds / RECORD).is_file():
        return False
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        record = json.loads((seeds / RECORD).read_text("utf8"))
        data = (seeds / ARCHIVE).read_bytes()
        if record["environment"] != environment(folder) or not _host_understands():
            return False
        if hashlib.sha256(data).hexdigest() != record["sha256"]:
            return False
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                place = fresh / cache_name(PACKAGE / Path(name).parent) / Path(name).name
                place.parent.mkdir(parents=True, exist_ok=True)
                content = archive.read(name)
                place.write_bytes(for_this_host(content) if name.endswith(".nbi") else content)
        fresh.rename(folder)
        return True
    except Exception:  # a full disk, no permission, the format of another version: then kernels are compiled
        return False
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def cache_name(folder: Path) -> str:
    """What Numba calls the folder in which it caches kernels of a folder of sources."""
    from numba.core.caching import UserProvidedCacheLocator

    return str(UserProvidedCacheLocator.get_suitable_cache_subpath(str(folder / "any.py")))


def for_this_host(index: bytes) -> bytes:
    """One of Numba's index files, with this host's processor in place of the one that it was made for.

    It is a pickle, and is not loaded here: types of our own in it would import half of the package. The two strings are
    replaced where they stand. Frames, which state lengths, may be left out of a pickle.
    """
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    wanted, version = {CPU: name, FLAGS: features}, io.BytesIO(index)
    for _ in pickletools.genops(version):
        pass  # the first of two pickles is Numba's version
    head, rest = index[: version.tell()], index[version.tell() :]
    steps = list(pickletools.genops(rest))
    parts, replaced = [head], set()
    for (step, value, start), end in zip(steps, [*(at for _, _, at in steps[1:]), len(rest)]):
        if step.name == "FRAME":
            continue
        if step.name.endswith("BINUNICODE") and value in wanted:
            text = wanted[value].encode()
            parts.append(pickle.BINUNICODE + len(text).to_bytes(4, "little") + text)
            replaced.add(value)
        else:
            parts.append(rest[start:end])
    if replaced != wanted.keys():
        raise ValueError("made for another processor than it should be")
    return b"".join(parts)


def _host_understands() -> bool:
    """Whether the processor has everything that seeds may use, and nobody asked for another one."""
    import llvmlite.binding as llvm
    from numba.core import config

    settings: Any = config
    if settings.CPU_NAME or settings.CPU_FEATURES:
        return False
    features = llvm.get_host_cpu_features()
    return all(features.get(name) for name in FEATURES)


def pack(folder: Path, out: Path) -> int:
    """Make seeds of a cache folder; returns how many kernels they hold."""
    names = {cache_name(place): place for place in {path.parent for path in PACKAGE.rglob("*.py")}}
    files = sorted((names[file.parent.name].relative_to(PACKAGE) / file.name, file)
                   for file in folder.rglob("*.nb[ic]"))
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out / ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in files:
            archive.writestr(zipfile.ZipInfo(name.as_posix(), EPOCH), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    digest = hashlib.sha256((out / ARCHIVE).read_bytes()).hexdigest()
    record = {"environment": environment(folder), "sha256": digest}
    (out / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf8")
    return sum(file.suffix == ".nbi" for _, file in files)


if __name__ == "__main__":
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(sys.argv[2])
    print(f"{pack(next(Path(sys.argv[1]).glob('kernels-*')), Path(sys.argv[2]))} kernels packed")
