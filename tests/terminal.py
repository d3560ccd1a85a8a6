"""A terminal for tests: a program runs on a pseudo-terminal, and an emulator keeps what it shows and what scrolled by.

    shown = on_terminal([sys.executable, "-c", code], columns=80, rows=24)
    shown.lines             # all that is left in the end, from the first line of the history to the last of the screen
    shown.frames            # what the screen showed on the way
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyte

SIZES = [(80, 24), (110, 45)]


class Shown(NamedTuple):
    """What a program left on its terminal, and what stood there meanwhile."""

    code: int
    lines: list[str]
    frames: list[str]


def on_terminal(command: Sequence[str | Path], columns: int = 80, rows: int = 24, env: Mapping[str, str] | None = None,
                **options: Any) -> Shown:
    """Run a command; all streams that the options do not lead elsewhere are the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, **options}
    process = subprocess.Popen(list(map(str, command)), env={**plain, "TERM": "xterm-256color", **(env or {})},
                               **streams)
    os.close(theirs)
    screen = pyte.HistoryScreen(columns, rows, history=100_000)
    stream = pyte.ByteStream(screen)
    frames = []
    while data := _read(ours):
        stream.feed(data)
        frames.append("\n".join(screen.display))
    os.close(ours)
    history = ["".join(line[at].data for at in range(columns)) for line in screen.history.top]
    lines = [line.rstrip() for line in (*history, *screen.display)]
    while lines and not lines[-1]:
        lines.pop()
    return Shown(process.wait(), lines, frames)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # nobody has it open any more
        return b""
