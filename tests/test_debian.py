"""The Debian collection, built from a small archive that the test writes: splits, leaks, judgments, determinism."""

import gzip
import hashlib
import http.server
import lzma
import os
import random
import shutil
import threading
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from crossbow.datasets import debian, debian_english, debian_lists
from crossbow.datasets.collection import Collection
from crossbow.datasets.debian_lists import Package
from crossbow.datasets.debian_queries import Candidate, Judge, distinct, name_pattern, without_name
from crossbow.datasets.debian_text import parse, untranslated
from crossbow.datasets.heldout import check_no_leak
from crossbow.errors import CrossbowError, InputError
from crossbow.records import write_lines

WORDS = [("schneller", "fast"), ("kleiner", "small"), ("Editor", "editor"), ("Leser", "reader"), ("Musik", "music"),
         ("Bilder", "pictures"), ("Netzwerk", "network"), ("Drucker", "printer"), ("Sprache", "language"),
         ("Farben", "colours"), ("Texte", "texts"), ("Karten", "maps"), ("Sterne", "stars"), ("Zahlen", "numbers"),
         ("Spiele", "games"), ("Schrift", "typeface"), ("Kamera", "camera"), ("Tabelle", "spreadsheet"),
         ("Daten", "records"), ("Kalender", "calendar"), ("Rechner", "computer"), ("Briefe", "letters")]
BOILERPLATE = ("Dieses Paket enthält die gemeinsamen Dateien aller Programme.",
               "This package contains the files all programs share.")
SOURCES = 90


def phrase(draw: random.Random, size: int) -> tuple[str, str]:
    chosen = draw.sample(WORDS, size)
    return " ".join(german for german, _ in chosen), " ".join(english for _, english in chosen)


