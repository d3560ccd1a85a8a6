"""The manifest: what is written is read back, what is damaged is named, and the signature means the content."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossbow import store
from crossbow.errors import InputError
from crossbow.index import manifest
from crossbow.index.manifest import Entry, Manifest, read, write
from crossbow.text.analyzer import Analyzer, Settings
from folders import change_header

SAMPLE = Manifest(Analyzer(Settings("en", stopwords=["ß", "a"])).to_json(), 7,
                  (Entry("000003-0-abc", 10, 5, 20, 2, "x.npy"), Entry("000007-0-def", 1, 1, 1, 0, None)),
                  9, 81, 2**64 - 1, {"deletions/x.npy": "0123abcd"})


def test_round_trip(tmp_path: Path) -> None:
    write(tmp_path, SAMPLE)
    assert read(tmp_path) == SAMPLE
    assert [path.name for path in tmp_path.iterdir()] == ["header.json"]
    head = store.header(tmp_path)
    assert head["kind"] == "index"
    assert head["meta"] == SAMPLE.meta()
    assert head["meta"]["signature"] == SAMPLE.signature
    assert head["checksums"] == {"deletions/x.npy": "0123abcd"}


def test_the_old_one_is_replaced(tmp_path: Path) -> None:
    write(tmp_path, SAMPLE)
    later = replace(SAMPLE, generation=8, segments=())
    write(tmp_path, later)
    assert read(tmp_path) == later


def test_the_signature_means_analyzer_and_documents() -> None:
    same = [replace(SAMPLE, generation=1), replace(SAMPLE, segments=())]
    assert {one.signature for one in same} == {SAMPLE.signature}
    others = [replace(SAMPLE, documents=8), replace(SAMPLE, fingerprint=1),
              replace(SAMPLE, analyzer=Analyzer(Settings("en")).to_json())]
    assert len({one.signature for one in (SAMPLE, *others)}) == 4


def changed(**changes: Any) -> dict[str, Any]:
    return SAMPLE.meta() | changes


@pytest.mark.parametrize("meta", [
    {}, [], None, changed(generation="7"), changed(generation=-1), changed(documents=None), changed(tokens=1.5),
    changed(segments=None), changed(segments=[{}]), changed(segments=[{"name": "x"}]), changed(fingerprint="xyz"),
    changed(fingerprint=5), changed(analyzer=None), changed(segments=[{**SAMPLE.segments[0]._asdict(), "terms": "5"}]),
    changed(segments=[{**SAMPLE.segments[0]._asdict(), "name": "../elsewhere"}]),
    changed(segments=[{**SAMPLE.segments[0]._asdict(), "name": None}]),
])
def test_damage_is_named(tmp_path: Path, meta: object) -> None:
    write(tmp_path, SAMPLE)
    change_header(tmp_path, meta=meta)
    with pytest.raises(InputError, match=r"header.json: damaged manifest .*; build the index again"):
        read(tmp_path)


def test_other_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a Crossbow folder"):
        read(tmp_path)
    (tmp_path / "header.json").write_text('{"format": 1, "kind": "model", "meta": {}, "arrays": {}}')
    with pytest.raises(InputError, match="of kind 'model', expected 'index'"):
        read(tmp_path)


def test_a_failure_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, SAMPLE)

    def fail(number: int) -> None:
        raise OSError("no")

    monkeypatch.setattr(manifest.os, "fsync", fail)
    with pytest.raises(OSError, match="no"):
        write(tmp_path, replace(SAMPLE, generation=8))
    assert read(tmp_path) == SAMPLE
