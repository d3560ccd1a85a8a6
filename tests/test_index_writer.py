"""Writing an index: one writer at a time, nothing foreign overwritten, and a kill or a full disk at any moment loses
nothing that was committed."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, add, build, delete, update
from crossbow.index.manifest import read
from crossbow.lock import locked
from crossbow.records import Doc, read_docs
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from folders import change_header
from reference.index import contents, expected, litter
from training import run_python

ENGLISH = Analyzer(Settings("en"))
DOCS = [Doc(f"d{n}", f"text number {n}", "title") for n in range(10)]
TESTS = Path(__file__).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index in a parent of its own."""
    build(tmp_path / "index", DOCS, ENGLISH)
    return tmp_path / "index"


def assert_unchanged(folder: Path) -> None:
    assert contents(Index.load(folder)) == expected(DOCS, ENGLISH)
    assert litter(folder) == set()
    assert [path.name for path in folder.parent.iterdir()] == ["index"]


def test_an_index_is_replaced(folder: Path) -> None:
    before = Index.load(folder)
    german = Analyzer(Settings("de"))
    meta = build(folder, [Doc("x", "Häuser")], german)
    index = Index.load(folder)
    assert contents(index) == expected([Doc("x", "Häuser")], german)
    assert index.meta == meta
    assert meta["generation"] == before.meta["generation"] + 1
    assert litter(folder) == set()
    assert contents(before) == expected(DOCS, ENGLISH)


def test_an_index_of_another_version_is_replaced(folder: Path) -> None:
    change_header(folder, format=99)
    with pytest.raises(InputError, match="format 99"):
        add(folder, DOCS)
    assert (folder / "segments").exists()
    build(folder, DOCS, ENGLISH)
    assert_unchanged(folder)


