"""One segment of an index as arrays: which documents have which term how often, and the documents themselves.

    part = invert([Doc("d1", "a small house")], analyzer)     # a chunk of documents, analyzed
    postings = merge([part], [np.ones(1, bool)])              # a whole segment; also merges older segments, without
    t = strings.find(postings.term_starts, postings.term_bytes, b"hous")       # analyzing anything again
    postings.docs[postings.starts[t]:postings.starts[t + 1]]

A chunk and a segment share their columns, so that one function joins both. Only a segment has the order of the ids,
which is computed from the joined columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import I32, I64, U8, Bools
from crossbow.errors import CrossbowError
from crossbow.index.fields import Fields
from crossbow.index.searched import STANDARD, Searched
from crossbow.index.strings import join_strings, pack, string, union, unpack
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

SEGMENT = "segment"  # the kind of its folder
WHOLE = 1 << 64
LONGEST = 2**31 - 1  # of a document, in tokens times the factors of its fields
SLICE = 1 << 22  # postings that are moved at a time, which bounds the memory of merging


class Part(NamedTuple):
    """Documents and their postings. Terms are sorted by their UTF-8 bytes, the documents of each term ascend."""

    term_starts: I64  # term t is term_bytes[term_starts[t]:term_starts[t + 1]]
    term_bytes: U8
    starts: I64  # its postings are docs[starts[t]:starts[t + 1]]
    docs: I32
    tfs: I32
    lengths: I32  # tokens of each document, function words and punctuation too
    id_starts: I64
    id_bytes: U8
    title_starts: I64
    title_bytes: U8
    text_starts: I64
    text_bytes: U8


class Postings(NamedTuple):
    """A segment: the columns of a part, and the order of its ids."""

    term_starts: I64
    term_bytes: U8
    starts: I64
    docs: I32
    tfs: I32
    lengths: I32
    id_starts: I64
    id_bytes: U8
    id_order: I32  # documents sorted by the bytes of their ids
    title_starts: I64
    title_bytes: U8
    text_starts: I64
    text_bytes: U8


def load(folder: Path) -> tuple[Postings, store.Meta]:
    """Map a segment that `store.save` wrote, and check that its arrays fit together; and what its header says."""
    p, meta = store.load(folder, SEGMENT, Postings)
    terms, documents = len(p.starts) - 1, len(p.lengths)
    store.check_fit(
        folder, p,
        {"term_starts": (terms, len(p.term_bytes)), "starts": (terms, len(p.docs)),
         "id_starts": (documents, len(p.id_bytes)), "title_starts": (documents, len(p.title_bytes)),
         "text_starts": (documents, len(p.text_bytes))}, {"tfs": len(p.docs), "id_order": documents})
    return p, meta


def invert(docs: Sequence[Doc], analyzer: Analyzer, searched: Searched = STANDARD) -> Part:
    """Analyze what is searched of documents, and sort what they contain by term."""
    numbers: dict[str, int] = {}
    words: list[int] = []
    texts: list[tuple[int, int, int]] = []  # of each the document, the factor, and how many terms it has
    lengths = [0] * len(docs)
    for number, doc in enumerate(docs):
        for factor, text in searched.texts(doc):
            terms, length = analyzer.analyze(text)
            words.extend([numbers.setdefault(term, len(numbers)) for term in terms])
            texts.append((number, factor, len(terms)))
            lengths[number] += factor * length
        if lengths[number] > LONGEST:  # a tf is not above the length
            raise CrossbowError(f"the document {doc.id!r} is too long for these weights of fields; cut it into parts")
    names = sorted(numbers)  # by code points, which is the order of their UTF-8 bytes
    rank = np.zeros(len(names), np.int64)
    rank[[numbers[name] for name in names]] = np.arange(len(names))
    owners, factors, sizes = np.array(texts, np.int64).reshape(-1, 3).T
    keys, tfs = _counted(rank[np.array(words, np.int64)] * len(docs) + np.repeat(owners, sizes),
                         np.repeat(factors, sizes))
    return Part(
        *pack([name.encode() for name in names]), np.searchsorted(keys, np.arange(len(names) + 1) * len(docs)),
        (keys % max(1, len(docs))).astype(np.int32), tfs.astype(np.int32), np.array(lengths, np.int32),
        *pack([_checked(doc.id) for doc in docs]), *pack([doc.title.encode("utf8", "replace") for doc in docs]),
        *pack([doc.text.encode("utf8", "replace") for doc in docs]),
    )


def _counted(keys: I64, amounts: I64) -> tuple[I64, I64]:
    """The distinct keys, and the amounts of each added up."""
    if (amounts == 1).all():
        return np.unique(keys, return_counts=True)
    found, places = np.unique(keys, return_inverse=True)
    return found, np.bincount(places, amounts, len(found)).astype(np.int64)  # exact below 2**53


def everything(part: Part | Postings) -> Bools:
    """What is kept if all documents are."""
    return np.ones(len(part.lengths), np.bool_)


def document(part: Part | Postings, number: int) -> tuple[bytes, bytes, bytes]:
    """Id, title and text of a document, as they are stored."""
    return (string(part.id_starts, part.id_bytes, number), string(part.title_starts, part.title_bytes, number),
            string(part.text_starts, part.text_bytes, number))


def fingerprint(part: Part | Postings, numbers: Iterable[int], fields: Fields | None = None) -> int:
    """A number below 2**64 that stands for documents. That of a set is the sum of its members', in any order."""
    total = 0
    for number in numbers:
        name, title, text = document(part, number)
        more = fields.json(number) if fields else b""
        sizes = f"{len(name)} {len(title)} " + (f"{len(text)} " if more else "")
        sha = hashlib.blake2b(sizes.encode(), digest_size=8)
        sha.update(name + title + text + more)
        total += int.from_bytes(sha.digest(), "little")
    return total % WHOLE


