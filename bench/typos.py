"""What a typing error costs, and what reading unknown words as known ones brings back.

    python bench/typos.py MODEL INDEX QUERIES QRELS [--spellings 0 1 2 3] [--seeds 3]

In every query one random content word gets one random edit: a letter more, less or other, or two that change places.
Each method is measured with the queries as they are and with the errors, for every number of spellings
(`translation.spellings`), as mean AP over queries and seeds. All settings but that one are the method's defaults, or
the standard settings.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

import numpy as np

from crossbow.evaluation.measures import per_query
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.config import STANDARD
from crossbow.ranking.searcher import Searcher
from crossbow.records import Query, load_qrels, read_queries
from crossbow.text.analyzer import Analyzer

METHODS = ("dt", "psq", "expected", "bowfd")
STANDARD_SETTINGS = "standard"
LEAST = 4  # letters of a word that gets an error


def mistyped(text: str, analyzer: Analyzer, seed: str) -> str:
    """The text with one edit in one of its content words; as it is if it has none."""
    draw = random.Random(seed)
    words = text.split()
    places = [place for place, word in enumerate(words)
              if len(word) >= LEAST and word.isalpha() and word.lower() not in analyzer.stopwords]
    if not places:
        return text
    place = draw.choice(places)
    words[place] = edited(words[place], draw)
    return " ".join(words)


def edited(word: str, draw: random.Random) -> str:
    """The word with one random edit that changes it; letters are those of the word's own language, as far as seen."""
    letters = sorted(set(word.lower()) | set("aeinrst" if word.isascii() else word.lower()))
    while True:
        at, letter, kind = draw.randrange(len(word)), draw.choice(letters), draw.randrange(4)
        other = (word[:at] + letter + word[at:], word[:at] + word[at + 1:], word[:at] + letter + word[at + 1:],
                 word[:at] + word[at + 1:at + 2] + word[at] + word[at + 2:])[kind]
        if other.lower() != word.lower():
            return other


def mean_ap(searcher: Searcher, queries: Sequence[Query], qrels: dict[str, dict[str, int]]) -> float:
    """Mean average precision of the queries."""
    run = dict(searcher.search_all([(query.id, query.text) for query in queries], threads=2))
    return float(np.mean(per_query(qrels, run, ["AP"]).by_measure["AP"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("qrels")
    parser.add_argument("--spellings", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=[*METHODS, STANDARD_SETTINGS])
    options = parser.parse_args()
    model, index = Model.load(options.model), Index.load(options.index)
    qrels, queries = load_qrels(options.qrels), list(read_queries(options.queries))
    sets = [[query._replace(text=mistyped(query.text, model.source, f"{seed} {query.id}")) for query in queries]
            for seed in range(options.seeds)]
    print(f"{len(queries)} queries, {options.seeds} seeds, model {model.signature}, index {index.signature}")
    print(f"{'method':10} {'spellings':>9} {'as they are':>12} {'with errors':>12}")
    for method in options.methods:
        for count in options.spellings:
            settings = STANDARD if method == STANDARD_SETTINGS else {"method": method}
            searcher = Searcher(model, index, {**settings, "translation.spellings": count})
            clean = mean_ap(searcher, queries, qrels)
            wrong = np.mean([mean_ap(searcher, each, qrels) for each in sets])
            print(f"{method:10} {count:9} {clean:12.4f} {wrong:12.4f}", flush=True)


if __name__ == "__main__":
    main()
