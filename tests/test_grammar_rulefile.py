"""Grammar files: what is written is read back, what others write is understood, errors are named by file and line."""

import gzip
import lzma
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError, InputError
from crossbow.grammar.extract import RuleConfig, extract_rules
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rulefile import read_rules, write_rules
from crossbow.grammar.rules import Rules
from crossbow.vocab import Vocab
from reference.grammar import Pair, build, corpus

GOOD = "[X] ||| das [X,1] ||| the [1] ||| EgivenFCoherent=0.25 CountEF=0.30103 SampleCountF=0.477121 ||| 0-0\n"


def rules_of(patterns):
    """Rules from {source side: [(target side, links, features), …]} with counts as the features have them."""
    rules = [rule for group in patterns.values() for rule in group]
    source, target = corpus(list(patterns)), corpus([rule[0] for rule in rules])
    links = [link for rule in rules for link in rule[1]]
    groups = corpus([[0] * len(group) for group in patterns.values()]).starts
    features = np.array([rule[2] for rule in rules], np.float32).reshape(-1, len(FEATURES))
    counts = np.round(10.0 ** features[:, FEATURES.index("CountEF")] - 1)
    samples = np.round(10.0 ** features[groups[:-1], FEATURES.index("SampleCountF")] - 1)
    ints = np.int32
    return Rules(source.starts.astype(ints), source.words, samples.astype(ints), groups.astype(ints),
                 target.starts.astype(ints), target.words, corpus([rule[1] for rule in rules]).starts.astype(ints),
                 np.array(links, np.uint8).reshape(-1, 2), counts.astype(ints), features)


def assert_same(found, expected):
    for name, one, other in zip(Rules._fields, found, expected):
        assert one.dtype == other.dtype, name
        assert one.shape == other.shape, name
        if name == "features":
            assert one == pytest.approx(other, rel=1e-5, abs=1e-12)
        else:
            assert one.tolist() == other.tolist(), name


def write(path, text):
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opened(path, "wb") as handle:
        handle.write(text.encode() if isinstance(text, str) else text)
    return path


def read(path):
    source, target = Vocab(), Vocab()
    return read_rules(path, source, target), source, target


# Round trip

WORDS = ["", "das", "haus", "größe", "家", "[", "]", "[X]", "1-0", "a=b", "||", "0", "é"]  # id 0 is never used


@pytest.fixture(scope="module")
def extracted():
    """The rules of a sentence of a small random text."""
    rng = np.random.default_rng(7)
    pairs = []
    for _ in range(25):
        n = int(rng.integers(3, 12))
        links = {(i, int(np.clip(i + rng.integers(-1, 2), 0, n - 1))) for i in range(n) if rng.random() < 0.8}
        source, target = rng.integers(1, len(WORDS), (2, n)).tolist()
        pairs.append(Pair(source, target, frozenset(links)))
    rules = extract_rules(build(pairs, len(WORDS), len(WORDS)), np.array(pairs[0].source, np.int32), RuleConfig())
    assert len(rules.counts) > 50
    return rules


@pytest.mark.parametrize("name", ["rules.grammar", "rules.gz", "rules.grammar.xz"])
def test_extracted_rules_come_back(extracted, tmp_path, name):
    path = tmp_path / name
    write_rules(path, extracted, WORDS, WORDS)
    source, target = Vocab(WORDS), Vocab(WORDS)
    assert_same(read_rules(path, source, target), extracted)
    assert source.words == target.words == WORDS  # nothing new
    again = tmp_path / f"again-{name}"
    write_rules(again, read_rules(path, source, target), WORDS, WORDS)
    assert again.read_bytes() == path.read_bytes()


def test_compressed_files_are_compressed(extracted, tmp_path):
    for name, unpack in [("a.gz", gzip.decompress), ("a.xz", lzma.decompress)]:
        write_rules(tmp_path / name, extracted, WORDS, WORDS)
        write_rules(tmp_path / "plain", extracted, WORDS, WORDS)
        assert unpack((tmp_path / name).read_bytes()) == (tmp_path / "plain").read_bytes()


