"""Crossbow in PyTerrier: retrievers, rerankers and explanations as transformers, models and indexes as artifacts.

    import pyterrier as pt
    from crossbow.pyterrier import CrossbowIndex, CrossbowModel

    index = CrossbowIndex("index", lang="en")
    index.index(pt.get_dataset("irds:…").get_corpus_iter())     # or open one: pt.Artifact.load("index")
    model = CrossbowModel("model")                              # a folder that `crossbow train` wrote

    bowfd = index.retriever(model, "bowfd")                     # Q → R, by any method of crossbow.METHODS
    index.retriever(model)                                      # as the model was decided, or standard settings
    index.retriever(model, "bowfd").with_feedback(10)           # searches twice
    bm25 >> index.reranker(model, "bowfd")                      # R → R: forced decoding ranks what others found
    bowfd % 10 >> index.explainer(model, "bowfd")               # R → R with the translation that each document chose
    model.translate() >> bm25                                   # Q → Q: the best translation, for any other retriever
    CrossbowFusion(bowfd, dense)                                # Q → R: several retrievers as one, ours or others'

It needs the package `pyterrier` (crossbow's extra of that name), which is the core without Java. Nothing here starts
Java or uses the network.
"""

from crossbow.pyterrier.artifacts import CrossbowIndex, CrossbowModel
from crossbow.pyterrier.datasets import CrossbowDataset
from crossbow.pyterrier.fusion import CrossbowFusion
from crossbow.pyterrier.queries import CrossbowForests, CrossbowTranslate
from crossbow.pyterrier.results import CrossbowExplainer, CrossbowReranker, CrossbowRetriever, CrossbowTexts

__all__ = [
    "CrossbowDataset", "CrossbowExplainer", "CrossbowForests", "CrossbowFusion", "CrossbowIndex", "CrossbowModel",
    "CrossbowReranker", "CrossbowRetriever", "CrossbowTexts", "CrossbowTranslate",
]
