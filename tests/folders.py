"""What tests of stored folders share: headers changed on purpose, folders as an older version wrote them, damage."""

from __future__ import annotations

import json
from pathlib import Path

from crossbow import store


def change_header(folder: Path, **changes: object) -> None:
    """Give a header other entries, and the checksum that belongs to them."""
    file = folder / store.HEADER
    file.write_text(store.sealed(json.loads(file.read_text("utf8")) | changes), "utf8")


def as_format_1(folder: Path) -> None:
    """Make a folder, and all below it, one of the first format, which had no checksums."""
    for file in folder.rglob(store.HEADER):
        head = json.loads(file.read_text("utf8")) | {"format": 1}
        del head["checksum"], head["checksums"]
        file.write_text(json.dumps(head), "utf8")


def flip(file: Path, at: int, mask: int = 1) -> None:
    """Damage one byte of a file: the bits of the mask are turned round."""
    with file.open("r+b") as handle:
        handle.seek(at)
        byte = handle.read(1)[0]
        handle.seek(at)
        handle.write(bytes([byte ^ mask]))