@st.composite
def grammars(draw):
    """Rules with nonterminals anywhere and links between any of their words."""
    patterns = {}
    word = st.integers(1, len(WORDS) - 1)
    for _ in range(draw(st.integers(1, 5))):
        gaps = list(range(-1, -1 - draw(st.integers(0, 2)), -1))
        source = draw(st.lists(word, min_size=1, max_size=5))
        places = sorted(draw(st.lists(st.integers(0, len(source)), min_size=len(gaps), max_size=len(gaps))))
        for place, gap in zip(reversed(places), reversed(gaps)):
            source.insert(place, gap)
        samples = draw(st.integers(1, 300))
        for _ in range(draw(st.integers(1, 3))):
            target = draw(st.permutations(gaps + draw(st.lists(word, min_size=not gaps, max_size=4))))
            cells = [(i, j) for i, f in enumerate(source) for j, e in enumerate(target) if f > 0 and e > 0]
            links = draw(st.lists(st.sampled_from(cells), unique=True, max_size=5)) if cells else []
            values = [draw(st.floats(0, 200, width=32)) for _ in FEATURES]
            values[FEATURES.index("SampleCountF")] = math.log10(1 + samples)
            values[FEATURES.index("CountEF")] = math.log10(1 + draw(st.integers(1, samples)))
            patterns.setdefault(tuple(source), []).append((target, links, values))
    return patterns


@settings(deadline=None, max_examples=100)
@given(patterns=grammars())
def test_any_rules_come_back(patterns, tmp_path_factory):
    path = tmp_path_factory.mktemp("grammar") / "x.grammar"
    for group in patterns.values():  # a pattern drawn twice has one number of samples
        for _, _, values in group:
            values[FEATURES.index("SampleCountF")] = group[0][2][FEATURES.index("SampleCountF")]
    rules = rules_of(patterns)
    write_rules(path, rules, WORDS, WORDS)
    assert_same(read_rules(path, Vocab(WORDS), Vocab(WORDS)), rules)


def test_the_file_looks_as_cdec_wants_it(tmp_path):
    values = [0.30103, 0.60206, 0.477121, 1, 99, 0, 1]
    rules = rules_of({(1, -1): [([-1, 2], [(0, 1)], values), ([2, -1], [], values)]})
    write_rules(tmp_path / "g", rules, WORDS, WORDS)
    features = ("EgivenFCoherent=0.30103 SampleCountF=0.60206 CountEF=0.477121 MaxLexFgivenE=1 MaxLexEgivenF=99 "
                "IsSingletonF=0 IsSingletonFE=1")
    assert (tmp_path / "g").read_text() == (
        f"[X] ||| das [X,1] ||| [1] haus ||| {features} ||| 0-1\n"
        f"[X] ||| das [X,1] ||| haus [1] ||| {features} |||\n")


def test_nothing_half_written_is_left(extracted, tmp_path):
    path = tmp_path / "g"
    with pytest.raises(IndexError):
        write_rules(path, extracted, ["too", "few"], ["words"])
    assert list(tmp_path.iterdir()) == []


# Reading what others write


def test_reading_a_line(tmp_path):
    rules, source, target = read(write(tmp_path / "g", GOOD))
    assert rules.source.tolist() == [0, -1]
    assert rules.target.tolist() == [0, -1]
    assert (source.words, target.words) == (["das"], ["the"])
    assert rules.align.tolist() == [[0, 0]]
    assert rules.counts.tolist() == [1]
    assert rules.samples.tolist() == [2]
    values = dict(zip(FEATURES, rules.features[0].tolist()))
    assert values == pytest.approx({**dict.fromkeys(FEATURES, 0.0), "EgivenFCoherent": 0.25, "CountEF": 0.30103,
                                    "SampleCountF": 0.477121})


@pytest.mark.parametrize("line", [
    "[X] ||| das [X,1] ||| the [X,1] ||| EgivenFCoherent=0.25 CountEF=0.30103 SampleCountF=0.477121 ||| 0-0",
    "[X] ||| das [1] ||| the [1] ||| SampleCountF=0.477121 CountEF=0.30103 EgivenFCoherent=0.25 ||| 0-0",
    "  [X]|||das  [X,1]|||the\t[1]||| EgivenFCoherent=2.5e-1  CountEF=0.30103 SampleCountF=0.477121|||0-0  ",
    GOOD.replace("\n", "\r"),
    "\ufeff" + GOOD.strip(),
    "\n\n" + GOOD.strip(),
], ids=["cdec target gap", "feature order", "spaces", "windows", "byte order mark", "empty lines"])
def test_other_ways_to_write_the_same(tmp_path, line):
    expected, *_ = read(write(tmp_path / "g", GOOD))
    assert_same(read(write(tmp_path / "other", line + "\n"))[0], expected)


