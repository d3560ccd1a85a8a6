"""A slow, obvious index: dictionaries from terms to documents; and everything that is in a real one, read out of it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from crossbow.index import Index
from crossbow.index.manifest import DELETIONS, SEGMENTS, STATISTICS, read
from crossbow.index.postings import Postings
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

SPELLED = {"True": "true", "False": "false", "2.0": "2", "1e+20": "1e+20"}  # where Python spells otherwise


class Contents(NamedTuple):
    """All that can be asked of an index, by id and not by number."""

    docs: dict[str, Doc]
    lengths: dict[str, int]
    postings: dict[str, dict[str, int]]
    mean_length: float
    values: dict[str, dict[str, set[str]]]  # of each field, and each document that has it


def expected(docs: list[Doc], analyzer: Analyzer) -> Contents:
    """What an index of these documents must hold."""
    postings: dict[str, dict[str, int]] = {}
    lengths = {}
    for doc in docs:
        terms: list[str] = []
        lengths[doc.id] = 0
        for text in (doc.title, doc.text):
            found, length = analyzer.analyze(text)
            terms += found
            lengths[doc.id] += length
        for term, count in Counter(terms).items():
            postings.setdefault(term, {})[doc.id] = count
    mean = sum(lengths.values()) / len(lengths) if lengths else 0.0
    values: dict[str, dict[str, set[str]]] = {}
    for doc in docs:
        for name, value in doc.fields.items():
            for one in value if isinstance(value, list) else [value]:
                if one != "":
                    values.setdefault(name, {}).setdefault(doc.id, set()).add(SPELLED.get(repr(one), str(one)))
    return Contents({doc.id: doc for doc in docs}, lengths, postings, mean, values)


def contents(index: Index) -> Contents:
    """What an index holds, with all that it says about itself checked on the way."""
    docs, lengths, postings = {}, {}, {}
    values: dict[str, dict[str, set[str]]] = {}
    for segment in index.segments:
        for name in segment.fields.columns if segment.fields else ():
            column = segment.column(name)
            assert column
            spelled = strings(column.value_starts, column.value_bytes)
            assert spelled == sorted(set(spelled), key=str.encode)
            for number, value in zip(column.docs.tolist(), column.ordinals.tolist()):
                if segment.alive[number]:
                    values.setdefault(name, {}).setdefault(index.id(segment.base + number), set()).add(spelled[value])
        check_postings(segment.postings)
        assert segment.complete == segment.alive.all()
        for number in segment.alive.nonzero()[0].tolist():
            doc = index.doc(segment.base + number)
            assert index.id(segment.base + number) == doc.id
            assert index.number(doc.id) == segment.base + number
            assert doc.id not in docs
            docs[doc.id] = doc
            lengths[doc.id] = int(segment.postings.lengths[number])
        for number, term in enumerate(strings(segment.postings.term_starts, segment.postings.term_bytes)):
            assert segment.term(term) == number
            start, end = segment.postings.starts[number:number + 2]
            for doc_number, tf in zip(segment.postings.docs[start:end].tolist(), segment.postings.tfs[start:end]):
                if segment.alive[doc_number]:
                    postings.setdefault(term, {})[index.id(segment.base + doc_number)] = int(tf)
            assert index.df(term) == sum(other.df(term) for other in index.segments)
    for term, having in postings.items():
        assert index.df(term) == len(having)
    assert len(index) == len(docs)
    assert index.slots == sum(len(segment.alive) for segment in index.segments)
    return Contents(docs, lengths, postings, index.mean_length, values)


def strings(starts, data) -> list[str]:
    return [bytes(data[start:end]).decode() for start, end in pairwise(starts)]


def check_postings(postings: Postings) -> None:
    """The order of terms, documents and ids, and the types of all columns."""
    terms = strings(postings.term_starts, postings.term_bytes)
    assert terms == sorted(set(terms), key=str.encode)
    ids = strings(postings.id_starts, postings.id_bytes)
    assert [ids[number] for number in postings.id_order] == sorted(set(ids), key=str.encode)
    for number in range(len(terms)):
        start, end = postings.starts[number:number + 2]
        docs, tfs = postings.docs[start:end].tolist(), postings.tfs[start:end].tolist()
        assert docs
        assert docs == sorted(set(docs))
        assert min(tfs) > 0
    wide = {"term_starts", "starts", "id_starts", "title_starts", "text_starts"}
    for name, column in postings._asdict().items():
        assert column.dtype == ("int64" if name in wide else "uint8" if name.endswith("_bytes") else "int32"), name


def litter(folder: Path) -> set[str]:
    """Files in an index that its manifest does not list."""
    manifest = read(folder)
    listed = {"header.json", "writer.lock"}
    listed |= {f"{SEGMENTS}/{entry.name}" for entry in manifest.segments}
    listed |= {f"{DELETIONS}/{entry.deletions}" for entry in manifest.segments if entry.deletions}
    listed |= {f"{STATISTICS}/{manifest.statistics}"} if manifest.statistics else set()
    found = {path.relative_to(folder).as_posix() for path in (*folder.glob("*"), *folder.glob("*/*"))}
    assert listed - {"writer.lock"} <= found
    return found - listed - {SEGMENTS, DELETIONS, STATISTICS}
