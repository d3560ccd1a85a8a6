"""Models of a grammar: the rules that fit a sentence, how words are counted, and what is wrong with files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossbow.decode.decoder import START_WEIGHTS, Decoder
from crossbow.errors import InputError
from crossbow.forest.hypergraph import forest_line
from crossbow.grammar.rulefile import matching_rules, read_rules, write_rules
from crossbow.model import Model
from crossbow.records import write_lines
from crossbow.training.grammar import from_grammar, read_weights
from crossbow.training.supplied import SuppliedConfig
from crossbow.vocab import Vocab
from supplies import GRAMMAR
from training import ENGLISH, GERMAN, corpus

CONFIG = SuppliedConfig(GERMAN, ENGLISH, compounds=False)


def test_a_grammar_decodes_like_the_text_it_was_drawn_from(tmp_path_factory: pytest.TempPathFactory) -> None:
    model = Model.load(corpus(tmp_path_factory) / "model")
    decoder = model.decoder
    for sentence in ("Das Schloss ist alt.", "Der Zug hat Verspätung."):
        tokens = model.tokens(sentence)
        rules = decoder.rules(tokens)
        other = Decoder(decoder.bitext, decoder.source, decoder.target, decoder.lm, decoder.weights, decoder.config,
                        grammar=rules)  # fmt: skip
        assert forest_line(other.decode(tokens)) == forest_line(decoder.decode(tokens))


def test_rules_of_a_sentence(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    """Those whose source words it has, with all that belongs to them."""
    decoder = Model.load(corpus(tmp_path_factory) / "model").decoder
    rules = decoder.rules(["das", "schloss", "ist", "alt", "und", "die", "bank", "verleiht", "geld", "."])
    write_rules(tmp_path / "all", rules, decoder.source.words, decoder.target.words)
    ids = decoder.source.ids(["die", "bank", "ist", "xyzzy", "."])
    write_rules(tmp_path / "some", matching_rules(rules, ids), decoder.source.words, decoder.target.words)
    there = {"die", "bank", "ist", ".", "[X,1]", "[X,2]"}
    expected = [line for line in (tmp_path / "all").read_text().splitlines()
                if there.issuperset(line.split(" ||| ")[1].split())]  # fmt: skip
    assert 10 < len(expected) < len(rules.counts)
    assert (tmp_path / "some").read_text().splitlines() == expected
    none = matching_rules(rules, np.array([-1], np.int32))
    assert (len(none.samples), len(none.counts), len(none.source)) == (0, 0, 0)


def test_a_model_of_a_grammar(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(GRAMMAR)
    write_lines(tmp_path / "text", ["old is castle", "the castle"] * 3)
    (tmp_path / "weights").write_text("# tuned\nLanguageModel 0.7\nEgivenFCoherent -0.5\nWordPenalty=-1\nGlue -20\n")
    summary = from_grammar(tmp_path / "rules", tmp_path / "model", CONFIG, lm_texts=[tmp_path / "text"],
                           weights=tmp_path / "weights")  # fmt: skip
    assert (summary["rules"], summary["patterns"]) == (5, 4)
    model = Model.load(tmp_path / "model")
    assert model.decoder.weights == {"LanguageModel": 0.7, "EgivenFCoherent": -0.5, "WordPenalty": -1.0, "Glue": -20.0}
    forest = model.forest("Schloss ist alt")
    assert model.best(forest) == ["old", "is", "castle"]
    assert "lock" in forest.words
    assert model.lexicon.translations("schloss") == [("castle", 0.6), ("lock", 0.4)]  # counted 3 and 2 times
    assert model.tokens("Schlösser") == ["schlösser"]  # words are those of the text that rules came from
    assert model.with_settings(pop_limit=5).decoder.grammar is model.decoder.grammar
    source, target = Vocab([" "]), Vocab(["<unk>", "<s>", "</s>"])
    assert np.array_equal(read_rules(tmp_path / "rules", source, target).features, model.decoder.grammar.features)


def test_the_signature_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").write_text(GRAMMAR)
    write_lines("text", ["the old castle", "the lock"])
    summary = from_grammar("rules", "model", CONFIG, lm_texts=["text"])
    assert summary["signature"] == Model.load("model").signature == "41944927c1f4"


@pytest.mark.parametrize(("text", "message"), [
    ("", "w: no weights in it; write `name value`"),
    ("LanguageModel 0.7\nBogus 1", "w:2: 'Bogus 1' is not the weight of a feature"),
    ("Glue nan", "w:1: 'Glue nan' is not the weight"),
    ("Glue", "w:1: 'Glue' is not the weight"),
    ("Glue 1\nGlue 2", "w:2: 'Glue 2' is not the weight of a feature, or its second"),
])  # fmt: skip
def test_bad_weights(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "w").write_text(text)
    with pytest.raises(InputError) as caught:
        read_weights(tmp_path / "w")
    assert message in str(caught.value)
    assert set(START_WEIGHTS) >= {"Glue", "LanguageModel"}


def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("[X] ||| a ||| b ||| Bogus=1\n")
    with pytest.raises(InputError, match=r"rules:1: feature 'Bogus=1' is unknown"):
        from_grammar(tmp_path / "rules", tmp_path / "model", CONFIG)
    assert not (tmp_path / "model").exists()
