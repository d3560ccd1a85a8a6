"""What a command shows on standard error while it works: bars of progress, and that kernels are being compiled.

    with progress(quiet) as report:
        summary = work(report)              # report(what, done, of how many)

Bars stand at the bottom of the terminal and disappear when their work is done. While they are there, nothing else
writes to the terminal: whatever is printed, by whichever console, goes through them and stays above them. A stream that
leads elsewhere is left alone. If standard error is no terminal, or one that cannot draw, every stage is a line.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO, cast

from crossbow.compiling import listening

if TYPE_CHECKING:
    from crossbow.pipeline import Report

MOST_BARS = 4  # at a time; of more, those that were heard of last
PAUSE = 0.1  # seconds after which bars are drawn again


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Report | None]:
    """A function to report to, (what, done, of how many), or None for quiet work."""
    if quiet:
        yield None
        return
    with _display() as display:
        _state.display = display
        try:
            yield display.report
        finally:
            _state.display = None


@contextlib.contextmanager
def compile_notices() -> Iterator[None]:
    """Say once that kernels are being compiled, and which; nothing after `hush`. For a whole run of the command line.

    Outside of `progress` only a terminal is told: what a program reads has no lines that come the first time only.
    """
    global _state
    _state = _State()
    with listening(_state.compiling):
        yield


def hush(quiet: bool) -> bool:
    """What the option --quiet does to the notices, as its callback."""
    _state.quiet = quiet
    return quiet


class _State:
    """Of one run of the command line."""

    def __init__(self) -> None:
        self.display: _Bars | _Lines | None = None  # of the progress that is under way
        self.quiet = False
        self.kernels = 0  # compiled so far
        self._open = contextlib.ExitStack()  # what shows the kernel that is being compiled

    def compiling(self, kernel: str | None) -> None:
        """A kernel's turn has come, or is over."""
        if kernel is None:
            self._open.close()
            return
        display = self.display
        if self.quiet or (display is None and not sys.stderr.isatty()):
            return
        if display is None:
            display = _display()
            self._open.enter_context(display)
        if not self.kernels:
            display.say(_notice())
        self.kernels += 1
        self._open.enter_context(display.passing(f"kernel {self.kernels}: {kernel.strip('_')}"))


_state = _State()


def _notice() -> str:
    from crossbow.jit import anything_cached

    return f"compiling kernels{'' if anything_cached() else ', about a minute'}, only the first time …"


def _display() -> _Bars | _Lines:
    """What standard error can show."""
    drawn = sys.stderr.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")
    return _Bars() if drawn else _Lines()


class _Lines:
    """A line for each stage, when it begins."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def report(self, what: str, done: int, total: int) -> None:
        if what not in self._seen:
            self._seen.add(what)
            self.say(f"{what} …")

    def say(self, line: str) -> None:
        print(line, file=sys.stderr)

    def passing(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Short work, which gets no line."""
        return contextlib.nullcontext()


class _Bars:
    """Bars at the bottom of the terminal, and the only way to it while they are there.

    Whatever draws or prints holds the lock: a line that is printed while the number of bars changes would be erased
    with them. So a thread of ours draws them; rich's own does not wait for those who print.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description:28}", markup=False), BarColumn(24), TaskProgressColumn(),
                   TimeElapsedColumn())
        self._rich = Progress(*columns, console=Console(file=sys.stderr), transient=True, auto_refresh=False,
                              redirect_stdout=False, redirect_stderr=False)
        self._bars: dict[str, Any] = {}  # rich's numbers of them; what was reported last comes last
        self._lock = threading.RLock()
        self._streams = contextlib.ExitStack()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True)

    def __enter__(self) -> _Bars:
        terminal = sys.stderr
        for name in ("stdout", "stderr"):
            if _same_terminal(getattr(sys, name), terminal):
                self._streams.enter_context(_replaced(name, self))
        self._rich.start()
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._end.set()
        self._thread.join()
        with self._lock:
            self._rich.stop()
        self._streams.close()

    def _redraw(self) -> None:
        while not self._end.wait(PAUSE):
            with self._lock:
                self._rich.refresh()

    def report(self, what: str, done: int, total: int) -> None:
        with self._lock:
            bar = self._bars.pop(what, None)
            if total and done >= total:
                if bar is not None:
                    self._rich.remove_task(bar)
                return
            if bar is None:
                if len(self._bars) == MOST_BARS:
                    self._rich.remove_task(self._bars.pop(next(iter(self._bars))))
                bar = self._rich.add_task(what, total=None)
            self._bars[what] = bar
            self._rich.update(bar, completed=done, total=total or None)

    def print(self, lines: str) -> None:
        """Print whole lines above the bars."""
        with self._lock:
            self._rich.console.print(_Verbatim(lines), crop=False, end="")

    def say(self, line: str) -> None:
        self.print(f"{line}\n")

    @contextlib.contextmanager
    def passing(self, what: str) -> Iterator[None]:
        """A bar for a while, of work whose end is not in sight."""
        self.report(what, 0, 0)
        try:
            yield
        finally:
            self.report(what, 1, 1)


class _Above:
    """Stands for a stream of the terminal; lines are printed above the bars when they are complete."""

    def __init__(self, stream: TextIO, bars: _Bars):
        self._stream, self._bars = stream, bars
        self._begun = ""  # a line that has no end yet
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._lock:
            lines, newline, self._begun = (self._begun + text).rpartition("\n")
            if newline:
                self._bars.print(lines + newline)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        """A line that has no end yet has to wait."""

    def finish(self) -> None:
        """Print it as it is."""
        self._stream.write(self._begun)
        self._stream.flush()


class _Verbatim:
    """Text that rich prints as it is, with its escape codes."""

    def __init__(self, text: str):
        self._text = text

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.segment import Segment

        yield Segment(self._text)


@contextlib.contextmanager
def _replaced(name: str, bars: _Bars) -> Iterator[None]:
    """Put `_Above` in the place of sys.stdout or sys.stderr."""
    before = getattr(sys, name)
    above = _Above(before, bars)
    before.flush()
    setattr(sys, name, cast(TextIO, above))
    try:
        yield
    finally:
        setattr(sys, name, before)
        above.finish()


def _same_terminal(stream: TextIO, terminal: TextIO) -> bool:
    try:
        return os.path.sameopenfile(stream.fileno(), terminal.fileno())
    except (OSError, ValueError):  # not a stream of the system's
        return False
