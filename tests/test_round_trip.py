"""English queries find documents in other scripts: train, index, search, explain, learn, on small texts of our own."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

import crossbow
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.snippet import snippet
from crossbow.records.judged import JudgedQuery
from crossbow.text.languages import language

# Nouns, adjectives, and how a sentence is made of one of each.
TEXTS = {
    "zh": ({"library": "图书馆", "mountain": "高山", "teacher": "老师", "river": "河流", "market": "市场",
            "garden": "花园"},
           {"old": "古老", "small": "小型", "famous": "著名", "quiet": "安静"},
           [("the {0} {1}", "{0}的{1}"), ("we like the {0} {1}", "我们喜欢{0}的{1}"), ("this is a {1}", "这是{1}")]),
    "th": ({"library": "ห้องสมุด", "mountain": "ภูเขา", "teacher": "ครู", "river": "แม่น้ำ", "market": "ตลาด",
            "garden": "สวน"},
           {"old": "เก่า", "small": "เล็ก", "famous": "มีชื่อเสียง", "quiet": "เงียบ"},
           [("the {0} {1}", "{1}{0}"), ("we like the {0} {1}", "เราชอบ{1}{0}"), ("this is a {1}", "นี่คือ{1}")]),
    "ar": ({"library": "المكتبة", "school": "المدرسة", "city": "المدينة", "garden": "الحديقة", "car": "السيارة",
            "island": "الجزيرة"},
           {"old": "القديمة", "small": "الصغيرة", "famous": "المشهورة", "quiet": "الهادئة"},
           [("the {0} {1}", "{1} {0}"), ("we like the {0} {1}", "نحب {1} {0}"), ("this is the {1}", "هذه {1}")]),
}


def made(lang: str, folder: Path) -> tuple[Model, Index]:
    """A model from English, and an index of documents that have an adjective and a noun each."""
    nouns, adjectives, patterns = TEXTS[lang]
    pairs = [(ours.format(adjective, noun), theirs.format(adjectives[adjective], nouns[noun]))
             for noun, adjective in product(nouns, adjectives) for ours, theirs in patterns]
    model = crossbow.train([pair[0] for pair in pairs], [pair[1] for pair in pairs], folder / "model",
                           source_lang="en", target_lang=lang)
    docs = [{"id": f"{adjective}-{noun}", "text": patterns[0][1].format(adjectives[adjective], nouns[noun])}
            for noun, adjective in product(nouns, adjectives)]
    return model, crossbow.build_index(docs, folder / "index", lang=lang)


@pytest.mark.parametrize("lang", sorted(TEXTS))
def test_train_index_search_and_explain(lang: str, tmp_path: Path) -> None:
    if language(lang).segmenters[0] == "icu":
        pytest.importorskip("icu4py")
    nouns, adjectives, _ = TEXTS[lang]
    model, index = made(lang, tmp_path)
    noun = list(nouns)[3]
    for method in ("dt", "psq", "bowfd"):
        searcher = crossbow.Searcher(model, index, {"method": method})
        hits = searcher.search(f"the quiet {noun}", k=3)
        assert hits[0].doc == f"quiet-{noun}", method
        explanation = searcher.explain(f"the quiet {noun}", hits[0].doc)
        assert explanation.score == pytest.approx(hits[0].score)
    number = index.number(f"quiet-{noun}")
    pieces = snippet(index.doc(number), index.analyzer, searcher.prepare(f"the quiet {noun}").terms(number))
    marked = "".join(text for text, found in pieces if found)
    assert all(word in marked.replace(" ", "") for word in (nouns[noun], adjectives["quiet"]))


@pytest.mark.parametrize("lang", ["ar", "th"])
def test_weights_are_learned_from_documents_in_another_script(lang: str, tmp_path: Path) -> None:
    """Judges look at adjectives alone: what is quiet is right, whatever it is. So nouns learn to say less."""
    if language(lang).segmenters[0] == "icu":
        pytest.importorskip("icu4py")
    nouns, adjectives, _ = TEXTS[lang]
    model, index = made(lang, tmp_path)
    queries = [JudgedQuery(f"{adjective}-{noun}", f"the {adjective} {noun}",
                           {f"{adjective}-{other}": 1 for other in nouns}, f"{adjective}-{noun}")
               for noun, adjective in product(nouns, adjectives)]
    learn(model, index, queries[8:], queries[:8], LearnConfig(epochs=3, negatives=4, hard=2), folder=tmp_path / "model",
          out=tmp_path / "learned", search=SearchConfig.of(model, "bowfd"))
    weights = Model.load(tmp_path / "learned").learned.terms
    means = [fmean(weights[term] for word in words for term in index.analyzer.terms(word) if term in weights)
             for words in (nouns.values(), adjectives.values())]
    assert means[0] < means[1], means
