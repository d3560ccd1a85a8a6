"""Compiled kernels that travel: they are used where they fit, give the same bits, and are ignored everywhere else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crossbow import seeds
from crossbow.datasets.demo.load import documents
from crossbow.index import build
from crossbow.records import write_lines
from crossbow.text.analyzer import Analyzer, Settings

SMALL = """
import math
from typing import NamedTuple
import numpy as np
from crossbow.jit import helper, kernel

class Column(NamedTuple):  # a type of our own: reading it back would import this file
    values: np.ndarray

@helper
def bent(x):
    return math.exp(-x) * math.log1p(x)

@kernel
def total(column):
    found = 0.0
    for value in column.values:
        found += bent(value) * value
    return found
"""
RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from crossbow import seeds
from crossbow.compiling import listening
from crossbow.jit import cache_folder
seeds.PACKAGE = Path(sys.argv[1])
if sys.argv[2] == "plant":
    print(seeds.plant(cache_folder(), Path(sys.argv[3])))
with listening(lambda name: name and print("compiled", name)):
    import numpy as np
    import small
    print(small.total(small.Column(np.linspace(0, 1, 1001))).hex())
if sys.argv[2] == "pack":
    print(seeds.pack(cache_folder(), Path(sys.argv[3])))
"""

REAL = """
import sys
from pathlib import Path
from crossbow import seeds
from crossbow.compiling import listening
from crossbow.jit import cache_folder
place, task, packed = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
if task == "plant":
    assert seeds.plant(cache_folder(), packed)
compiled = []
with listening(lambda name: name and compiled.append(name)):
    import numpy as np
    from crossbow.forest.infer import edge_uses
    from crossbow.forest.nbest import read_nbest
    from crossbow.index import Index
    from crossbow.ranking.bm25 import Bm25
    from crossbow.ranking.forced.cascade import _bound_all
    from crossbow.ranking.forced.query import ForcedQuery
    index, (forest,) = Index.load(place / "index"), read_nbest(place / "lists")
    query = ForcedQuery(forest, index, bm25=Bm25())
    part, program = query.parts[0], query.exact._replace(cost=query.exact.cost.astype(np.float32))
    bounds, found = np.zeros(len(part.norm), np.float32), np.zeros(len(part.norm), np.bool_)
    _bound_all(part.begin, part.end, part.docs, part.saturation, query.weight, *program, bounds, found)
    results = {"saturations": part.saturation[part.begin[0] : part.end[0]], "uses of edges": edge_uses(forest),
               "gains": query.gains(range(len(index))), "bounds": bounds}
print(*sorted(compiled))
for name, values in results.items():
    assert len(np.unique(values)) > 1, name
    print(name, values.tobytes().hex())
if task == "pack":
    print(seeds.pack(cache_folder(), packed))
"""
LISTS = ["q ||| the band is playing in the house by the water ||| ||| -0.9",
         "q ||| the chapel plays at the old house ||| ||| -0.4", "q ||| the music of the chapel ||| ||| -1.7"]
FOR_SEEDS = {"NUMBA_CPU_NAME": seeds.CPU, "NUMBA_CPU_FEATURES": seeds.FLAGS}


