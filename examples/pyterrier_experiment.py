"""Cross-lingual search in PyTerrier: an experiment on the demo, cell by cell. No Java, no network.

    pip install 'crossbow-clir[pyterrier]' && python examples/pyterrier_experiment.py

German queries find English documents. The first run trains a model on the demo's parallel text (half a minute), in the
folder crossbow-demo. Editors that know `# %%` show the cells as a notebook.
"""

# %% The data: a small collection that comes with the package
from pathlib import Path

import pyterrier as pt

from crossbow import demo
from crossbow.pyterrier import CrossbowFusion, CrossbowIndex, CrossbowModel

dataset = pt.get_dataset("crossbow:demo")
topics, qrels = dataset.get_topics("test"), dataset.get_qrels("test")
print(f"{len(topics)} queries in {dataset.get_topics_lang()}, for documents in {dataset.get_corpus_lang()}")

# %% A model that translates, and an index
folder = Path("crossbow-demo")
demo.ensure(folder)
model = CrossbowModel(folder / "model")
index = CrossbowIndex(folder / "pyterrier-index", lang="en").index(dataset.get_corpus_iter())

# %% Retrievers: direct translation, structured queries, forced decoding; with feedback; two of them fused
dt = index.retriever(model, "dt")
psq = index.retriever(model, "psq")
bowfd = index.retriever(model, "bowfd")
feedback = bowfd.with_feedback(documents=10)
fusion = CrossbowFusion(psq, feedback)

# %% The experiment. All begin with the same forests, so that every query is translated once.
forests = model.forests()
table = pt.Experiment(
    [forests >> one for one in (dt, psq, bowfd, feedback, fusion)], topics, qrels,
    names=["DT", "PSQ", "BOW-FD", "BOW-FD + feedback", "PSQ + BOW-FD fused"],
    eval_metrics=["map", "ndcg", "recip_rank"], baseline=0, plan="tree",
)
print(table[["name", "map", "ndcg", "recip_rank", "map p-value"]].to_string(index=False, float_format="{:.4f}".format))

# %% One query: the translation that each document chose
query = "braune Flecken an der Zimmerdecke durch Wasser"
found = (bowfd % 3 >> index.explainer(model, "bowfd")).search(query)
print(f"best translation: {found['best_translation'].iloc[0]}")
print(found[["rank", "docno", "translation"]].to_string(index=False))

# %% Forced decoding as a reranker of what another system found, here of direct translation
reranked = (dt % 20 >> index.reranker(model, "bowfd")) % 3
print(reranked.search(query)[["rank", "docno", "score"]].to_string(index=False))
