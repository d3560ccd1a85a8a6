"""ARPA files: round trips, KenLM as the judge, and everything that can be wrong with a file."""

import gzip
import itertools
import lzma
import random

import numpy as np
import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.lm.arpa import MISSING_UNK, read_arpa, write_arpa
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.words import BEGIN, END, UNK, new_vocab
from crossbow.vocab import Vocab
from reference.lm import corpus_of, log_score, random_text

SMALL = """\
A comment that some toolkits write.

\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>
-99 <s> -0.3
-0.7\t</s>
-0.4\thaus\t-0.2
-0.5   тест   0

\\2-grams:
-0.1\t<s> haus
-0.25\thaus тест\t-0.125
-0.3\tтест </s>

\\end\\
"""


@pytest.fixture
def arpa(tmp_path):
    def write(text):
        path = tmp_path / "model.arpa"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def numbered_vocab(size):
    vocab = new_vocab()
    vocab.add_all([f"w{i}ß" for i in range(3, size)])
    return vocab


def same(left, right):
    return left.counts == right.counts and all(
        np.array_equal(a, b) for field in range(3) for a, b in zip(left[field], right[field])
    )


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("name", ["a.arpa", "a.arpa.gz"])
def test_round_trip_changes_nothing(tmp_path, order, name):
    vocab = numbered_vocab(40)
    ngrams = estimate(corpus_of(random_text(order, 80, 40, 9)), len(vocab), Smoothing(order))
    write_arpa(tmp_path / name, ngrams, vocab)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith("gz")
    back, read_vocab = read_arpa(tmp_path / name, Vocab(vocab.words))
    assert same(ngrams, back)
    assert read_vocab.words == vocab.words
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_new_vocabulary_gets_the_words_of_the_file(arpa):
    ngrams, vocab = read_arpa(arpa(SMALL))
    assert vocab.words == ["<unk>", "<s>", "</s>", "haus", "тест"]
    assert ngrams.counts == [5, 3]
    assert ngrams.words[1].tolist() == [[BEGIN, 3], [3, 4], [4, END]]
    assert ngrams.backoffs[0].tolist() == pytest.approx([0, -0.3, 0, -0.2, 0])
    assert ngrams.backoffs[1].tolist() == [0, 0, 0]  # of the highest order they mean nothing
    model = LanguageModel.from_ngrams(ngrams)
    assert model.score(vocab.ids(["haus", "тест"])) == pytest.approx(-0.1 - 0.25 - 0.3)
    assert model.score(vocab.ids(["тест", "haus"])) == pytest.approx(-0.3 - 0.5 - 0.4 - 0.2 - 0.7)


def test_words_join_a_given_vocabulary_whose_other_words_stay_unknown(arpa):
    vocab = new_vocab()
    vocab.add_all(["anderes", "тест"])
    ngrams, same_vocab = read_arpa(arpa(SMALL), vocab)
    assert same_vocab is vocab
    assert vocab.words[3:] == ["anderes", "тест", "haus"]
    model = LanguageModel.from_ngrams(ngrams)
    assert model.score(vocab.ids(["anderes"])) == model.score(vocab.ids(["nie", "gesehen"])[:1])


def test_kenlm_agrees(tmp_path):
    kenlm = pytest.importorskip("kenlm", reason="NOT CHECKED AGAINST KENLM: `pip install kenlm` needs a C++ compiler")
    rng = random.Random(1)
    for order in (2, 3, 4, 6):
        vocab = numbered_vocab(200)
        ngrams = estimate(corpus_of(random_text(order, 2000, 200, 15)), len(vocab), Smoothing(order))
        write_arpa(tmp_path / "a.arpa", ngrams, vocab)
        ours = LanguageModel.from_ngrams(ngrams)
        theirs = kenlm.Model(str(tmp_path / "a.arpa"))
        assert theirs.order == order
        sentences = random_text(order, 125, 200, 15) + random_text(99, 125, 200, 25)
        for sentence in sentences:
            words = [vocab.words[i] if rng.random() < 0.95 else "unbekannt" for i in sentence]
            expected = theirs.score(" ".join(words), bos=True, eos=True)
            assert ours.score(vocab.ids(words)) == pytest.approx(expected, abs=1e-4)


def test_missing_unk_is_very_unlikely(arpa):
    text = SMALL.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4")
    ngrams, _ = read_arpa(arpa(text))
    assert ngrams.probs[0][ngrams.words[0][:, 0] == UNK].tolist() == [MISSING_UNK]
    upper, _ = read_arpa(arpa(SMALL.replace("<unk>", "<UNK>")))
    assert upper.probs[0][upper.words[0][:, 0] == UNK].tolist() == [-1.5]