def test_glue_rules(tmp_path):
    path = write(tmp_path / "g", GOOD + "[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1\n")
    with pytest.raises(InputError, match="leave glue rules out"):
        read(path)


def test_a_missing_alignment_or_missing_features_are_allowed(tmp_path):
    lines = "[X] ||| das ||| the ||| EgivenFCoherent=1\n[X] ||| haus ||| house ||| |||\n"
    rules, *_ = read(write(tmp_path / "g", lines))
    assert rules.align.shape == (0, 2)
    assert rules.align_starts.tolist() == [0, 0, 0]
    assert rules.features.sum() == 1
    assert rules.first.tolist() == [0, 1, 2]


def test_rules_of_one_source_side_are_grouped(tmp_path):
    lines = [f"[X] ||| {f} ||| {e} ||| CountEF=0.30103 ||| 0-0\n" for f, e in ["ac", "bd", "ae", "bf", "ag"]]
    rules, source, target = read(write(tmp_path / "g", "".join(lines)))
    assert [source.words[f] for f in rules.source] == ["a", "b"]
    assert rules.first.tolist() == [0, 3, 5]
    assert [target.words[e] for e in rules.target] == list("cegdf")


def test_new_words_join_the_vocabularies(tmp_path):
    source, target = Vocab([" ", "haus"]), Vocab(["<s>", "the"])
    rules = read_rules(write(tmp_path / "g", "[X] ||| das haus ||| the house ||| CountEF=1 |||\n"), source, target)
    assert rules.source.tolist() == [2, 1]
    assert rules.target.tolist() == [1, 2]
    assert source.words == [" ", "haus", "das"]


# What is wrong