def run(place: Path, task: str, cache: str, program: str = RUN, **environment: str) -> list[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run([sys.executable, "-c", program, place, task, place / "seeds"], capture_output=True, text=True,
                          check=True, env={**plain, "CROSSBOW_CACHE": str(place / cache), **environment})
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a kernel, and seeds of it for another processor than this one."""
    if not seeds._host_understands():
        pytest.skip("SEEDS WERE NOT TESTED: this processor is older than x86-64-v3")
    folder = tmp_path_factory.mktemp("seeds")
    (folder / "small.py").write_text(SMALL)
    packed = run(folder, "pack", "built", **FOR_SEEDS)
    assert (packed[0], packed[2]) == ("compiled total", "1")
    return folder


def test_planted_kernels_need_no_compiling_and_give_the_same_bits(place: Path) -> None:
    compiled = run(place, "nothing", "compiled-here")
    assert compiled[0] == "compiled total"
    assert run(place, "plant", "planted") == ["True", compiled[1]]
    assert run(place, "plant", "planted") == ["False", compiled[1]]  # the folder is there now
    assert [path.name for path in (place / "planted").iterdir() if path.name.startswith(".")] == []


def test_our_own_kernels_give_the_same_bits(tmp_path: Path) -> None:
    """Kernels of BM25, of forests (with exponentials and logarithms) and of forced decoding, in float64 and in float32:
    compiled for x86-64-v3 and planted, or compiled for this processor, they give the same bits, not just nearly."""
    if not seeds._host_understands():
        pytest.skip("SEEDS WERE NOT TESTED: this processor is older than x86-64-v3")
    build(tmp_path / "index", documents(), Analyzer(Settings("en")), workers=1)
    write_lines(tmp_path / "lists", LISTS)
    *packed, count = run(tmp_path, "pack", "built", REAL, **FOR_SEEDS)
    names = packed[0].split()
    assert {"_saturate", "inside_scores", "_run_exact", "_bound_all"} <= set(names)
    assert int(count) == len(names)
    planted, compiled = run(tmp_path, "plant", "planted", REAL), run(tmp_path, "nothing", "compiled-here", REAL)
    assert (planted[0], compiled[0]) == ("", packed[0])  # with seeds nothing was compiled
    assert planted[1:] == compiled[1:] == packed[1:]


def change_record(folder: Path, **changes: object) -> None:
    record = json.loads((folder / seeds.RECORD).read_text())
    (folder / seeds.RECORD).write_text(json.dumps({**record, **changes}))


def flip(folder: Path) -> None:
    data = bytearray((folder / seeds.ARCHIVE).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / seeds.ARCHIVE).write_bytes(data)


HARMED: dict[str, Callable[[Path], object]] = {
    "damaged": flip,
    "truncated": lambda folder: (folder / seeds.ARCHIVE).write_bytes((folder / seeds.ARCHIVE).read_bytes()[:-9]),
    "missing": lambda folder: (folder / seeds.ARCHIVE).unlink(),
    "of another digest": lambda folder: change_record(folder, sha256="0" * 64),
    "of other sources": lambda folder: change_record(folder, environment={"folder": "kernels-0"}),
    "without a record": lambda folder: (folder / seeds.RECORD).unlink(),
    "with a broken record": lambda folder: (folder / seeds.RECORD).write_text("{"),
}


@pytest.mark.parametrize("name", HARMED)
def test_what_does_not_fit_is_ignored(place: Path, tmp_path: Path, name: str) -> None:
    """Nothing is planted, so kernels are compiled as ever."""
    folder = tmp_path / "seeds"
    folder.mkdir()
    for file in (place / "seeds").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    cache = tmp_path / json.loads((folder / seeds.RECORD).read_text())["environment"]["folder"]
    HARMED[name](folder)
    assert not seeds.plant(cache, folder)
    assert not cache.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["seeds"]


def test_another_processor_compiles(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / json.loads((place / "seeds" / seeds.RECORD).read_text())["environment"]["folder"]
    monkeypatch.setattr(seeds, "FEATURES", ("avx2", "a feature of the future"))
    assert not seeds.plant(cache, place / "seeds")
    monkeypatch.undo()
    monkeypatch.setattr("numba.config.CPU_NAME", "generic")
    assert not seeds.plant(cache, place / "seeds")


def test_the_same_kernels_make_the_same_archive(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "PACKAGE", place)
    cache = next((place / "built").glob("kernels-*"))
    for name in ("one", "two"):
        assert seeds.pack(cache, tmp_path / name) == 1
    assert (tmp_path / "one" / seeds.ARCHIVE).read_bytes() == (tmp_path / "two" / seeds.ARCHIVE).read_bytes()
