"""English queries find documents in other scripts: train, index, search, explain, on small texts of our own."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import crossbow
from crossbow.ranking.explain.snippet import snippet
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


@pytest.mark.parametrize("lang", sorted(TEXTS))
def test_train_index_search_and_explain(lang: str, tmp_path: Path) -> None:
    if language(lang).segmenters[0] == "icu":
        pytest.importorskip("icu4py")
    nouns, adjectives, patterns = TEXTS[lang]
    pairs = [(ours.format(adjective, noun), theirs.format(adjectives[adjective], nouns[noun]))
             for noun, adjective in product(nouns, adjectives) for ours, theirs in patterns]
    model = crossbow.train([pair[0] for pair in pairs], [pair[1] for pair in pairs], tmp_path / "model",
                           source_lang="en", target_lang=lang)
    docs = [{"id": f"{adjective}-{noun}", "text": patterns[0][1].format(adjectives[adjective], nouns[noun])}
            for noun, adjective in product(nouns, adjectives)]
    index = crossbow.build_index(docs, tmp_path / "index", lang=lang)
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
