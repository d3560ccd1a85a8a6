"""What weights are tuned on stays out of what they are tuned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.lm.estimate import Smoothing
from crossbow.lm.model import LanguageModel
from crossbow.model import Model
from crossbow.records import ParallelText, write_lines
from crossbow.training import parallel
from crossbow.training.heldout import SHORT, lines_with, not_trained_on, without
from crossbow.training.parallel import train
from crossbow.vocab import Corpus, Vocab
from training import QUICK, real_pairs, write_pairs

Lines = list[list[int]]


def corpus(lines: Lines) -> Corpus:
    words = np.array([word for line in lines for word in line], np.int32)
    return Corpus(words, np.cumsum([0, *map(len, lines)], dtype=np.int64))


def contains(line: list[int], sentence: list[int]) -> bool:
    """By strings, for words below 10."""
    text, part = ("".join(map(str, words)) for words in (line, sentence))
    return bool(part) and (part in text if len(part) >= SHORT else part == text)


lines_of_words = st.lists(st.lists(st.integers(0, 2), max_size=14), max_size=8)


@given(lines_of_words, st.lists(st.lists(st.integers(-1, 3), max_size=8), max_size=4))
def test_lines_with_a_sentence(lines: Lines, sentences: Lines) -> None:
    found = lines_with(corpus(lines), [np.array(one, np.int32) for one in sentences])
    known = [one for one in sentences if min(one, default=0) >= 0]
    assert found.tolist() == [any(contains(line, one) for one in known) for line in lines]


@given(lines_of_words, st.data())
def test_documents_with_a_reference_are_left_out(lines: Lines, data: st.DataObject) -> None:
    document = data.draw(st.lists(st.integers(0, 3), min_size=len(lines), max_size=len(lines)))
    references = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7), max_size=2))
    bad = {n for n, line in zip(document, lines) if any(contains(line, one) for one in references)}
    expected = [line for n, line in zip(document, lines) if n not in bad]
    asked = corpus(lines), np.array(document, np.int32), [np.array(one, np.int32) for one in references]
    if 2 * sum(map(len, expected)) < sum(map(len, lines)):
        with pytest.raises(CrossbowError, match="one document per line"):
            without(*asked)
        return
    kept = without(*asked)
    assert [kept.words[a:b].tolist() for a, b in zip(kept.starts, kept.starts[1:])] == expected


def test_pairs_that_were_trained_on() -> None:
    source, target = corpus([[1, 2], [3], [3]]), corpus([[1], [2, 3], [4]])
    pairs = [([1, 2], [1]), ([1, 2], [4]), ([3], [4]), ([7], [7]), ([1], [2, 1])]
    given = [(np.array(left, np.int32), np.array(right, np.int32)) for left, right in pairs]
    assert not_trained_on(given, source, target) == [False, True, False, True, True]
    with pytest.raises(CrossbowError, match="2 of 3 tuning pairs are training pairs too"):
        not_trained_on([given[0], given[2], given[3]], source, target)


# In training


def _trained(folder: Path, monkeypatch: pytest.MonkeyPatch, lm_texts: tuple[Path, ...] = (), **options: Any
             ) -> tuple[dict[str, Any], list[LanguageModel]]:
    """A summary of training, and the language models that were estimated on the way."""
    made: list[LanguageModel] = []

    def watched(text: Corpus, vocab: Vocab, smoothing: Smoothing, arpa: Any) -> LanguageModel:
        made.append(original(text, vocab, smoothing, arpa))
        return made[-1]

    original = parallel.language_model
    monkeypatch.setattr(parallel, "language_model", watched)
    texts = {name: ParallelText(folder / f"{name}.de", folder / f"{name}.en") for name in ("train", "tune")}
    summary = train(texts["train"], folder / "model", QUICK, tuning=texts["tune"], lm_texts=lm_texts, **options)
    return summary, made


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Real pairs: 300 to train on, 20 others to tune on."""
    pairs = list(dict.fromkeys(real_pairs(400)))
    write_pairs(tmp_path, "train", pairs[:300])
    write_pairs(tmp_path, "tune", pairs[300:320])
    return tmp_path


def test_weights_do_not_know_the_references(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With them in the language model's text, weights and BLEU are as if they were not there; the model has them."""
    references = (text / "tune.en").read_text(encoding="utf8").splitlines()
    other = [f"d{n}\tThe {n}th document. It is about something else." for n in range(20)]
    write_lines(text / "other.tsv", other)
    write_lines(text / "docs.tsv", [*other, *(f"r{n}\tA title. {one} More." for n, one in enumerate(references))])
    plain, (first,) = _trained(text, monkeypatch, (text / "other.tsv",))
    weights = Model.load(text / "model").decoder.weights
    found, (second, blind) = _trained(text, monkeypatch, (text / "docs.tsv",))
    assert Model.load(text / "model").decoder.weights == weights
    for key in ("bleu", "perplexity", "tuned_on"):
        assert found[key] == plain[key]
    counts = [lm.tables.counts[1:].tolist() for lm in (first, blind, second)]
    assert counts[0] == counts[1] < counts[2]
    assert found["lm_tokens"] > plain["lm_tokens"]


def test_a_group_with_a_reference_is_left_out(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One training pair of three in a group has the English side of a tuning pair."""
    english = (text / "train.en").read_text(encoding="utf8").splitlines()
    reference = (text / "tune.en").read_text(encoding="utf8").splitlines()[3]
    write_lines(text / "train.en", [*english[:100], reference, "xylophones", *english[102:]])
    write_lines(text / "groups", [f"g{n // 3}" for n in range(300)])
    _, (whole, blind) = _trained(text, monkeypatch, groups=text / "groups")
    model = Model.load(text / "model")
    assert [lm.knows(model.decoder.target.ids(["xylophones", "the"])).tolist() for lm in (whole, blind)] == [
        [True, True], [False, True]]


def test_tuning_pairs_that_were_trained_on_do_not_count(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = real_pairs(300)
    tuning = list(ParallelText(text / "tune.de", text / "tune.en"))
    alone, _ = _trained(text, monkeypatch)
    write_pairs(text, "tune", [*pairs[:5], *tuning, *pairs[5:10]])
    assert _trained(text, monkeypatch)[0]["tuned_on"] == alone["tuned_on"] == len(tuning)
    write_pairs(text, "tune", pairs[:20])
    with pytest.raises(CrossbowError, match="20 of 20 tuning pairs are training pairs too"):
        _trained(text, monkeypatch)
