"""`crossbow index` as a user meets it: what it prints, what it refuses, and what it leaves when it is interrupted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from crossbow import store
from crossbow.index import Index
from crossbow.lock import locked
from crossbow.text.analyzer import Analyzer, Settings
from folders import change_header
from reference.index import litter
from training import crossbow

DOCS = "a\tThe houses by the sea\nb\tA house in the streets\nc\tNothing\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with documents and an index of them."""
    (tmp_path / "docs.tsv").write_text(DOCS)
    done = crossbow("index", "docs.tsv", "-o", "index", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def table(text: str) -> dict[str, str]:
    """Rows by name; names are at most 16 letters wide."""
    return {line[:16].strip(): line[16:].strip() for line in text.splitlines()}


def run(place: Path, *arguments: str) -> dict[str, str]:
    done = crossbow("index", "-o", "index", "--quiet", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr
    assert litter(place / "index") == set()
    return table(done.stdout)


def failure(place: Path, *arguments: str) -> str:
    """The one line that the command prints when it fails; the index is as before."""
    header = place / "index" / "header.json"
    before = header.read_bytes() if header.exists() else b""
    done = crossbow("index", *arguments, "--quiet", cwd=place)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith("crossbow: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert (header.read_bytes() if header.exists() else b"") == before
    return done.stderr


def ids(place: Path) -> list[str]:
    index = Index.load(place / "index")
    return sorted(index.id(number) for number in range(index.slots) if index.number(index.id(number)) == number)


def test_build_and_info(tmp_path: Path) -> None:
    rows = '{"id": "a", "title": "Houses", "text": "by the sea"}', '{"id": 7, "text": "sea"}'
    (tmp_path / "docs.jsonl").write_text("\n".join(rows))
    done = crossbow("index", "docs.jsonl", "-o", "index", "--lang", "en", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "analyze …\nwrite …\n")
    index = Index.load(tmp_path / "index")
    shown = table(done.stdout)
    expected = {"language": "en", "documents": "2", "deleted": "0", "segments": "1", "terms": "2", "postings": "3",
                "mean length": "2.50", "signature": index.signature}
    assert expected.items() <= shown.items()
    assert re.fullmatch(r"0\.\d MB", shown["size"])
    assert re.fullmatch(r"\d+\.\d", shown["seconds"])
    assert index.doc(index.number("a")).title == "Houses"
    info = crossbow("info", "index", cwd=tmp_path)
    assert info.returncode == 0
    assert ({"kind": "index"} | expected).items() <= table(info.stdout).items()
    assert table(info.stdout)["analyzer"] == shown["analyzer"] == "kind words  split True  stem True  stopwords default"


def test_the_other_settings(place: Path) -> None:
    (place / "stop").write_text("sea\nhouses\n")
    run(place, "docs.tsv", "--lang", "de", "--stopwords", "stop", "--no-stem", "--no-split")
    index = Index.load(place / "index")
    chosen = Settings("de", stopwords=["houses", "sea"], stem=False, split=False)
    assert index.analyzer.to_json() == Analyzer(chosen).to_json()
    assert (index.df("sea"), index.df("the"), index.df("streets")) == (0, 2, 1)
    run(place, "docs.tsv", "--analyzer", "tokens", "--stopwords", "none")
    assert Index.load(place / "index").df("The") == 1
    assert Index.load(place / "index").meta["generation"] == 3


def test_the_language(place: Path) -> None:
    """From --lang in any spelling, else from the name of the file, else English; what is missing is said."""
    for name in ("docs.de.tsv", "docs.vi.tsv", "docs.st.tsv"):
        (place / name).write_text(DOCS)
    shown = {arguments: run(place, *arguments.split())["language"] for arguments in (
        "docs.tsv", "docs.de.tsv", "docs.de.tsv --lang EN", "docs.tsv --lang deu-at")}
    assert list(shown.values()) == ["en", "de", "en", "de-AT"]
    assert "'english' is not a language code; did you mean 'en'?" in failure(
        place, "-o", "index", "docs.tsv", "--lang", "english")
    run(place, "docs.tsv", "--add", "--lang", "DE-at")
    said = [crossbow("index", name, "-o", "other", *options, cwd=place).stderr.splitlines()[0] for name, *options in (
        ("docs.vi.tsv",), ("docs.st.tsv",), ("docs.vi.tsv", "--no-stem", "--stopwords", "none"))]
    assert said == ["no stemmer for 'vi': words are matched as they stand",
                    "no list of function words for 'st': all words count", "analyze …"]


def test_an_index_with_an_odd_code_from_before_is_opened_and_grows(place: Path) -> None:
    run(place, "docs.tsv", "--stopwords", "none")
    meta = store.header(place / "index")["meta"]
    change_header(place / "index", meta={**meta, "analyzer": {**meta["analyzer"], "lang": "english"}})
    assert Index.load(place / "index").analyzer.settings.lang == "english"
    (place / "more.tsv").write_text("d\tnew houses\n")
    assert run(place, "more.tsv", "--add")["language"] == "english"
    index = Index.load(place / "index")
    assert (index.df("houses"), index.df("hous")) == (1, 2)  # without stems from now on, as such an index always was


def test_add_and_delete(place: Path) -> None:
    (place / "more.tsv").write_text("d\tnew\nb\tnewer\n")
    assert run(place, "more.tsv", "--add")["documents"] == "4"
    assert ids(place) == ["a", "b", "c", "d"]
    (place / "gone").write_text("a\twhatever\n\nc\n")
    assert run(place, "--delete", "gone", "--delete", "d")["documents"] == "1"
    assert ids(place) == ["b"]
    (place / "back.tsv").write_text("a\tback\n")
    run(place, "back.tsv", "--add", "--delete", "b")
    assert ids(place) == ["a"]
    assert run(place, "--add", "--delete", "a")["documents"] == "0"
    assert table(crossbow("info", "index", cwd=place).stdout)["mean length"] == "0.00"
    run(place, "docs.tsv", "--add")
    fresh = crossbow("index", "docs.tsv", "-o", "fresh", "--quiet", cwd=place)
    assert table(fresh.stdout)["signature"] == Index.load(place / "index").signature


def test_add_makes_an_index_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text(DOCS)
    run(tmp_path, "docs.tsv", "--add", "--lang", "de")
    assert Index.load(tmp_path / "index").analyzer.settings.lang == "de"


def test_an_id_that_is_also_a_file_is_the_id(place: Path) -> None:
    (place / "a").write_text("b\nc\n")
    run(place, "--delete", "a")
    assert ids(place) == ["b", "c"]


@pytest.mark.parametrize("options", [
    ["--lang", "de"], ["--analyzer", "tokens"], ["--stopwords", "none"], ["--stopwords", "stop"], ["--no-stem"],
], ids=" ".join)
def test_an_index_keeps_its_analyzer(place: Path, options: list[str]) -> None:
    (place / "stop").write_text("sea\n")
    message = failure(place, "-o", "index", "docs.tsv", "--add", *options)
    name = options[0].replace("--no-", "--")
    assert f"index: was built with another {name}; leave that option out" in message
    if options == ["--no-stem"]:
        assert failure(place, "-o", "index", "--delete", "a", *options) == message


def test_the_same_settings_may_be_given_again(place: Path) -> None:
    (place / "stop").write_text("sea\nthe\n")
    run(place, "docs.tsv", "--stopwords", "stop")
    run(place, "docs.tsv", "--add", "--lang", "en", "--analyzer", "words", "--stem", "--split", "--stopwords", "stop")
    assert ids(place) == ["a", "b", "c"]


def test_bad_usage(place: Path) -> None:
    assert "there is nothing to do" in failure(place, "-o", "index")
    assert "there is nothing to do" in failure(place, "-o", "index", "--add")
    assert "give --add as well" in failure(place, "docs.tsv", "-o", "index", "--delete", "a")
    assert "--out" in failure(place, "docs.tsv")
    failure(place, "docs.tsv", "-o", "index", "--threads", "0")
    assert "it must be 'words' or 'tokens'" in failure(place, "docs.tsv", "-o", "index", "--analyzer", "letters")
    assert "stop: cannot be read" in failure(place, "docs.tsv", "-o", "index", "--stopwords", "stop")


def test_bad_input(place: Path) -> None:
    (place / "empty.tsv").touch()
    (place / "latin.tsv").write_bytes(b"a\tcaf\xe9\n")
    for name, message in [("nowhere.tsv", "nowhere.tsv: no such file"), ("empty.tsv", "the file is empty"),
                          ("latin.tsv", "latin.tsv:1: not UTF-8"), ("index", "is a folder"),
                          ("irds:no-such-thing", "irds:no-such-thing: ")]:
        assert message in failure(place, name, "-o", "index")
    for out in (["-o", "index", "--add"], ["-o", "new"]):
        assert "latin.tsv:1: not UTF-8" in failure(place, "latin.tsv", *out)
    assert "no document has the id 'x'" in failure(place, "-o", "index", "--delete", "a", "--delete", "x")
    assert "nowhere: no such folder" in failure(place, "-o", "nowhere", "--delete", "a")
    (place / "mine").mkdir()
    (place / "mine" / "thesis.txt").touch()
    assert "mine: exists and is not a Crossbow folder" in failure(place, "docs.tsv", "-o", "mine")
    assert "not a Crossbow folder" in failure(place, "-o", "mine", "--delete", "a")
    with locked(place / "index", "index"):
        assert "another process is writing" in failure(place, "docs.tsv", "-o", "index", "--add")
    assert sorted(path.name for path in place.iterdir()) == ["docs.tsv", "empty.tsv", "index", "latin.tsv", "mine"]


@pytest.mark.parametrize("arguments", [["--add"], []], ids=["add", "build"])
def test_an_interrupt(place: Path, arguments: list[str]) -> None:
    """Documents come through a pipe that stays open, so the interrupt comes in the midst of the work, with workers."""
    os.mkfifo(place / "pipe.tsv")
    before = (place / "index" / "header.json").read_bytes()
    command = [str(crossbow("--version").args[0]), "index", "pipe.tsv", "-o", "index", *arguments]
    with subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr
        with (place / "pipe.tsv").open("w") as pipe:
            for n in range(20_000):
                pipe.write(f"n{n}\ttext number {n}\n")
            pipe.flush()
            assert process.stderr.readline() == "analyze …\n"
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(timeout=30) == 130
        shown = process.stderr.read()
    assert shown.startswith("crossbow: interrupted")
    assert shown.count("\n") == 1
    assert (place / "index" / "header.json").read_bytes() == before
    assert litter(place / "index") == set()


RECORDS = """id,title,text,abstract,year,lang,published
a,Lake,The houses by the sea,,1999,en,2008-05-01
b,,A house,"A lake, seen from afar",2008,en,2009-01
c,,Nothing,,n/a,de,
"""


def test_fields(tmp_path: Path) -> None:
    """It says which fields it found, and what became of each."""
    (tmp_path / "docs.csv").write_text(RECORDS)
    rows = run(tmp_path, "docs.csv", "--fields", "title^2.5,text,abstract")
    assert {name: value for name, value in rows.items() if name.startswith("field")} == {
        "field title": "searched, weight 2.5", "field text": "searched, weight 1",
        "field abstract": "searched, weight 1, keyword, 1 value, in 1 document",
        "field lang": "keyword, 2 values, in 3 documents",
        "field published": "date, 2 values, 2008-05-01 to 2009-01, in 2 documents",
        "field year": "keyword, 3 values, in 3 documents"}
    assert rows["mean length"] == f"{(2.5 + 5 + 2 + 6 + 1) / 3:.2f}"  # the comma is a token
    assert Index.load(tmp_path / "index").df("lake") == 2
    shown = table(crossbow("info", "index", cwd=tmp_path).stdout)
    assert shown["field lang"] == "keyword, 2 values, in 3 documents"
    (tmp_path / "more.json").write_text('[{"id": "d", "abstract": "No text, but a lake", "year": 7}]')
    assert run(tmp_path, "more.json", "--add")["documents"] == "4"
    assert Index.load(tmp_path / "index").df("lake") == 3
    assert "was built with other --fields" in failure(tmp_path, "more.json", "-o", "index", "--add", "--fields", "text")
    assert "is not a list of fields" in failure(tmp_path, "more.json", "-o", "index", "--fields", "a^b")
    assert "no document has the field 'titel'" in failure(tmp_path, "docs.csv", "-o", "index", "--fields", "text,titel")


def test_shards(place: Path) -> None:
    rows = run(place, "docs.tsv", "--shards", "2")
    assert (rows["shards"], rows["documents"]) == ("2", "3")
    assert Index.load(place / "index").shards == 2
    rows = run(place, "--add", "docs.tsv")
    assert (rows["shards"], rows["documents"]) == ("2", "3")
    done = crossbow("index", "-o", "index", "--add", "docs.tsv", "--shards", "3", cwd=place)
    assert (done.returncode, "an index keeps its shards" in done.stderr) == (2, True)
    done = crossbow("index", "-o", "index", "docs.tsv", "--ray", "local", cwd=place)
    assert (done.returncode, "give --shards as well" in done.stderr) == (2, True)
    done = crossbow("search", "index", "-q", "house", "--replicas", "2", cwd=place)
    assert (done.returncode, "give --ray as well" in done.stderr) == (2, True)
