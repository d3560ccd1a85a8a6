"""Write an sdist anew without what differs from one build to the next: times, owners, modes, the order of files.

    SOURCE_DATE_EPOCH=1700000000 python tools/same_bytes.py dist/crossbow_clir-1.0.tar.gz
"""

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def same_bytes(path: Path, epoch: int) -> None:
    """Replace a .tar.gz by one with the same files, whose bytes depend on nothing but these and the epoch."""
    plain = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            fresh = tarfile.TarInfo(member.name)
            fresh.type, fresh.size, fresh.mtime = member.type, member.size, epoch
            fresh.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(fresh, old.extractfile(member) if member.isfile() else None)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed:
        packed.write(plain.getvalue())


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        same_bytes(Path(argument), int(os.environ["SOURCE_DATE_EPOCH"]))
