"""Shards in actors of a Ray cluster: each holds a shard that is mapped from a folder which all machines see.

    shards = RayShards("index", replicas=2, cpus=1.0)
    ShardedSearcher(model, shards).search("Haus am See")

Ray starts a process that died again, and another replica answers meanwhile. But the question that the process worked on
is not asked again, and is refused for a while: it may be the cause, and would end the next process too. Ray's errors do
not tell whether the process had begun to work on it. So there is a note on its machine while it works on a call, which
outlives the process. Without a note, the question is not to blame, and another replica is asked. So an answer has
all shards, or the error (in a partial answer, `missing`) names those that it lacks.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from crossbow.cluster.connect import imported
from crossbow.cluster.packing import Packed
from crossbow.errors import CrossbowError, UnknownDocument
from crossbow.index import Index
from crossbow.ranking.asks import Ask
from crossbow.ranking.shards.contract import Missing, Question, Reply, Round, Shards
from crossbow.ranking.shards.holder import Holder, Kept

START = 600.0  # seconds that all actors together may take to start; kernels may have to be compiled
TIMEOUT = 60.0  # seconds that a shard may take for a round
SUSPECTED = 600.0  # seconds for which a question is refused after a process died while it worked on it
SUSPECTS = 1000  # such questions that are remembered
SENT = 16  # questions that stay in the cluster's memory for their further rounds
LOOK = 20.0  # seconds that it may take to look for a note
REVIVE = 1.0  # seconds between two looks at what has died
DIED = "its process died while it worked on this query"
DOWN = "it is being started again"


class Call(NamedTuple):
    """A question on its way to a replica."""

    name: str  # of the note
    replica: Replica
    node: str  # where its process was
    reply: Any


class Failed(NamedTuple):
    """What is wrong with a question; an error for its sender."""

    problem: str
    unknown: bool  # whether it is about a document that is not there


class ShardActor:
    """A process with a shard."""

    def __init__(self, folder: str, shard: int):
        self.holder = Holder(folder, shard)

    def reply(
        self, name: str, question: Packed, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> Reply | Failed:
        """Reply to the call with this name."""
        note(name).touch()
        try:
            return self.holder.reply(question.question(), before, ask)
        except CrossbowError as error:
            return Failed(str(error), isinstance(error, UnknownDocument))
        except MemoryError:
            return Missing("it ran out of memory on this query")
        finally:
            note(name).unlink(missing_ok=True)

    def ready(self) -> str:
        """Reply, once questions can be answered, with the node of the process."""
        self.holder.warm()
        return str(imported().get_runtime_context().get_node_id())


def note(name: str) -> Path:
    """The empty file that is there while a process of this machine works on a call."""
    return Path(tempfile.gettempdir()) / f"crossbow-call-{name}"


def begun(name: str) -> bool:
    """Whether a process of this machine that died had begun to work on a call. Its note is removed."""
    try:
        note(name).unlink()
    except FileNotFoundError:
        return False
    return True


class Replica:
    """One of the actors that hold a shard, as far as is known here."""

    def __init__(self, make: Callable[[], Any]):
        self._make, self.actor = make, make()
        self.busy = 0  # questions that it works on
        self.reason = DOWN
        self.node = ""  # the node of the process when it was last heard of
        self._look()

    def _look(self) -> None:
        self._probe, self._since = self.actor.ready.remote(), time.monotonic()

    def lost(self) -> None:
        """Note that it died. Ray starts it again, and `up` finds out when it is there."""
        self.reason = DOWN
        self._look()

    def up(self, ray: Any, wait: float = 0.0) -> bool:
        """Whether it lived when it was last heard of. If Ray does not start it again, we do, from time to time."""
        if self._probe is None:
            return True
        if not ray.wait([self._probe], timeout=wait)[0]:
            return False
        try:
            self.node, self._probe = ray.get(self._probe), None
            return True
        except ray.exceptions.RayError as error:
            self.reason = _reason(error)
            if time.monotonic() - self._since > REVIVE:
                if not isinstance(error, ray.exceptions.ActorUnavailableError):
                    self.actor = self._make()
                self._look()
            return False


class RayShards(Shards):
    """All shards of an index, on a cluster that this process is connected to. Safe to share between threads."""

    def __init__(self, folder: str | os.PathLike[str], replicas: int = 1, cpus: float = 1.0, timeout: float = TIMEOUT):
        """Start the actors, each of which asks for so many `cpus`; `timeout` is what a shard may take for a round."""
        self._ray, self.folder, self.timeout = imported(), os.path.abspath(folder), timeout
        self.index, self._size, self._cpus = Index.outline(folder), replicas, cpus
        kind = self._ray.remote(ShardActor).options(
            num_cpus=cpus, max_restarts=-1, max_task_retries=0, max_concurrency=max(2, round(2 * cpus)),
            scheduling_strategy="SPREAD")
        self._replicas: list[list[Replica]] = [[] for _ in range(self.count)]
        self._lock = Lock()
        self._suspects: OrderedDict[str, tuple[float, str]] = OrderedDict()  # since when, and where the process was
        self._sent: Kept[Any] = Kept(SENT)
        for number, row in enumerate(self._replicas):
            row += [Replica(partial(kind.remote, self.folder, number)) for _ in range(replicas)]
            if number == 0:
                self._await()  # what it compiles, the others on its machine find
        self._await()

    def _await(self) -> None:
        """Wait until all actors have started; raise an error if one cannot."""
        end = time.monotonic() + START
        for number, row in enumerate(self._replicas):
            for replica in row:
                if not replica.up(self._ray, max(0.0, end - time.monotonic())):
                    reason = replica.reason if replica.reason != DOWN else (
                        f"it did not start within {START:g} s; does the cluster have a free processor for every shard "
                        "and replica?")
                    self.close()
                    raise CrossbowError(f"shard {number} of {self.folder} cannot be held by the cluster: {reason}")

    def ask(
        self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> dict[int, Reply]:
        with self._lock:
            if not before and self._suspected(question.key):
                raise CrossbowError("a process of the cluster died while it worked on this query, which may be the "
                                    f"reason; it is refused for {SUSPECTED / 60:g} minutes")
        sent = self._sent.get_or(question.key, lambda: self._ray.put(Packed.of(question)))
        heard = self._ray.put(before) if before else []
        end, calls, replies = time.monotonic() + self.timeout, list[Call](), dict[int, Reply]()

        def call(home: int) -> Call | None:
            with self._lock:
                replica = self._choose(home)
                if replica is None:
                    return None
                replica.busy += 1
            name = uuid.uuid4().hex
            calls.append(Call(name, replica, replica.node, replica.actor.reply.remote(name, sent, heard, ask)))
            return calls[-1]

        try:
            waiting = {home: call(home) for home in homes}
            for home, first in waiting.items():
                replies[home] = self._answered(home, first, partial(call, home), question.key, end)
        finally:
            with self._lock:
                for one in calls:
                    one.replica.busy -= 1
        return replies

    def _answered(
        self, home: int, call: Call | None, again: Callable[[], Call | None], key: str, end: float
    ) -> Reply:
        """What a shard replies. Of replicas that were lost before they began, another one is asked."""
        for _ in range(1 + len(self._replicas[home])):
            if call is None:
                return Missing(self._replicas[home][0].reason)
            reply = self._heard(call, key, end)
            if reply is not None:
                return reply
            call = again()
        return Missing(DOWN)

    def _suspected(self, key: str) -> bool:
        """Whether a process died lately while it worked on a question, and its node did not."""
        since, node = self._suspects.get(key, (-SUSPECTED, ""))
        return since > time.monotonic() - SUSPECTED and any(
            one["NodeID"] == node and one["Alive"] for one in self._ray.nodes())

    def _choose(self, home: int) -> Replica | None:
        """The least busy living replica of a shard."""
        there = [replica for replica in self._replicas[home] if replica.up(self._ray)]
        return min(there, key=lambda replica: replica.busy) if there else None

    def _heard(self, call: Call, key: str, end: float) -> Reply | None:
        """What an actor replies, or why it does not; None if it was lost before it began.

        If the question itself is wrong, that is raised as an error.
        """
        errors = self._ray.exceptions
        try:
            reply: Reply | Failed = self._ray.get(call.reply, timeout=max(0.0, end - time.monotonic()))
        except errors.GetTimeoutError:  # it goes on working: canceling what has begun would end its process
            return Missing(f"it did not answer within {self.timeout:g} s")
        except errors.RayTaskError:
            raise  # a fault of the program
        except errors.RayError as error:
            with self._lock:
                call.replica.lost()
            return self._lost(call, key, error)
        if isinstance(reply, Failed):
            raise UnknownDocument(reply.problem) if reply.unknown else CrossbowError(reply.problem)
        return reply

    def _lost(self, call: Call, key: str, error: Exception) -> Missing | None:
        """What is known of a call whose process was lost: None if it had not begun, or else whether it is suspected.

        If its machine cannot say, it is not asked again, for it may have ended the machine. It is suspected as long as
        the machine seems to live.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        look = self._ray.remote(num_cpus=0, max_retries=0)(begun).options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(call.node, soft=False))
        try:
            if not self._ray.get(look.remote(call.name), timeout=LOOK):
                return None
        except self._ray.exceptions.RayError:
            pass
        with self._lock:
            self._suspects[key] = time.monotonic(), call.node
            while len(self._suspects) > SUSPECTS:
                self._suspects.popitem(last=False)
        return Missing(f"{DIED} ({_reason(error)})")

    def renewed(self) -> RayShards:
        index = Index.outline(self.folder)
        if index.shards != self.count:  # it was built again; old shards still answer until then
            return RayShards(self.folder, self._size, self._cpus, self.timeout)
        other = copy(self)
        other.index = index
        return other

    def close(self) -> None:
        for row in self._replicas:
            for replica in row:
                self._ray.kill(replica.actor)


def _reason(error: BaseException) -> str:
    """An error of Ray in one line: that of our own code behind it, if there is one."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, CrossbowError):
        return str(cause)
    text = str(error)
    for line in reversed(text.splitlines()):  # of an actor that could not start, the last line has the reason
        if line.startswith("crossbow.errors."):
            return line.partition(": ")[2]
    return (text.splitlines() or [type(error).__name__])[0]
