"""Stages: made once, made anew when what goes into them changes, and never half."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.pipeline import Stages, file_digest, stages_beside, working_in


class Values(NamedTuple):
    """What the stages of these tests hold."""

    values: Any


class Maker:
    """Writes a stage and counts how often it was asked to."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, folder: Path) -> None:
        self.made += 1
        store.save(folder / "inner", "inner", Values(np.arange(3)), {})
        store.save(folder, "values", Values(np.array([self.made])), {})


def value(stage: Path) -> int:
    return int(store.load(stage, "values", Values)[0].values[0])


def test_a_finished_stage_is_not_made_twice(tmp_path: Path) -> None:
    make, reports = Maker(), []
    for _ in range(3):
        stages = Stages(tmp_path / "stages", lambda *what: reports.append(what))
        place = stages.run("text", {"x": [1, 2]}, make)
        assert value(place) == 1
        assert place.parent == tmp_path / "stages"
        assert place.name.startswith("text-")
        assert stages.seconds["text"] >= 0
    assert make.made == 1
    assert reports == [("text", 0, 0), ("text", 1, 1), ("text", 1, 1), ("text", 1, 1)]


def test_a_changed_key_makes_it_anew_and_keeps_the_old(tmp_path: Path) -> None:
    make, stages = Maker(), Stages(tmp_path / "stages")
    keys: list[object] = [{"x": 1}, {"x": 2}, {"y": 1}, {"x": [1]}, "x"]
    places = [stages.run("text", key, make) for key in keys]
    assert [value(place) for place in places] == [1, 2, 3, 4, 5]
    assert [stages.run("text", key, make) for key in keys] == places
    assert stages.run("align", {"x": 1}, make) not in places
    assert make.made == 6


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_no_half_stage(tmp_path: Path, problem: type[BaseException]) -> None:
    stages, make = Stages(tmp_path / "stages"), Maker()

    def fail(folder: Path) -> None:
        make(folder)
        raise problem

    stages.run("before", 1, make)
    with pytest.raises(problem):
        stages.run("text", 1, fail)
    assert [path.name.split("-")[0] for path in (tmp_path / "stages").iterdir()] == ["before"]
    assert value(stages.run("text", 1, make)) == 3


def test_a_folder_without_a_header_is_no_finished_stage(tmp_path: Path) -> None:
    stages, make = Stages(tmp_path / "stages"), Maker()
    place = stages.run("text", 1, make)
    shutil.rmtree(place)
    place.mkdir()
    assert stages.run("text", 1, make) == place
    assert value(place) == 2


def test_remove(tmp_path: Path) -> None:
    stages = Stages(tmp_path / "stages")
    stages.remove()
    stages.run("text", 1, Maker())
    stages.remove()
    assert list(tmp_path.iterdir()) == []


def test_file_digest(tmp_path: Path) -> None:
    contents = [b"", b"a", b"a\n", b"x" * (1 << 20), b"x" * (1 << 20) + b"y", b"y" + b"x" * (1 << 20)]
    digests = []
    for number, content in enumerate(contents):
        (tmp_path / str(number)).write_bytes(content)
        digests.append(file_digest(tmp_path / str(number)))
    assert len(set(digests)) == len(contents)
    (tmp_path / "copy").write_bytes(contents[3])
    assert file_digest(str(tmp_path / "copy")) == digests[3]


@pytest.mark.parametrize(("name", "message"), [("missing", "missing: cannot be read .*No such file"),
                                               ("", "cannot be read .*directory")])
def test_file_digest_of_what_cannot_be_read(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        file_digest(tmp_path / name)


def test_stages_beside_a_result_are_removed_once_it_is_there(tmp_path: Path) -> None:
    def fail() -> None:
        with stages_beside(tmp_path / "out") as stages:
            stages.run("text", 1, Maker())
            raise ValueError("something went wrong later")

    with pytest.raises(ValueError, match="later"):
        fail()
    (left,) = tmp_path.glob(".out.stages/*")
    assert value(left) == 1
    with stages_beside(tmp_path / "out") as stages:
        make = Maker()
        assert stages.run("text", 1, make) == left
        assert make.made == 0
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_is_told_at_once_and_the_first_keeps_its_stages(tmp_path: Path) -> None:
    message = ".out.stages: another process is writing to this work folder; try again when it is done"
    with stages_beside(tmp_path / "out") as stages:
        stages.run("text", 1, Maker())
        with pytest.raises(CrossbowError, match=message), stages_beside(tmp_path / "out"):
            pass
        make = Maker()
        stages.run("text", 1, make)
        assert make.made == 0
    assert list(tmp_path.iterdir()) == []


def test_a_work_folder_that_stays_empty_goes(tmp_path: Path) -> None:
    with pytest.raises(InputError), working_in(tmp_path / "work"):
        file_digest(tmp_path / "missing")
    assert list(tmp_path.iterdir()) == []
    with working_in(tmp_path / "work"):
        (tmp_path / "work" / "kept").touch()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["kept"]
