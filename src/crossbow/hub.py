"""Models and indexes on the Hugging Face hub, as the raw files that they are.

    Model.load("model").push("someone/model-de-en", license="apache-2.0")
    model = Model.pull("someone/model-de-en")                       # or crossbow pull someone/model-de-en -o model
    Model.pull("someone/model-de-en", digest="9f86d081…")           # exactly this one, also if the name has a new owner

What is pushed are the files that a folder's header lists, a card, and SHA256SUMS. What is pulled lies in the hub's own
cache, where files of equal content are kept once, and is mapped from there. Before it is opened every file is compared
with SHA256SUMS, and one that the header does not list is refused: arrays and JSON, never a pickle. The digest of a
folder is that of its SHA256SUMS. HF_ENDPOINT names another hub, and HF_TOKEN is the key to it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.integrity import check_files, listed

SUMS, CARD = "SHA256SUMS", "README.md"
OURS = (SUMS, CARD, ".gitattributes")  # what a repository has in addition to the files of a folder
NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def push(
    folder: Path, name: str, rows: Mapping[str, Any], *, license: str, data: str = "", results: str = "",
    private: bool = False,
) -> str:
    """Upload a folder and return its digest. The card says what it is, and shows the given `data` and `results`."""
    api = _api(name)
    check_files(folder)
    files = files_of(folder)
    sums = "".join(f"{_sha256(folder / file)}  {file}\n" for file in files)
    digest = hashlib.sha256(sums.encode()).hexdigest()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        for file in files:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).symlink_to((folder / file).resolve())
        (place / SUMS).write_text(sums, "utf8")
        kind = store.header(folder)["kind"]
        (place / CARD).write_text(card(name, kind, rows, digest, license, data, results), "utf8")
        with _explained(name):
            api.create_repo(name, private=private, exist_ok=True)
            api.upload_folder(repo_id=name, folder_path=place, delete_patterns="*",
                              commit_message=f"{_article(kind)} of Crossbow, {digest[:12]}")
    return digest


def pull(name: str, kind: str | None = None, *, revision: str | None = None, digest: str | None = None) -> Path:
    """Download a folder, unless it is there, check it and return where it lies in the hub's cache."""
    api = _api(name)
    with _explained(name):
        folder = Path(api.snapshot_download(name, revision=revision))
    check_pulled(folder, name, digest)
    found = store.header(folder)["kind"]
    if kind not in (None, found):
        raise CrossbowError(f"{name} is of kind {found!r}, expected {kind!r}; is this the right name?")
    return folder


def copy(folder: Path, out: Path) -> None:
    """Put what was pulled into a folder of one's own. It appears, or takes the place of an older one, when complete."""
    with store.replacing(out, store.header(folder)["kind"]) as fresh:
        for file in files_of(folder):
            (fresh / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / file, fresh / file)


def files_of(folder: Path) -> list[str]:
    """The files that a folder's header leads to, and the header itself."""
    return sorted([store.HEADER, *listed(folder)])


def check_pulled(folder: Path, name: str, digest: str | None = None) -> None:
    """Compare all files with SHA256SUMS; one that is damaged, missing or not ours is an error."""
    remedy = "delete it from the hub's cache and pull again, or ask the person who pushed it"
    try:
        sums = (folder / SUMS).read_text("utf8")
    except (OSError, ValueError):
        raise InputError(name, None, f"has no {SUMS}, so it was not pushed by Crossbow", "is this the right name?"
                         ) from None
    if digest is not None and hashlib.sha256(sums.encode()).hexdigest() != digest:
        raise InputError(name, None, "is not what the digest says", "somebody has pushed another state; give its "
                         "revision, or the digest that you trust")
    pairs = (line.partition("  ") for line in sums.splitlines())
    expected = {file: value for value, _, file in pairs}
    for file, value in expected.items():
        if not (folder / file).is_file() or _sha256(folder / file) != value:
            raise InputError(name, None, f"{file} is missing or damaged", remedy)
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    belonging = set(files_of(folder))
    foreign = sorted(present - {*OURS, *belonging} | (belonging ^ expected.keys()))
    if foreign:
        raise InputError(name, None, f"{foreign[0]} does not belong to it", remedy)
    check_files(folder)


def card(
    name: str, kind: str, rows: Mapping[str, Any], digest: str, license: str, data: str = "", results: str = ""
) -> str:
    """The card of a repository: what `crossbow info` says, and what only the owner knows."""
    languages = sorted({str(rows[key]) for key in ("source", "target", "language") if key in rows})
    tags = "".join(f"- {one}\n" for one in ("crossbow", "cross-lingual-retrieval"))
    table = "".join(f"| {key} | {_cell(value)} |\n" for key, value in rows.items())
    parts = [f"---\nlicense: {license}\nlanguage:\n{''.join(f'- {one}' + chr(10) for one in languages)}"
             f"library_name: crossbow\ntags:\n{tags}---\n", f"# {name}\n",
             f"{_article(kind)} of Crossbow, cross-lingual search by bag-of-words forced decoding.\n",
             f"```python\nimport crossbow\n\n{kind} = crossbow.{kind.capitalize()}.pull({name!r}, digest={digest!r})\n"
             "```\n", f"| | |\n|---|---|\n{table}"]
    parts += [f"## {title}\n\n{text}\n" for title, text in (("Data", data), ("Results", results)) if text]
    return "\n".join([*parts, f"Digest: `{digest}`\n"])


def _article(kind: str) -> str:
    return f"{'An' if kind[0] in 'aeiou' else 'A'} {kind}"


def _cell(value: object) -> str:
    return f"{value:,}" if type(value) is int else str(value).replace("|", "\\|").replace("\n", " ")


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _api(name: str) -> Any:
    if not NAME.fullmatch(name):
        raise CrossbowError(f"{name!r} is not a name on the hub; a name is like someone/model-de-en")
    try:
        import huggingface_hub
    except ImportError:
        raise CrossbowError("the hub needs the package huggingface_hub; install crossbow-clir[hub]") from None
    return huggingface_hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="crossbow")


class _explained:
    """Whatever goes wrong with the hub, in one sentence."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if error is None or isinstance(error, CrossbowError) or not isinstance(error, Exception):
            return
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise CrossbowError(f"{self.name}: the hub could not be used ({reason}); is the name right, are you connected, "
                            "and does HF_TOKEN have the key, if it needs one?") from error