FEATURE = "EgivenFCoherent=1"
BAD = {
    "no fields": "das haus",
    "three fields": "[X] ||| das ||| the",
    "six fields": f"[X] ||| das ||| the ||| {FEATURE} ||| 0-0 ||| more",
    "another left side": f"[S] ||| das ||| the ||| {FEATURE} ||| 0-0",
    "no left side": f"das ||| the ||| {FEATURE} ||| 0-0",
    "gap missing in target": f"[X] ||| das [X,1] ||| the ||| {FEATURE} ||| 0-0",
    "gap missing in source": f"[X] ||| das ||| the [1] ||| {FEATURE} ||| 0-0",
    "other gap in target": f"[X] ||| das [X,1] ||| the [2] ||| {FEATURE} ||| 0-0",
    "gap twice in target": f"[X] ||| das [X,1] ||| [1] the [1] ||| {FEATURE} ||| 0-0",
    "gap twice in source": f"[X] ||| [X,1] das [X,1] ||| [1] the [1] ||| {FEATURE} ||| 0-0",
    "gaps not in source order": f"[X] ||| [X,2] das [X,1] ||| [1] the [2] ||| {FEATURE} ||| 0-0",
    "only the second gap": f"[X] ||| [X,2] das ||| the [2] ||| {FEATURE} ||| 0-0",
    "three gaps": f"[X] ||| [X,1] a [X,2] b [X,1] ||| [1] [2] [1] ||| {FEATURE} |||",
    "no source": f"[X] ||| ||| the ||| {FEATURE} |||",
    "source without words": f"[X] ||| [X,1] ||| [1] the ||| {FEATURE} |||",
    "no target": f"[X] ||| das ||| ||| {FEATURE} |||",
    "unknown feature": "[X] ||| das ||| the ||| EgivenF=1 ||| 0-0",
    "feature in other case": "[X] ||| das ||| the ||| countef=1 ||| 0-0",
    "feature without value": "[X] ||| das ||| the ||| CountEF= ||| 0-0",
    "feature without name": "[X] ||| das ||| the ||| 0.5 ||| 0-0",
    "feature not a number": "[X] ||| das ||| the ||| CountEF=much ||| 0-0",
    "feature NaN": "[X] ||| das ||| the ||| CountEF=nan ||| 0-0",
    "feature infinite": "[X] ||| das ||| the ||| MaxLexFgivenE=-inf ||| 0-0",
    "feature overflows": "[X] ||| das ||| the ||| MaxLexFgivenE=1e999 ||| 0-0",
    "link not a pair": f"[X] ||| das ||| the ||| {FEATURE} ||| 0",
    "link far too long": f"[X] ||| das ||| the ||| {FEATURE} ||| {'1' * 5000}-0",
    "link of three": f"[X] ||| das ||| the ||| {FEATURE} ||| 0-0-0",
    "link not numbers": f"[X] ||| das ||| the ||| {FEATURE} ||| a-b",
    "link negative": f"[X] ||| das ||| the ||| {FEATURE} ||| 0--1",
    "link outside the source": f"[X] ||| das ||| the ||| {FEATURE} ||| 1-0",
    "link outside the target": f"[X] ||| das ||| the ||| {FEATURE} ||| 0-1",
    "link to a source gap": f"[X] ||| das [X,1] ||| the [1] ||| {FEATURE} ||| 1-0",
    "link to a target gap": f"[X] ||| das [X,1] ||| the [1] ||| {FEATURE} ||| 0-1",
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_bad_line_is_named(tmp_path, line, suffix):
    path = write(tmp_path / f"bad{suffix}", GOOD + "\n" + line + "\n" + GOOD)
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.path == str(path)
    assert caught.value.line == 3
    assert str(caught.value).startswith(f"{path}:3: ")


BEYOND = {
    "link in other digits": f"[X] ||| das ||| the ||| {FEATURE} ||| ²-0",
    "count beyond a float": "[X] ||| das ||| the ||| CountEF=400 ||| 0-0",
    "count beyond an int32": "[X] ||| das ||| the ||| CountEF=12 ||| 0-0",
    "samples beyond an int32": "[X] ||| das ||| the ||| SampleCountF=12 ||| 0-0",
    "negative count": "[X] ||| das ||| the ||| CountEF=-1 ||| 0-0",
    "feature beyond a float32": "[X] ||| das ||| the ||| MaxLexFgivenE=1e39 ||| 0-0",
    "link beyond a uint8": f"[X] ||| {'das ' * 300} ||| the ||| {FEATURE} ||| 299-0",
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("line", BEYOND.values(), ids=BEYOND.keys())
def test_a_value_that_rules_cannot_hold_is_named(tmp_path, line):
    test_a_bad_line_is_named(tmp_path, line, "")


@pytest.mark.parametrize("word", ["[1]", "[X,2]", "|||", "a|||b"])
def test_a_word_that_looks_like_notation_is_refused_or_comes_back(tmp_path, word):
    """Text that is tokenized already may have such words, most likely "[1]", a footnote mark on both sides."""
    words = ["das", word]
    rules = rules_of({(0, 1): [([0, 1], [(0, 0)], [1.0] * len(FEATURES))]})
    try:
        write_rules(tmp_path / "g", rules, words, words)
    except CrossbowError:
        return
    assert_same(read_rules(tmp_path / "g", Vocab(words), Vocab(words)), rules)


def test_bad_bytes_are_named(tmp_path):
    path = write(tmp_path / "bad", GOOD.encode() * 4 + b"[X] ||| gr\xf6sse ||| size ||| CountEF=1 ||| 0-0\n")
    with pytest.raises(InputError, match="UTF-8") as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (str(path), 5)


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_truncated_file_is_named(tmp_path, suffix, keep):
    lines = [GOOD.replace("das", f"das{n * 7919 % 10007}") for n in range(3000)]
    path = write(tmp_path / f"cut{suffix}", "".join(lines))
    path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
    with pytest.raises(InputError, match="truncated or damaged") as caught:
        read(path)
    assert caught.value.path == str(path)
    assert 1 <= caught.value.line <= 3001


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_file_that_is_not_compressed(tmp_path, suffix):
    path = tmp_path / f"plain{suffix}"
    path.write_text(GOOD)
    with pytest.raises(InputError, match="truncated or damaged") as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (str(path), 1)


@pytest.mark.parametrize("name", ["g", "g.gz"])
@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_rules(tmp_path, name, text):
    path = write(tmp_path / name, text)
    with pytest.raises(InputError, match="no rules") as caught:
        read(path)
    assert caught.value.path == str(path)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent.grammar")
    with pytest.raises(InputError, match="folder"):
        read(tmp_path)
