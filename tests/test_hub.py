"""Models and indexes on the hub: pushed and pulled whole, checked, kept once, and nothing that is not ours."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Its settings are read when it is imported; nothing in these tests may leave this machine.
os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
from huggingface_hub import constants

from crossbow import Index, Model, build_index, hub, store
from crossbow.datasets.demo.load import documents
from crossbow.errors import CrossbowError
from hubbing import Hub
from training import contents, corpus, crossbow

NAME = "someone/model-de-en"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub of our own, and an empty cache for what is pulled."""
    here = Hub()
    monkeypatch.setenv("HF_ENDPOINT", here.address)
    monkeypatch.setenv("HF_TOKEN", "a key")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    yield here
    here.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


def test_a_model_comes_back_as_it_was(place: Hub, model: Model, tmp_path: Path) -> None:
    digest = model.push(NAME, "apache-2.0", data="Sentences of the demo.", results="BLEU 20 on 12 pairs.")
    pulled = Model.pull(NAME, digest=digest)
    assert pulled.folder is not None
    assert model.folder is not None
    assert contents(pulled.folder) == contents(model.folder)
    assert pulled.translate("Das Haus") == model.translate("Das Haus")
    card = place.files(NAME)["README.md"].decode()
    for part in ("license: apache-2.0", "- de\n- en", model.signature, digest, "Sentences of the demo.", "BLEU 20"):
        assert part in card
    seen = len(place.downloads)
    Model.pull(NAME)
    assert len(place.downloads) == seen  # nothing is fetched twice


def test_an_index_comes_back_and_can_be_copied(place: Hub, tmp_path: Path) -> None:
    index = build_index(documents()[:20], tmp_path / "index")
    digest = index.push("someone/docs", "cc0-1.0")
    pulled = Index.pull("someone/docs")
    assert pulled.signature == index.signature
    assert [doc.id for doc in pulled] == [doc.id for doc in index]
    folder = hub.pull("someone/docs", digest=digest)
    hub.copy(folder, tmp_path / "copy")
    assert Index.load(tmp_path / "copy").signature == index.signature
    assert not any(path.is_symlink() for path in (tmp_path / "copy").rglob("*"))
    assert "README.md" not in os.listdir(tmp_path / "copy")
    with pytest.raises(CrossbowError, match="of kind 'index', expected 'model'"):
        Model.pull("someone/docs")


def test_the_command(place: Hub, tmp_path: Path) -> None:
    digest = build_index(documents()[:5], tmp_path / "index").push("someone/docs", "cc0-1.0")
    environment = {"HF_HOME": str(tmp_path / "home"), "HF_ENDPOINT": place.address}
    done = crossbow("pull", "someone/docs", "-o", tmp_path / "out", "--digest", digest, env=environment)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'out'}\n")
    assert len(Index.load(tmp_path / "out")) == 5
    kept = crossbow("pull", "someone/docs", env=environment)
    assert len(Index.load(kept.stdout.strip())) == 5
    wrong = crossbow("pull", "someone/docs", "--digest", "0" * 64, env=environment)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "is not what the digest says" in wrong.stderr


def test_pushing_again_leaves_nothing_behind(place: Hub, tmp_path: Path) -> None:
    build_index(documents()[:9], tmp_path / "index").push("someone/docs", "cc0-1.0")
    before = set(place.files("someone/docs"))
    index = build_index(documents()[:5], tmp_path / "index")
    index.push("someone/docs", "cc0-1.0")
    assert len(place.files("someone/docs")) == len(before)
    assert Index.pull("someone/docs").signature == index.signature


@pytest.mark.parametrize(("file", "data", "message"), [
    ("header.json", b"{}", "header.json is missing or damaged"),
    ("code.pkl", b"\x80\x04.", "code.pkl does not belong to it"),
    ("SHA256SUMS", None, "was not pushed by Crossbow"),
])
def test_what_is_not_ours_is_refused(place: Hub, tmp_path: Path, file: str, data: bytes | None, message: str) -> None:
    build_index(documents()[:5], tmp_path / "index").push("someone/docs", "cc0-1.0")
    changed = dict(place.files("someone/docs"))
    if data is None:
        del changed[file]
    else:
        changed[file] = data
    place.repositories["someone/docs"].append(changed)
    with pytest.raises(CrossbowError, match=message):
        Index.pull("someone/docs")


def test_a_pickle_that_the_sums_name_is_refused_too(place: Hub, tmp_path: Path) -> None:
    build_index(documents()[:5], tmp_path / "index").push("someone/docs", "cc0-1.0")
    changed = dict(place.files("someone/docs"))
    changed["code.pkl"] = b"\x80\x04."
    changed["SHA256SUMS"] += f"{hashlib.sha256(changed['code.pkl']).hexdigest()}  code.pkl\n".encode()
    place.repositories["someone/docs"].append(changed)
    with pytest.raises(CrossbowError, match=r"code\.pkl does not belong to it"):
        Index.pull("someone/docs")


@pytest.mark.parametrize(("in_header", "message"), [
    (False, r"\.\./refs/main does not belong to it"),
    (True, r"names '\.\./\.\./refs/main', which is not a file of this folder"),
])
def test_files_outside_the_folder_are_refused(place: Hub, tmp_path: Path, in_header: bool, message: str) -> None:
    """A snapshot lies in the hub's cache beside files whose content whoever pushes can foretell, such as this one."""
    folder, outside = tmp_path / "snapshots" / "state", "../../refs/main"
    build_index(documents()[:5], tmp_path / "index").push("someone/docs", "cc0-1.0")
    hub.copy(hub.pull("someone/docs"), folder)
    (tmp_path / "refs").mkdir()
    (folder / outside).write_text("0123")
    if in_header:
        head = store.header(folder)
        head["checksums"][outside] = store.checksum(folder / outside)
        (folder / store.HEADER).write_text(store.sealed(head), "utf8")
    names = [*(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()), outside]
    (folder / hub.SUMS).write_text("".join(
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names), "utf8")
    with pytest.raises(CrossbowError, match=message):
        hub.check_pulled(folder, "someone/docs")


def test_another_digest_is_refused(place: Hub, tmp_path: Path) -> None:
    build_index(documents()[:5], tmp_path / "index").push("someone/docs", "cc0-1.0")
    with pytest.raises(CrossbowError, match="is not what the digest says"):
        Index.pull("someone/docs", digest="0" * 64)


def test_what_can_go_wrong_is_said(place: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CrossbowError, match="someone/nothing: the hub could not be used"):
        Model.pull("someone/nothing")
    for bad in ("model", "a/b/c", "../x", ""):
        with pytest.raises(CrossbowError, match="is not a name on the hub"):
            Model.pull(bad)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(CrossbowError, match="are you connected"):
        Model.pull(NAME)