def _checked(name: str) -> bytes:
    """An id, which must be one that a TREC file can hold."""
    try:
        if name.split() == [name]:
            return name.encode()
    except UnicodeEncodeError:
        pass
    raise CrossbowError(f"the document id {name!r} is empty, has white space in it or is not valid Unicode; "
                        "TREC files cannot hold such an id")


def merge(parts: Sequence[Part | Postings], kept: Sequence[Bools]) -> Postings:
    """One segment out of the documents that are kept of each part, in the order of the parts."""
    term_starts, term_bytes, starts, docs, tfs = _join_postings(parts, kept)
    lengths = np.concatenate([part.lengths[keep] for part, keep in zip(parts, kept)])
    id_starts, id_bytes = join_strings([(part.id_starts, part.id_bytes) for part in parts], kept)
    return Postings(
        term_starts, term_bytes, starts, docs, tfs, lengths, id_starts, id_bytes, _order(unpack(id_starts, id_bytes)),
        *join_strings([(part.title_starts, part.title_bytes) for part in parts], kept),
        *join_strings([(part.text_starts, part.text_bytes) for part in parts], kept),
    )


def _join_postings(
    parts: Sequence[Part | Postings], kept: Sequence[Bools]
) -> tuple[I64, U8, I64, I32, I32]:
    """The postings of each term one part after another, so that its documents ascend; terms without any are dropped."""
    names, ids = union([unpack(part.term_starts, part.term_bytes) for part in parts])
    sizes = [document_counts(part, keep) for part, keep in zip(parts, kept)]
    counts = np.zeros(len(names), np.int64)
    for numbers, size in zip(ids, sizes):
        counts[numbers] += size  # a part has each term once
    starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    docs, tfs = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    cursor, base = starts[:-1].copy(), 0
    for part, keep, numbers, size in zip(parts, kept, ids, sizes):
        fresh = (np.cumsum(keep) + (base - 1)).astype(np.int32)
        base += int(keep.sum())
        for low, high in _slices(part.starts):
            span = slice(part.starts[low], part.starts[high])
            moved, width = part.docs[span], size[low:high]
            alive = keep[moved]
            offset = np.cumsum(width) - width
            to = np.repeat(cursor[numbers[low:high]] - offset, width) + np.arange(width.sum())
            docs[to], tfs[to] = fresh[moved[alive]], part.tfs[span][alive]
        cursor[numbers] += size
    used = np.flatnonzero(counts)
    return *pack([names[n] for n in used]), np.append(starts[used], starts[-1]), docs, tfs


def document_counts(part: Part | Postings, keep: Bools) -> I64:
    """How many documents that are kept have each term."""
    if keep.all():
        return np.diff(part.starts)
    sizes = np.zeros(len(part.starts) - 1, np.int64)
    for low, high in _slices(part.starts):
        here = part.starts[low:high + 1] - part.starts[low]
        running = np.concatenate(([0], np.cumsum(keep[part.docs[part.starts[low]:part.starts[high]]])))
        sizes[low:high] = np.diff(running[here])
    return sizes


def _slices(starts: I64) -> Iterable[tuple[int, int]]:
    """Ranges of terms with about SLICE postings each; a term with more has a range of its own."""
    low, last = 0, len(starts) - 1
    while low < last:
        high = max(low + 1, int(np.searchsorted(starts, starts[low] + SLICE, "right")) - 1)
        yield low, high
        low = high


def _order(ids: list[bytes]) -> I32:
    """Documents by id; raises if two have the same."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for one, two in pairwise(order):
        if ids[one] == ids[two]:
            raise CrossbowError(f"the document id {ids[one].decode()!r} was given twice; ids must be unique")
    return np.array(order, np.int32)