def test_an_empty_folder_a_deep_path_and_a_link_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    for name in ("empty", "deep/er", "link", "link"):
        build(tmp_path / name, DOCS, ENGLISH)
        assert contents(Index.load(tmp_path / name)) == expected(DOCS, ENGLISH)
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("content", ["thesis.txt", "writer.lock and thesis.txt", "segments", "model", "list", "file"])
def test_what_is_not_an_index_is_never_overwritten(tmp_path: Path, content: str) -> None:
    place = tmp_path / "precious"
    if content != "file":
        place.mkdir()
    if content == "segments":
        (place / "segments").mkdir()
    elif content == "model":
        (place / "header.json").write_text('{"format": 1, "kind": "model", "crossbow": "1", "meta": {}, "arrays": {}}')
    elif content == "list":
        (place / "header.json").write_text('["crossbow"]')
    else:
        for name in content.split(" and "):
            (place / name if content != "file" else place).write_text("years of work")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(InputError, match=r"precious: (exists|holds) .*so it will not be overwritten.*; choose"):
        build(place, DOCS, ENGLISH)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_nothing_to_add_to(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such folder"):
        add(tmp_path / "nowhere", DOCS)
    store.save(tmp_path / "model", "model", Index.load(_built(tmp_path)).segments[0].postings, {})
    with pytest.raises(InputError, match="of kind 'model', expected 'index'"):
        delete(tmp_path / "model", ["d1"])
    assert not (tmp_path / "nowhere").exists()
    assert not (tmp_path / "model" / "writer.lock").exists()


def _built(folder: Path) -> Path:
    build(folder / "index", DOCS, ENGLISH)
    return folder / "index"


def test_compounds_are_refused(tmp_path: Path) -> None:
    german = Analyzer(Settings("de"), Splitter.learn({"haus": 9}, "de"))
    with pytest.raises(CrossbowError, match="splits compounds"):
        build(tmp_path / "index", DOCS, german)


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("problem", [ZeroDivisionError(), KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, there: bool, problem: BaseException) -> None:
    def docs():
        yield Doc("d3", "new")
        raise problem

    folder = tmp_path / "index"
    if there:
        build(folder, DOCS, ENGLISH)
        with pytest.raises(type(problem)):
            add(folder, docs())
    with pytest.raises(type(problem)):
        build(folder, docs(), ENGLISH)
    if there:
        assert_unchanged(folder)
    else:
        assert list(tmp_path.iterdir()) == []


def test_bad_files(folder: Path, tmp_path: Path) -> None:
    """What the readers of documents say is what the user sees; the index stays."""
    place = tmp_path / "bad"
    place.mkdir()
    (place / "latin.tsv").write_bytes(b"a\tx\nb\tcaf\xe9\n")
    (place / "empty.tsv").touch()
    (place / "twice.tsv").write_text("a\tx\na\ty\n")
    (place / "cut.tsv.gz").write_bytes(bytes.fromhex("1f8b0800000000000003"))
    for name, message in [("latin.tsv", r"latin.tsv:2: not UTF-8"), ("empty.tsv", "the file is empty"),
                          ("twice.tsv", r"twice.tsv:2: document id 'a'"), ("cut.tsv.gz", "truncated or damaged"),
                          ("none.tsv", "no such file"), (".", "is a folder")]:
        for write in (lambda source: add(folder, read_docs(source)),
                      lambda source: build(folder, read_docs(source), ENGLISH)):
            with pytest.raises(InputError, match=message):
                write(place / name)
    shutil.rmtree(place)
    assert_unchanged(folder)


def test_a_huge_line(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("a\t" + "word " * 300_000 + "x" * 1_000_000 + "\nb\tword\n")
    build(tmp_path / "index", read_docs(tmp_path / "docs.tsv"), ENGLISH)
    index = Index.load(tmp_path / "index")
    assert index.df("word") == 2
    assert index.segments[0].postings.tfs[index.segments[0].postings.starts[index.segments[0].term("word")]] == 300_000


def test_a_second_writer_is_told_at_once(folder: Path) -> None:
    message = "index: another process is writing to this index; try again when it is done"
    with locked(folder, "index"):
        for write in (lambda: add(folder, DOCS), lambda: delete(folder, ["d1"]), lambda: build(folder, DOCS, ENGLISH)):
            with pytest.raises(CrossbowError, match=message):
                write()
        code = "import sys; from crossbow.index import delete; delete(sys.argv[1], ['d1'])"
        assert message in run_python(code, folder).stderr
        assert len(Index.load(folder)) == 10, "readers need no lock"
    assert_unchanged(folder)


def test_the_lock_of_a_removed_folder_is_not_the_lock_of_the_new_one(folder: Path) -> None:
    with locked(folder, "index"):
        shutil.rmtree(folder)
        with locked(folder, "index"):
            assert os.listdir(folder) == ["writer.lock"]


def test_writers_that_take_turns_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, [], ENGLISH)

    def write(name: str) -> None:
        for n in range(5):
            while True:
                try:
                    add(folder, [Doc(f"{name}{n}", "text")])
                    break
                except CrossbowError:
                    continue

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents(Index.load(folder)) == expected([Doc(f"{n}{k}", "text") for n in "abc" for k in range(5)], ENGLISH)


# A program that is killed: it forks for each try, which is much quicker than starting Python again.
KILLED = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from crossbow.index import Index, build, update
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.index import contents, expected, litter

ENGLISH = Analyzer(Settings("en"))
place = Path(sys.argv[1])

def state(step):
    # The documents after so many commits, and the update that leads to the next state.
    docs = {}
    for n in range(step + 1):
        changes = {f"d{k * 7 % 23}": f"version {n} {k}" for k in range(n % 3, n % 3 + [9, 1, 2, 12][n % 4])}
        gone = [] if n % 4 in (0, 3) else sorted(docs)[:3 * (n % 4)]
        before = dict(docs)
        docs = {name: text for name, text in docs.items() if name not in gone} | changes
    return before, changes, gone, docs

def as_docs(texts):
    return [Doc(name, text) for name, text in texts.items()]

def holds(texts):
    return contents(Index.load(place)) == expected(as_docs(texts), ENGLISH)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def child(work):
    number = os.fork()
    if not number:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return number

def ended(number):
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
"""

EVERY_EVENT = KILLED + """
TOUCHING = {"open", "write", "tofile", "flush", "replace", "mkdir", "unlink", "rmdir", "flock"}
os.fsync = lambda number: None   # a power cut needs it, a kill does not, and it takes most of the time

def watched(work, moment=None):
    # How it touches files; before the n-th time it is killed.
    names = []
    def watch(frame, event, function):
        if event == "c_call" and function.__name__ in TOUCHING:
            if len(names) == moment:
                die()
            names.append(function.__name__)
    sys.setprofile(watch)
    work()
    sys.setprofile(None)
    return names

def fresh():
    shutil.rmtree(place, ignore_errors=True)
    if not first:
        shutil.copytree(base, place)

what = sys.argv[3]
first = what == "first"
base = place.with_name("base")
before = {} if first else {f"d{n}": f"text {n}" for n in range(13)} | {"e1": "single"}
changes, gone = {"d1": "new", "n": "new"}, {"mark": ["d2"], "merge": ["d3", "d4", "d5", "d6", "e1"]}.get(what, [])
after = changes if what == "replace" else {n: t for n, t in before.items() if n not in gone} | changes
if not first:
    build(base, [Doc("gone", "x"), *as_docs(before)[:-1]], ENGLISH)
    update(base, as_docs(before)[-1:], ["gone"])
if what in ("first", "replace"):
    work = lambda: build(place, as_docs(changes), ENGLISH)
else:
    work = lambda: update(place, as_docs(changes), gone)
fresh()
names = watched(work)
assert holds(after)
final = len(Index.load(place).segments), os.listdir(place)
commit = names.index("replace")
outcomes = ""
for moment in range(len(names)):
    if moment % 5 and abs(moment - commit) > 12:   # most are arrays that are written one like the other
        continue
    fresh()
    assert ended(child(lambda: watched(work, moment))) == -9
    if (place / "header.json").exists():
        outcomes += "a" if holds(after) else "b"
        assert outcomes[-1] == "a" or (not first and holds(before)), moment
    else:
        assert first
        outcomes += "-"
    again = outcomes[-1] != "a"
    work() if again else update(place, [Doc("d1", "next")])   # the next writer is not disturbed
    assert holds(after if again else after | {"d1": "next"}), moment
    assert litter(place) == set(), (moment, litter(place))
print(outcomes, final[0], *final[1])
"""


@pytest.mark.parametrize("what", ["first", "replace", "mark", "merge"])
def test_a_writer_killed_at_any_moment(tmp_path: Path, what: str) -> None:
    """Before each time it touches a file: there is the state before or the state after, and nothing else."""
    done = run_python(EVERY_EVENT, tmp_path / "index", TESTS, what)
    assert done.returncode == 0, done.stderr
    outcomes, segments, *names = done.stdout.split()
    assert outcomes == "".join(sorted(outcomes, key="-ba".index)), "once committed, always committed"
    assert len(outcomes) > 30
    assert set(outcomes) == ({"-", "a"} if what == "first" else {"b", "a"})
    assert (int(segments), "deletions" in names) == ((2, True) if what == "mark" else (1, False))


AT_RANDOM = KILLED + """
rng = random.Random(int(sys.argv[3]))
build(place, as_docs(state(0)[3]), ENGLISH)
step = rounds = 0
while rounds < 25 or step < 6:   # a busy machine takes more rounds to get so far
    rounds += 1
    reader, writer = os.pipe()
    def work():
        for n in range(step + 1, 1000):
            _, changes, gone, _ = state(n)
            update(place, as_docs(changes), gone)
            os.write(writer, b".")
    number = child(work)
    time.sleep(rng.random() * 0.15)
    os.kill(number, signal.SIGKILL)
    assert ended(number) == -9
    os.close(writer)
    sure = step + len(os.read(reader, 1000))
    os.close(reader)
    step = sure if holds(state(sure)[3]) else sure + 1   # killed between the commit and the message about it
    assert holds(state(step)[3]), (sure, step)
update(place, [], [])
assert holds(state(step)[3])
assert litter(place) == set()
"""


def test_a_writer_killed_at_random(tmp_path: Path) -> None:
    done = run_python(AT_RANDOM, tmp_path / "index", TESTS, "1")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("where", ["numpy.save", "os.fsync", "os.mkdir", "os.replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_plainly(folder: Path, monkeypatch: pytest.MonkeyPatch, where: str, code: int) -> None:
    def full(*ignored: object, **options: object) -> None:
        raise OSError(code, os.strerror(code))

    new = folder.with_name("new")
    with monkeypatch.context() as patch:
        patch.setattr(where, full)
        for write in (lambda: update(folder, [Doc("n", "new")], ["d1"]), lambda: build(folder, DOCS[:2], ENGLISH),
                      lambda: build(new, DOCS, ENGLISH)):
            with pytest.raises(CrossbowError, match="the disk is full; what was there before is intact"):
                write()
    assert_unchanged(folder)


def test_a_full_disk_after_the_commit_takes_nothing_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest is in its place, only its name is not known to be safe yet: the new segments must stay."""
    def full(path: Path) -> None:
        if read(folder).generation > 1:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(store, "sync_folder", full)
    with pytest.raises(CrossbowError, match="the disk is full"):
        add(folder, [Doc("n", "new")])
    assert contents(Index.load(folder)) == expected([*DOCS, Doc("n", "new")], ENGLISH)
    assert litter(folder) == set()


def test_a_really_full_disk(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("A REALLY FULL DISK WAS NOT TESTED: this user may not mount a small file system")
    try:
        build(place / "index", DOCS, ENGLISH)
        for size in (1_000, 20_000, 100_000):
            with pytest.raises(CrossbowError, match="the disk is full"):
                add(place / "index", [Doc(f"n{n}", "word " * (size // 5)) for n in range(500_000 // size)])
            assert_unchanged(place / "index")
        delete(place / "index", ["d1"])
        assert len(Index.load(place / "index")) == 9
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_script_without_a_guard_gets_advice(tmp_path: Path) -> None:
    """Spawned processes import the script; if that starts the work again, Python refuses."""
    (tmp_path / "script.py").write_text(
        "from crossbow.index import analysis, build\nfrom crossbow.records import Doc\n"
        "from crossbow.text.analyzer import Analyzer, Settings\nanalysis.CHUNK_DOCS = 5\n"
        "build('index', (Doc(str(n), 'x') for n in range(100)), Analyzer(Settings('en')))\n")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "must start its work under `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]
