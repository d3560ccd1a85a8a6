"""Work in other processes: results in order, and no process is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from crossbow.processes import in_processes, interrupts_held

LINUX = pytest.mark.skipif(not Path("/proc/self/task").exists(),
                           reason="THE ENDS OF PROCESSES WERE NOT TESTED: there is no /proc")


def scaled(chunk: int, factor: int) -> tuple[int, int]:
    return chunk * factor, os.getpid()


@pytest.mark.parametrize(("chunks", "workers", "elsewhere"), [(2, 2, False), (40, 1, False), (40, 2, True)])
def test_results_come_in_order(chunks: int, workers: int, elsewhere: bool) -> None:
    found = list(in_processes(scaled, range(chunks), 3, workers, "multiply"))
    assert [value for value, _ in found] == [3 * n for n in range(chunks)]
    assert (os.getpid() not in {process for _, process in found}) == elsewhere


def counted(chunks: int) -> list[int]:
    return [value for value, _ in in_processes(scaled, range(chunks), 3, 2, "multiply")]


def test_daemons_work_by_themselves() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(counted, (40,)) == [3 * n for n in range(40)]


WAITING = """
import sys, time
from operator import add
from crossbow.processes import in_processes

def chunks():
    yield from range(20)
    print("waiting", flush=True)
    time.sleep(600)

list(in_processes(add, chunks(), 1, 2, "add"))
"""


def children(process: int) -> list[int]:
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@LINUX
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left(how: signal.Signals) -> None:
    """Ctrl-C goes to all processes of the terminal; kill -9 to one, which cannot tell the others."""
    with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as parent:
        assert parent.stdout
        assert parent.stderr
        assert parent.stdout.readline() == "waiting\n"
        workers = children(parent.pid)
        assert len(workers) >= 2
        if how == signal.SIGINT:
            os.killpg(parent.pid, how)
        else:
            parent.kill()
        assert parent.wait(timeout=20) in (-how, 1, 130)
        deadline = time.monotonic() + 20
        while not all(map(gone, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert all(map(gone, workers))
        assert "Process Spawn" not in parent.stderr.read()


@LINUX
def test_processes_never_hear_an_interrupt_and_this_one_hears_it_later() -> None:
    blocked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    said = []

    def start() -> None:
        with interrupts_held():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            said.append(subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True).stdout)
        said.append("too late")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert said == ["True\n"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