def description(draw: random.Random, name: str, boilerplate: bool) -> tuple[str, str]:
    """A German and an English description field: synopsis, two sentences, a list, perhaps boilerplate."""
    synopsis, first, second, item, other = (phrase(draw, size) for size in (4, 5, 6, 3, 3))
    fields = []
    for side, verb, joint in ((0, "zeigt", "Und"), (1, "shows", "And")):
        lines = [synopsis[side], f" {name.capitalize()} {verb} {first[side]}.", f" {joint} {second[side]}.",
                 " .", f"  * {item[side]}", f"  * {other[side]}"]
        lines += [" .", f" {BOILERPLATE[side]}"] if boilerplate else []
        fields.append("\n".join(lines))
    return fields[0], fields[1]


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists as apt names them; every fifth source has two binary packages, and each source depends on the next."""
    folder = tmp_path_factory.mktemp("lists")
    draw = random.Random(5)
    packages, english, german = [], [], []
    sources = ["tool" + "abcdefgh"[n // 26] + "abcdefghijklmnopqrstuvwxyz"[n % 26] for n in range(SOURCES)]
    for number, source in enumerate(sources):
        names = [source] if number % 5 else [source, f"lib{source}-dev"]
        for name in names:
            ours, theirs = description(draw, source, boilerplate=number % 9 == 0)
            md5 = hashlib.md5(theirs.encode()).hexdigest()
            packages.append(f"Package: {name}\nSource: {source} (1.0)\nDescription-md5: {md5}\n"
                            f"Depends: libc6 (>= 2), {sources[(number + 1) % SOURCES]} (>= 1) | other, nowhere\n")
            english.append(f"Package: {name}\nDescription-md5: {md5}\nDescription-en: {theirs}\n")
            german.append(f"Package: {name}\nDescription-md5: {md5}\nDescription-de: {ours}\n")
    packages.append("Package: libc6\nSuggests: toolaa\nDescription: c library\nDescription-md5: 0c\n")
    english.append("Package: libc6\nDescription-md5: 0c\nDescription-en: c library\n All programs need it.\n")
    german.append("Package: gone\nDescription-md5: stale\nDescription-de: Ein Paket, das es nicht mehr gibt\n")
    prefix = "somewhere_dists_suite_main_"
    (folder / f"{prefix}binary-amd64_Packages").write_text("\n".join(packages))
    with lzma.open(folder / f"{prefix}i18n_Translation-en.xz", "wt") as handle:
        handle.write("\n".join(english))
    (folder / f"{prefix}i18n_Translation-de.gz").write_bytes(gzip.compress("\n".join(german).encode()))
    (folder / "somewhere_dists_suite-updates_main_binary-amd64_Packages").write_text("Package: x\nDescription-md5: 1\n")
    return folder


@pytest.fixture(scope="module")
def built(lists: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return debian.build("de", tmp_path_factory.mktemp("out") / "debian-de", lists=lists)


def test_counts_and_documents(built: Collection) -> None:
    counts = built.manifest["counts"]
    docs = {doc.id: doc.text for doc in built.docs()}
    assert counts["documents"] == len(docs) == SOURCES + SOURCES // 5 + 1
    assert docs["libc6"] == "c library. All programs need it."
    assert not any(mark in text for text in docs.values() for mark in (" * ", " . ", "\n"))
    assert counts["queries.dev"] == counts["queries.test"] == SOURCES // 6
    assert counts["train"] == len(list(built.pairs())) == len(built.train_groups()) > 100
    assert counts["tune"] == len(list(built.tuning())) > 0
    assert "one in 6" in built.manifest["settings"]["evaluation"]


@pytest.fixture(scope="module")
def reverse(lists: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return debian.build("en", tmp_path_factory.mktemp("out") / "debian-en-de", target="de", lists=lists)


def test_documents_in_the_other_language(built: Collection, reverse: Collection) -> None:
    assert (reverse.source, reverse.target, reverse.manifest["name"]) == ("en", "de", "debian-en-de")
    docs = {doc.id: doc.text for doc in reverse.docs()}
    assert "libc6" not in docs  # nobody translated it
    assert len(docs) == reverse.manifest["counts"]["documents"] == len(list(built.docs())) - 1
    german, english = ({pair[side] for pair in WORDS if pair[0].lower() != pair[1]} for side in (0, 1))
    assert all(german & set(text.split()) for text in docs.values())
    for split in ("train", "dev", "test"):
        for query in reverse.queries(split):
            assert english & set(query.text.split())
            assert not german & set(query.text.split())
        assert {doc for levels in reverse.qrels(split).values() for doc in levels} <= docs.keys()
    dictionary = {ours: theirs for theirs, ours in WORDS} | {"And": "Und", "shows": "zeigt"}
    pairs = [pair for pair in reverse.pairs() if pair[1] != BOILERPLATE[0]]
    assert len(pairs) > 100
    for ours, theirs in pairs:
        assert [dictionary.get(word, word) for word in ours.rstrip(".").split()] == theirs.rstrip(".").split()
    assert check_no_leak(reverse) > 0


def test_languages_that_do_not_meet(tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="translated from English, so there are none from 'de' to 'fr'"):
        debian.build("de", tmp_path / "out", target="fr")


def test_lists_of_a_language_with_a_region_are_found_as_apt_names_them(lists: Path, tmp_path: Path) -> None:
    for file in lists.iterdir():
        content = file.read_bytes()
        if "Translation-de" in file.name:
            content = gzip.compress(gzip.decompress(content).replace(b"Description-de:", b"Description-pt_BR:"))
        (tmp_path / file.name.replace("Translation-de", "Translation-pt%5fBR")).write_bytes(content)
    assert len(debian_lists.read("pt_BR", tmp_path).translated) > SOURCES


def test_pairs_are_translations(built: Collection) -> None:
    dictionary = dict(WORDS) | {"Und": "And", "zeigt": "shows"}
    for german, english in [*built.pairs(), *built.tuning()]:
        if german == BOILERPLATE[0]:
            assert english == BOILERPLATE[1]
        else:
            assert [dictionary.get(word, word) for word in german.rstrip(".").split()] == english.rstrip(".").split()


def test_no_held_out_text_is_trained_on(built: Collection, lists: Path) -> None:
    """Against the archive itself, by plain substring search, and not with the code that did the filtering."""
    assert check_no_leak(built) > 0
    held = {group for split in ("dev", "test") for group in built.query_groups(split)}
    assert not held & {*built.train_groups(), *built.query_groups("train")}
    archive = debian_lists.read("de", lists)
    texts = [" ".join(parse(side[p.description]).text.split()) for p in archive.packages if p.source in held
             for side in (archive.english, archive.translated)]
    trained = [side for pair in [*built.pairs(), *built.tuning()] for side in pair]
    assert any(BOILERPLATE[0] in text for text in texts)
    for sentence in trained:
        if len(sentence.split()) >= 5:
            assert not any(sentence.rstrip(".") in text for text in texts), sentence
    assert BOILERPLATE[0] not in trained


def test_queries(built: Collection) -> None:
    groups = [group for split in ("train", "dev", "test") for group in built.query_groups(split)]
    assert len(groups) == len(set(groups))
    for split in ("train", "dev", "test"):
        for short, long, group in zip(built.queries(split), built.queries(split, long=True), built.query_groups(split)):
            assert short.id == long.id
            assert long.text.startswith(short.text)
            assert len(long.text) > len(short.text)
            assert group not in short.text.lower()
            assert group not in long.text.lower()


def test_qrels(built: Collection) -> None:
    docs = {doc.id for doc in built.docs()}
    for split in ("train", "dev", "test"):
        qrels = built.qrels(split)
        assert list(qrels) == [query.id for query in built.queries(split)]
        for query, levels in qrels.items():
            assert levels[query] == 3
            assert docs >= set(levels)
            assert "libc6" not in levels or query == "toolaa"
            sibling = f"lib{query}-dev" if not query.startswith("lib") else query[3:-4]
            assert levels.get(sibling, 2) == 2
            assert 1 in levels.values()


def test_english_synopses_find_descriptions(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task in one language: the synopsis is the query and not in the document; names are in neither."""
    monkeypatch.setattr(debian_english, "LEAST_WORDS", 4)
    built = debian.build("en", tmp_path / "debian-en", lists=lists)
    assert (built.source, built.target, built.train) == ("en", "en", None)
    archive = debian_lists.read("en", lists)
    english = {package.name: parse(archive.english[package.description]) for package in archive.packages}
    docs = {doc.id: doc.text for doc in built.docs()}
    assert docs.keys() == english.keys()
    groups = [group for split in ("train", "dev", "test") for group in built.query_groups(split)]
    assert len(groups) == len(set(groups)) > SOURCES // 2
    assert built.manifest["counts"]["queries.dev"] == built.manifest["counts"]["queries.test"] == len(groups) // 6
    for split in ("train", "dev", "test"):
        qrels = built.qrels(split)
        for query in built.queries(split):
            assert query.text.lower() == english[query.id].synopsis.lower()
            assert query.text not in docs[query.id]
            assert docs[query.id].startswith(english[query.id].units[0][:10])
            assert qrels[query.id][query.id] == 3
    again = debian.build("en", tmp_path / "again", lists=lists)
    assert again.manifest == built.manifest


