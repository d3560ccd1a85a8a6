"""The hashed model as an object: scores, perplexity, saving, mapping, damage."""

import numpy as np
import pytest

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.tables import EXTENDS_LEFT, EXTENDS_RIGHT, KNOWN
from crossbow.lm.words import BEGIN, END
from reference.lm import corpus_of, kneser_ney, log_score, random_text

TEXT = random_text(1, 100, 30, 9)


@pytest.fixture(scope="module")
def model():
    return LanguageModel.from_ngrams(estimate(corpus_of(TEXT), 30, Smoothing(3)))


def test_perplexity_is_per_word_and_sentence_end(model):
    slow = kneser_ney(TEXT, 30, 3)
    unseen = [*random_text(2, 20, 40, 9), []]
    total = sum(log_score(slow, 3, sentence, True, True) for sentence in unseen)
    expected = 10 ** (-total / sum(len(sentence) + 1 for sentence in unseen))
    assert model.perplexity(corpus_of(unseen)) == pytest.approx(expected, rel=1e-4)
    with pytest.raises(CrossbowError, match="no sentences"):
        model.perplexity(corpus_of([]))


def test_saved_models_are_mapped_and_score_the_same(model, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SMALL", 0)
    model.save(tmp_path / "lm")
    model.save(tmp_path / "lm")  # replaces itself
    loaded = LanguageModel.load(tmp_path / "lm")
    assert (loaded.order, loaded.vocab_size, loaded.signature) == (3, 30, model.signature)
    assert isinstance(loaded.tables.entries.base, np.memmap)
    for sentence in TEXT[:20]:
        assert loaded.score(np.array(sentence)) == model.score(np.array(sentence))
    meta = store.header(tmp_path / "lm")["meta"]
    assert meta["order"] == 3
    assert meta["counts"] == model.tables.counts.tolist()


def test_signature_follows_content():
    first, second = (LanguageModel.from_ngrams(estimate(corpus_of(TEXT[n:]), 30, Smoothing(2))) for n in (0, 1))
    again = LanguageModel.from_ngrams(estimate(corpus_of(TEXT), 30, Smoothing(2)))
    assert first.signature == again.signature != second.signature


def test_a_model_of_order_one_has_no_table_entries(tmp_path):
    model = LanguageModel.from_ngrams(estimate(corpus_of(TEXT), 30, Smoothing(1)))
    model.save(tmp_path / "lm")
    loaded = LanguageModel.load(tmp_path / "lm")
    slow = kneser_ney(TEXT, 30, 1)
    assert loaded.score(np.array([3, 4, 99])) == pytest.approx(log_score(slow, 1, [3, 4, 99], True, True), abs=1e-5)


def test_damaged_models_are_refused(model, tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        LanguageModel.load(tmp_path / "nothing")
    model.save(tmp_path / "lm")
    entries = tmp_path / "lm" / "entries.npy"
    entries.write_bytes(entries.read_bytes()[:-100])
    with pytest.raises(InputError, match="damaged"):
        LanguageModel.load(tmp_path / "lm")
    store.save(tmp_path / "odd", "lm", model.tables._replace(flags=model.tables.flags[:-1]), {"signature": "x"})
    with pytest.raises(InputError, match="do not fit together"):
        LanguageModel.load(tmp_path / "odd")


def test_word_flags_say_what_the_text_says(model):
    flags = model.tables.word_flags
    marked = [[BEGIN, *sentence, END] for sentence in TEXT]
    for word in range(30):
        assert bool(flags[word] & KNOWN) == (word < 3 or any(word in sentence for sentence in TEXT))
        assert bool(flags[word] & EXTENDS_LEFT) == any(word in sentence[1:] for sentence in marked)
        assert bool(flags[word] & EXTENDS_RIGHT) == any(word in sentence[:-1] for sentence in marked)


def test_knows_the_words_of_its_text():
    model = LanguageModel.from_ngrams(estimate(corpus_of([[3, 5], [-1]]), 7, Smoothing(2)))
    ids = np.array([-1, 0, 1, 2, 3, 4, 5, 6, 7], np.int32)
    assert model.knows(ids).tolist() == [False, False, False, True, True, False, True, False, False]
