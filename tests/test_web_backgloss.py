"""What words of documents mean: by links of the training text, by stems, and nothing for words that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.model import Model
from crossbow.text.analyzer import Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.web.backgloss import BackGlosses
from training import corpus

ENTRIES = [("Schloss", "castle"), ("Schloss", "lock"), ("Burg", "castle"), ("See", "lake"), ("die", "the"),
           ("Linux", "Linux")]


def of(model: Model) -> BackGlosses:
    assert model.lexicon
    return BackGlosses(model.lexicon, model.source, model.target)


@pytest.fixture(scope="module")
def glosses(tmp_path_factory: pytest.TempPathFactory) -> BackGlosses:
    folder: Path = tmp_path_factory.mktemp("backgloss")
    (folder / "dictionary.tsv").write_text("".join(f"{word}\t{other}\n" for word, other in ENTRIES))
    from_dictionary(folder / "dictionary.tsv", folder / "model", SuppliedConfig(Settings("de"), Settings("en")))
    return of(Model.load(folder / "model"))


def test_words_and_what_they_mean(glosses: BackGlosses) -> None:
    assert glosses.pieces("The Castle, by the lakes!") == [
        ("The ", []), ("Castle", ["schloss", "burg"]), (", by the ", []), ("lakes", ["see"]), ("!", [])]
    assert glosses.pieces("zebra") == [("zebra", [])]  # unknown
    assert glosses.pieces("Linux") == [("Linux", [])]  # means itself
    assert glosses.pieces("") == []


def test_meanings_are_counted_links(tmp_path_factory: pytest.TempPathFactory) -> None:
    """By a slow count over all links of the training text."""
    model = Model.load(corpus(tmp_path_factory) / "model")
    found = of(model)
    b = found.lexicon.bitext
    for word in ("doctor", "winter", "forest"):
        counts: dict[str, int] = {}
        for at in range(len(b.source)):
            for link in b.link_targets[b.link_starts[at] : b.link_starts[at + 1]]:
                target = found.lexicon.target.words[b.target[b.target_starts[b.sentence[at]] + link]]
                if target == word:
                    source = found.lexicon.source.words[b.source[at]]
                    counts[source] = counts.get(source, 0) + 1
        most = max(counts.values())
        assert counts[found.meanings(word)[0]] == most
        assert 1 <= len(found.meanings(word)) <= 3
        assert all(counts[one] >= 0.1 * sum(counts.values()) for one in found.meanings(word))


@given(st.text(alphabet="castlelake THE,.!\u00e9\U0001f3f9\u05d0\u56fe\u202e\n", max_size=40))
def test_nothing_of_a_text_is_lost(glosses: BackGlosses, text: str) -> None:
    assert "".join(piece for piece, _ in glosses.pieces(text)) == text