def test_parts_that_were_pruned_away_are_put_back_without_changing_a_score(tmp_path):
    vocab = numbered_vocab(12)
    ngrams = estimate(corpus_of(random_text(3, 60, 12, 8)), len(vocab), Smoothing(4))
    rng = np.random.default_rng(0)
    kept = [rng.random(count) < share for count, share in zip(ngrams.counts, (1, 0.4, 0.4, 1))]
    holes = ngrams._replace(**{
        field: tuple(values[keep] for values, keep in zip(getattr(ngrams, field), kept))
        for field in ("words", "probs", "backoffs")
    })  # fmt: skip
    write_arpa(tmp_path / "holes.arpa", holes, vocab)
    closed, _ = read_arpa(tmp_path / "holes.arpa", vocab)
    assert closed.counts[1] > holes.counts[1]
    grams = [{tuple(row) for row in rows.tolist()} for rows in closed.words]
    for shorter, longer in itertools.pairwise(grams):
        assert {g[1:] for g in longer} | {g[:-1] for g in longer} <= shorter
    slow = {
        tuple(g): (float(p), float(b)) for gs, ps, bs in zip(*holes[:3]) for g, p, b in zip(gs.tolist(), ps, bs)
    }
    fast = LanguageModel.from_ngrams(closed)
    for sentence in random_text(4, 200, 14, 8):
        expected = log_score(slow, 4, sentence, True, True)
        assert fast.score(np.array(sentence, np.int32)) == pytest.approx(expected, abs=1e-4)


BROKEN = [
    ("", None, "no \\data\\ line"),
    ("Dies ist ein Brief.\n", 1, "no \\data\\ line"),
    (SMALL.replace("ngram 1=5", "ngram one=5"), 4, "counts for 0 orders"),
    (SMALL.replace("ngram 2=3", "ngram 3=3"), 5, "count of 3-grams, expected that of 2-grams"),
    (SMALL.replace("\\1-grams:", "\\3-grams:"), 7, "expected \\1-grams:"),
    (SMALL.replace("-0.4\thaus", "nan\thaus"), 11, "log10 probability nan"),
    (SMALL.replace("haus\t-0.2", "haus\tinf"), 11, "backoff inf"),
    (SMALL.replace("-0.4\thaus", "0.4\thaus"), 11, "not above 0"),
    (SMALL.replace("-0.4\thaus", "viel\thaus"), 11, "not a number"),
    (SMALL.replace("-0.1\t<s> haus", "-0.1\t<s> hof"), 15, "'hof' is not among the 1-grams"),
    (SMALL.replace("-0.1\t<s> haus", "-0.1\thaus"), 15, "2 fields"),
    (SMALL.replace("-0.1\t<s> haus", "-0.1\t<s> haus -1 -1"), 15, "5 fields"),
    (SMALL.replace("-0.3\tтест </s>", "-0.3\t<s> haus"), 17, "twice"),
    (SMALL.replace("-0.5   тест", "-0.5 haus"), 12, "twice"),
    (SMALL.replace("1=5", "1=6"), 13, "5 1-grams, the header promises 6"),
    (SMALL[: SMALL.index("-0.3\tтест")], 16, "2 2-grams, the header promises 3"),
    (SMALL[: SMALL.index("\\2-grams")], 13, "the end of the file, expected \\2-grams:"),
    (SMALL.replace("\\end\\\n", ""), 18, "expected \\end\\"),
    (SMALL.replace("</s>", "ende"), None, "</s> is not among the 1-grams"),
    (SMALL.encode().replace(b"haus", b"h\xe4us"), 11, "not in UTF-8"),
    (SMALL.encode("utf-16"), None, "no \\data\\ line"),
    (gzip.compress(SMALL.encode())[:-40], None, "damaged or truncated"),
    (lzma.compress(SMALL.encode())[:-40], None, "damaged or truncated"),
    (b"\x1f\x8bnonsense", None, "damaged or truncated"),
]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compressed_files_need_no_special_name(arpa, pack):
    assert read_arpa(arpa(pack(SMALL.encode())))[1].words == read_arpa(arpa(SMALL))[1].words


@pytest.mark.parametrize(("text", "line", "problem"), BROKEN)
def test_broken_files_are_refused_with_file_and_line(arpa, text, line, problem):
    path = arpa(text)
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value).startswith(str(path))
    assert problem in str(caught.value)
    if line is not None:
        assert caught.value.line == line


def test_paths_and_words_that_cannot_be(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_arpa(tmp_path / "none.arpa")
    with pytest.raises(CrossbowError, match="new_vocab"):
        read_arpa(tmp_path / "none.arpa", Vocab(["haus"]))
    vocab = new_vocab()
    vocab.add("zwei worte")
    with pytest.raises(CrossbowError, match="zwei worte"):
        write_arpa(tmp_path / "a.arpa", estimate(corpus_of([[3]]), 4, Smoothing(2)), vocab)
    assert not any(tmp_path.iterdir())
