"""Debian's package lists: fetched once, kept in a folder, parsed.

    folder = fetch("de", mirror=None)               # through the machine's own apt configuration, as any user
    archive = read("de", folder)

A lists folder holds one suite's `Packages`, `Translation-en` and `Translation-<language>`, with whatever apt puts
before these names, plain or compressed. What was fetched once is used again: a second build needs no network.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from crossbow.errors import CrossbowError, InputError

LINKS = ("Depends", "Recommends", "Suggests", "Enhances")
SUITE = "stable"
APT_HELPER = "/usr/lib/apt/apt-helper"
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".xz": lzma.decompress, ".bz2": bz2.decompress, ".gz": gzip.decompress,
}


class Package(NamedTuple):
    name: str
    source: str
    description: str  # md5 of the English description: the key that translations share
    links: tuple[str, ...]


class Archive(NamedTuple):
    """One suite: its packages by name, and the raw descriptions by md5."""

    packages: list[Package]
    english: dict[str, str]
    translated: dict[str, str]


def fetch(language: str, mirror: str | None = None, suite: str = SUITE) -> Path:
    """A folder with the lists for one language: from the cache, else from `mirror`, else through apt."""
    place = re.sub(r"\W+", "-", f"{mirror} {suite}").strip("-") if mirror else "apt"
    base = os.environ.get("CROSSBOW_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crossbow"
    folder = root / "debian" / place / language
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            ready = Path(scratch) / "lists"
            ready.mkdir()
            names = _names(language)
            lists = _download(mirror, suite, names) if mirror else _through_apt(Path(scratch), names, language)
            for name, content in lists:
                (ready / f"{name}.gz").write_bytes(gzip.compress(content, 6, mtime=0))
            ready.rename(folder)
    return folder


def read(language: str, folder: Path) -> Archive:
    """Parse the lists of one suite; packages come sorted by name, the first of several versions wins."""
    files = _one_suite(folder, language)
    packages: dict[str, Package] = {}
    for stanza in _stanzas(files["Packages"]):
        name, key = stanza.get("Package", ""), stanza.get("Description-md5", "")
        if not name or not key:
            raise InputError(files["Packages"], None, f"a stanza without Package or Description-md5: {stanza}",
                             "fetch the list again")
        source = stanza.get("Source", name).split()[0]
        packages.setdefault(name, Package(name, source, key, tuple(_links(stanza))))
    english = _descriptions(files["Translation-en"], "en")
    translated = _descriptions(files[f"Translation-{language}"], language)
    if not packages or not english or not translated:
        raise InputError(folder, None, "an empty package list", "fetch the lists again")
    return Archive([packages[name] for name in sorted(packages)], english, translated)


def _links(stanza: dict[str, str]) -> Iterator[str]:
    """Names of linked packages; of alternatives (a | b) the first, which is the one the maintainer prefers."""
    for field in LINKS:
        for clause in stanza.get(field, "").split(","):
            name = re.split(r"[\s(:|]", clause.strip(), maxsplit=1)[0]
            if name:
                yield name


def _descriptions(file: Path, language: str) -> dict[str, str]:
    field = f"Description-{language}"
    return {s["Description-md5"]: s[field] for s in _stanzas(file) if "Description-md5" in s and field in s}


def _stanzas(file: Path) -> Iterator[dict[str, str]]:
    """Fields of each paragraph of a control file; continuation lines keep their leading space."""
    for block in re.split(r"\n{2,}", _content(file).decode("utf8", "replace")):
        fields = (field.partition(":") for field in re.split(r"\n(?=\S)", block.strip("\n")) if field)
        stanza = {name: value.removeprefix(" ") for name, _, value in fields}
        if stanza:
            yield stanza


def _content(file: Path) -> bytes:
    try:
        if file.suffix == ".lz4":  # what apt keeps in container images; Python cannot read it, apt can
            return subprocess.run([APT_HELPER, "cat-file", str(file)], check=True, capture_output=True).stdout
        return UNPACK[_packing(file)](file.read_bytes())
    except (OSError, EOFError, ValueError, lzma.LZMAError, subprocess.CalledProcessError) as error:
        raise InputError(file, None, f"cannot be unpacked ({error})", "fetch the list again") from None


def _packing(file: Path) -> str:
    return file.suffix if file.suffix in (*UNPACK, ".lz4") else ""


def _names(language: str) -> tuple[str, ...]:
    """The lists that a language needs; English needs no other beside it."""
    return tuple(dict.fromkeys(("Packages", "Translation-en", f"Translation-{language}")))


def _one_suite(folder: Path, language: str) -> dict[str, Path]:
    """The files of the suite with the largest translation list: updates and security suites hardly have any."""
    wanted = _names(language)
    pattern = re.compile(r"(?P<suite>.*?)(?:binary-\w+_|i18n_)?(?P<name>Packages|Translation-\w+)"
                         r"(?:\.(?:xz|gz|bz2|lz4))?")
    suites: dict[str, dict[str, Path]] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = pattern.fullmatch(urllib.parse.unquote(file.name))  # apt writes pt_BR as pt%5fBR
        if match and match["name"] in wanted:
            suites.setdefault(match["suite"], {})[match["name"]] = file
    whole = [files for files in suites.values() if len(files) == len(wanted)]
    if not whole:
        raise InputError(folder, None, f"no suite with the lists {', '.join(wanted)} in it",
                         "give a folder with Debian's lists, or leave it to apt or a mirror")
    return max(whole, key=lambda files: files[wanted[-1]].stat().st_size)


def _download(mirror: str, suite: str, names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        place = f"{mirror.rstrip('/')}/dists/{suite}/main/{'binary-amd64' if name == 'Packages' else 'i18n'}/{name}"
        problem: Exception | None = None
        for packing in (".xz", ".bz2", ".gz"):
            try:
                with urllib.request.urlopen(place + packing, timeout=60) as answer:
                    yield name, UNPACK[packing](answer.read())
                    break
            except (urllib.error.URLError, OSError, ValueError, lzma.LZMAError) as error:
                problem = error
        else:
            raise CrossbowError(f"{place}: cannot be fetched ({problem}); are mirror, suite and language right?")


def _through_apt(scratch: Path, names: tuple[str, ...], language: str) -> Iterator[tuple[str, bytes]]:
    """Let apt fetch and verify the lists into a private folder, with the machine's own sources, proxies and keys.

    Container images often switch translations off, and hooks that clean or refresh system folders on. Settings given
    in $APT_CONFIG are read before those, so it names a main configuration of ours, which is read after them.
    """
    if shutil.which("apt-get") is None:
        raise CrossbowError("this machine has no apt-get; give --mirror URL or --lists FOLDER")
    for part in ("lists/partial", "cache"):
        (scratch / "apt" / part).mkdir(parents=True)
    main = subprocess.run(["apt-config", "shell", "x", "Dir::Etc::main/f"], capture_output=True, text=True).stdout
    machine = Path(main.partition("=")[2].strip().strip("'") or "/etc/apt/apt.conf")
    settings = [f'#include "{machine}";'] if machine.is_file() else []
    hooks = (f"APT::Update::{moment}" for moment in ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success"))
    settings += [f"#clear {key};" for key in ("Acquire::Languages", *hooks)]
    settings += [f'Acquire::Languages {{ "en"; "{language}"; }};', 'Acquire::GzipIndexes "false";',
                 f'Dir::State::lists "{scratch}/apt/lists/";', f'Dir::Cache "{scratch}/apt/cache/";']
    (scratch / "main.conf").write_text("\n".join(settings) + "\n", encoding="utf8")
    first = scratch / "first.conf"
    given = os.environ.get("APT_CONFIG")
    include = f'#include "{given}";\n' if given else ""
    first.write_text(f'{include}Dir::Etc::main "{scratch}/main.conf";\n', encoding="utf8")
    result = subprocess.run(["apt-get", "update"], env={**os.environ, "APT_CONFIG": str(first), "LC_ALL": "C"},
                            capture_output=True, text=True)
    if result.returncode:
        raise CrossbowError(f"apt-get update failed: {result.stderr.strip()}; give --mirror URL or --lists FOLDER")
    files = _one_suite(scratch / "apt" / "lists", language)
    for name in names:
        yield name, _content(files[name])
