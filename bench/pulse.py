"""The pulse of the project: MAP and NDCG of all methods on development queries.

    python bench/pulse.py MODEL INDEX COLLECTION [--queries 100] [--v 0.3 0.8] [--beam 1 3 10]

Each query is taken as one sentence, so that all methods see the same forests.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ir_measures
from ir_measures import AP, nDCG

from crossbow.datasets.collection import Collection
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.structured.tables import PsqConfig
from crossbow.weights import TermWeights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--v", type=float, nargs="*", default=[0.8])
    parser.add_argument("--beam", type=int, nargs="*", default=[])
    options = parser.parse_args()
    model, index, collection = Model.load(options.model), Index.load(options.index), Collection.open(options.collection)
    queries = list(collection.queries("dev"))[: options.queries]
    judged = collection.qrels("dev")
    qrels = {query.id: judged[query.id] for query in queries}
    forests = [(query.id, model.forest(query.text, query.id)) for query in queries]
    configs = {"DT": SearchConfig("dt"), "PSQ λ .4": SearchConfig("psq"),
               "forest PSQ λ .4": SearchConfig("psq", psq=PsqConfig(forest=True))}
    configs |= {f"BOW-FD v {v}": SearchConfig(weights=TermWeights(v)) for v in options.v}
    configs |= {f"BOW-FD beam {beam}": SearchConfig(bowfd=Forced(beam=beam)) for beam in options.beam}
    print(f"{len(queries)} dev queries, model {model.signature}, index {index.signature}\n")
    print("| | MAP | NDCG |\n|---|---|---|")
    for name, config in configs.items():
        found = Searcher(model, index, config).search_all(forests)
        run = {q: {hit.doc: hit.score for hit in hits} for q, hits in found}
        values = ir_measures.calc_aggregate([AP, nDCG], qrels, run)
        print(f"| {name} | {values[AP]:.4f} | {values[nDCG]:.4f} |")


if __name__ == "__main__":
    main()
