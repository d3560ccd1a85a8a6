"""What processes of one server tell each other, and how they take turns."""

from __future__ import annotations

import threading
from pathlib import Path

from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.metrics import Metrics
from crossbow.web.shared import Shared
from serving import call, running, small_engine


def test_each_knows_what_the_others_told_last(tmp_path: Path) -> None:
    first, second = Shared(tmp_path, 0), Shared(tmp_path, 1)
    assert (first.told(), first.others()) == (None, [])
    first.tell({"a": 1})
    second.tell({"a": 2})
    first.tell({"a": 3})
    assert (first.told(), first.others(), second.others()) == ({"a": 3}, [{"a": 2}], [{"a": 3}])


def test_one_writes_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    def write(number: int) -> None:
        nonlocal inside, most
        for _ in range(50):
            with Shared(tmp_path, number).writing():
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_readiness_and_numbers_are_those_of_all(tmp_path: Path) -> None:
    (tmp_path / "told").mkdir()
    mine, other, admission = Shared(tmp_path / "told", 0), Shared(tmp_path / "told", 1), Admission(1, waiting=0)
    before, theirs = Metrics(), Metrics()
    before.count("/search", 200, 0.01)
    theirs.count("/search", 200, 0.02)
    theirs.count("/search", 429, 0.0)
    state = {"full": True, "running": 2, "waiting": 3}
    mine.tell({**state, "metrics": before.state()})  # by a process that has died since
    other.tell({**state, "metrics": theirs.state()})
    with running(make_app(small_engine(tmp_path), admission, shared=mine)) as port:
        text = call(port, "GET", "/metrics").body.decode()
        for line in ('crossbow_requests_total{path="/search",status="200"} 2', "crossbow_requests_waiting 3",
                     'crossbow_requests_total{path="/search",status="429"} 1', "crossbow_requests_running 2",
                     'crossbow_request_seconds_sum{path="/search"} 0.030000', "crossbow_workers 2"):
            assert f"{line}\n" in text
        assert call(port, "GET", "/ready").status == 200  # there is room here
        admission.taken = 1
        assert call(port, "GET", "/ready").status == 503
        other.tell({**state, "full": False, "metrics": theirs.state()})
        assert call(port, "GET", "/ready").status == 200  # and now there