def test_too_few_english_synopses(lists: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="only 0 synopses"):
        debian.build("en", tmp_path / "debian-en", lists=lists)  # all have four words


def test_same_lists_and_seed_same_bytes(built: Collection, lists: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    again = debian.build("de", tmp_path / "again", lists=lists, progress=messages.append)
    other = debian.build("de", tmp_path / "other", lists=lists, seed=2)
    assert again.manifest == built.manifest
    assert other.manifest["digest"] != built.manifest["digest"]
    assert len(messages) >= 4


def test_levels_of_the_graph() -> None:
    hub_fans = [Package(f"fan{n}", f"fan{n}", "", ("hub",)) for n in range(30)]
    meta = Package("meta", "meta", "", tuple(f"fan{n}" for n in range(30)) + tuple(f"x{n}" for n in range(90)))
    packages = [Package("a", "s", "", ("b", "c", "hub", "absent")), Package("a-doc", "s", "", ()),
                Package("b", "b", "", ("a",)), Package("c", "c", "", ()), Package("d", "d", "", ("a",)),
                Package("hub", "hub", "", ()), meta, *hub_fans, *(Package(f"x{n}", f"x{n}", "", ()) for n in range(90))]
    judge = Judge(packages)
    assert judge.levels("a") == {"a": 3, "a-doc": 2, "b": 2, "c": 1, "d": 1}
    assert judge.levels("hub") == {"hub": 3}
    assert judge.levels("x1") == {"x1": 3}


@pytest.mark.parametrize(("package", "source", "text", "left"), [
    ("mutt", "mutt", "Mutt ist ein Leser (mutt).", "Ist ein Leser."),
    ("libfoo2-dev", "foo", "Dateien für libfoo und Foo-Programme.", "Dateien für und Programme."),
    ("libfile-mimeinfo-perl", "libfile-mimeinfo-perl", "File::MimeInfo liest Dateien.", "Liest Dateien."),
    ("zsh", "zsh", "Ein- und Ausgabe mit Zsh's Modulen.", "Ein- und Ausgabe mit Modulen."),
    ("mail-reader", "mail-reader", "Mail-Reader für mail.", "Für mail."),
    ("mecab", "mecab", "mecabは日本語の「MeCab」解析器です。", "は日本語の 解析器です。"),
])
def test_names_are_removed(package: str, source: str, text: str, left: str) -> None:
    pattern = name_pattern(Package(package, source, "", ()), {"mail": 500, "reader": 500, "file": 500, "perl": 500})
    assert without_name(text, pattern) == left


def test_nearly_equal_queries_are_dropped() -> None:
    draw = random.Random(3)
    queries = [Candidate(f"p{n}", f"g{n // 2}", " ".join(draw.choices("abcdefgh", k=8)), "") for n in range(300)]
    kept = distinct(queries)

    def near(one: Candidate, other: Candidate) -> bool:
        left, right = set(one.text.split()), set(other.text.split())
        return len(left & right) >= 0.8 * len(left | right)

    assert not any(near(one, other) for one, other in combinations(kept, 2))
    assert len({query.group for query in kept}) == len(kept)
    for query in set(queries) - set(kept):
        assert any(query.group == other.group or near(query, other) for other in kept)


def test_descriptions_lose_their_markup() -> None:
    found = parse("a tool\n First line\n goes on.\n .\n Features:\n  * one\n    and more\n  - two\n Not an item.\n"
                  " .\n ======\n")
    assert found.synopsis == "a tool"
    assert found.paragraphs == (("First line goes on.",), ("Features:", "one and more", "two", "Not an item."))
    assert found.text == "a tool. First line goes on. Features: one and more. two. Not an item."
    assert parse("画像 viewer 用\n 必要な\n ファイルと GTK。").text == "画像 viewer 用。 必要なファイルと GTK。"


def test_untranslated_text_is_seen() -> None:
    english = "This tool shows the pictures of a camera and prints them."
    assert untranslated(english, english)
    assert untranslated("Werkzeug: This tool shows the pictures of a camera and prints them.", english)
    assert not untranslated("Dieses Werkzeug zeigt die Bilder einer Kamera und druckt sie.", english)
    assert untranslated("GNU Emacs 25", "GNU Emacs 26")


@pytest.fixture
def mirror(lists: Path, tmp_path: Path) -> Iterator[str]:
    """A mirror on this machine, with another compression for each list."""
    main = tmp_path / "dists" / "stable" / "main"
    (main / "i18n").mkdir(parents=True)
    (main / "binary-amd64").mkdir()
    prefix = "somewhere_dists_suite_main_"
    with lzma.open(main / "binary-amd64" / "Packages.xz", "wb") as handle:
        handle.write((lists / f"{prefix}binary-amd64_Packages").read_bytes())
    shutil.copy(lists / f"{prefix}i18n_Translation-en.xz", main / "i18n" / "Translation-en.xz")
    shutil.copy(lists / f"{prefix}i18n_Translation-de.gz", main / "i18n" / "Translation-de.gz")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object):
            super().__init__(*args, directory=os.fspath(tmp_path))  # type: ignore[arg-type]

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_a_mirror_is_asked_once(
        mirror: str, built: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSBOW_CACHE", os.fspath(tmp_path / "cache"))
    first = debian.build("de", tmp_path / "first", mirror=mirror)
    assert first.manifest["digest"] == built.manifest["digest"]
    shutil.rmtree(tmp_path / "dists")
    assert debian.build("de", tmp_path / "second", mirror=mirror).manifest == first.manifest
    with pytest.raises(CrossbowError, match="Packages: cannot be fetched"):
        debian.build("fr", tmp_path / "third", mirror=mirror)
    assert not (tmp_path / "third").exists()


def test_bad_lists_are_named(lists: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no suite with the lists"):
        debian.build("fr", tmp_path / "out", lists=lists)
    with pytest.raises(CrossbowError, match="not a language code"):
        debian.build("../x", tmp_path / "out", lists=lists)
    broken = tmp_path / "lists"
    shutil.copytree(lists, broken)
    file = broken / "somewhere_dists_suite_main_i18n_Translation-de.gz"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(InputError, match="cannot be unpacked"):
        debian.build("de", tmp_path / "out", lists=broken)
    write_lines(file, ["Package: one", "Description-md5: none", "Description-de: Nichts davon passt"])
    with pytest.raises(CrossbowError, match="too few"):
        debian.build("de", tmp_path / "out", lists=broken)


def test_apt_fetches_into_a_private_folder(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an apt-get of our own that shows the configuration it was given and delivers the archive."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script = f"""#!/bin/sh
[ "$1" = update ] || exit 1
main=$(sed -n 's/^Dir::Etc::main "\\(.*\\)";/\\1/p' "$APT_CONFIG")
cp "$main" {tmp_path}/seen
folder=$(sed -n 's/^Dir::State::lists "\\(.*\\)";/\\1/p' "$main")
cp {lists}/* "$folder"
"""
    for name, content in (("apt-get", script), ("apt-config", "#!/bin/sh\necho \"x='/nonexistent/apt.conf'\"\n")):
        (tools / name).write_text(content)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("CROSSBOW_CACHE", os.fspath(tmp_path / "cache"))
    folder = debian_lists.fetch("de")
    assert sorted(file.name for file in folder.iterdir()) == ["Packages.gz", "Translation-de.gz", "Translation-en.gz"]
    assert [file.name for file in folder.parent.iterdir()] == ["de"]
    seen = (tmp_path / "seen").read_text()
    assert "#clear Acquire::Languages;" in seen
    assert 'Acquire::Languages { "en"; "de"; };' in seen
    (tools / "apt-get").write_text("#!/bin/sh\necho no network >&2\nexit 100\n")
    assert debian_lists.fetch("de") == folder
    with pytest.raises(CrossbowError, match="no network"):
        debian_lists.fetch("fr")
