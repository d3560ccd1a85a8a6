"""Tells a program which kernel is being compiled, if the program asks for it. A library itself prints nothing.

    with listening(listener): ...       # listener("search") before that kernel is compiled, listener(None) after it

Kernels that are cached are only loaded, which is not told. This file stands apart from jit.py because the command line
asks before it knows whether a command needs Numba at all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Listener = Callable[[str | None], None]  # the kernel that is being compiled; None when it is done

_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a function of all kernels that are compiled meanwhile, in whichever thread."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(kernel: str | None) -> None:
    """Called by jit.py."""
    for listener in tuple(_listeners):
        listener(kernel)
