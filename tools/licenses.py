"""The licenses of everything that an installation may bring, as docs/licenses.md lists them.

    python tools/licenses.py > docs/licenses.md

Dependencies of the core and of the extras, with all that these need in turn; not what only developers install. Each
must be permissive, or of a kind that asks nothing of those who merely use it.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable

NAME = "crossbow-clir"
# Words of licenses that we accept. MPL asks for changes of its own files only, which we do not make.
ACCEPTED = ("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "MPL", "Mozilla", "Zlib", "CC0", "0BSD",
            "CNRI", "LLVM")
HEAD = """# Licenses of dependencies

Crossbow itself is under the Apache License 2.0. An installation with all extras brings these packages, under the
licenses that they state. `python tools/licenses.py` writes this page, and a test compares it with what is installed.

"""
DEVELOPMENT = ("dev", "docs")  # extras that only developers install
FORBIDDEN = re.compile(r"\b(A?GPL|GNU (Affero )?General)")


def needed(development: bool = False) -> dict[str, str]:
    """The license of each package, by name; those that this Python or system does not need are left out."""
    found: dict[str, str] = {}
    waiting = [name for name, extra in _requirements(NAME) if development or extra not in DEVELOPMENT]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = license_of(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        waiting += [one for one, extra in _requirements(name) if not extra]
    return dict(sorted(found.items()))


def license_of(name: str) -> str:
    """What a package says of itself: an expression, else its classifiers, else the first line of its license."""
    about = importlib.metadata.metadata(name)
    classes = [line.rpartition("::")[2].strip() for line in about.get_all("Classifier") or []
               if line.startswith("License ::")]
    said = about.get("License-Expression") or ", ".join(classes) or (about.get("License") or "").strip()
    return said.splitlines()[0] if said else "unknown"


def _requirements(name: str) -> Iterable[tuple[str, str]]:
    """The names of what a package needs, and the extra that it belongs to."""
    for line in importlib.metadata.requires(name) or ():
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)", line)
        found = re.match(r"[\w.-]+", line)
        if found:
            yield re.sub(r"[-_.]+", "-", found[0]).lower(), extra[1] if extra else ""


def page() -> str:
    """docs/licenses.md."""
    rows = "".join(f"| {name} | {said} |\n" for name, said in needed().items())
    return f"{HEAD}| package | license |\n|---|---|\n{rows}"


if __name__ == "__main__":
    print(page(), end="")
