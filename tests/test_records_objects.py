"""JSON arrays are read piece by piece, and give what json.loads gives; what is wrong is named with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import InputError
from crossbow.records import objects
from crossbow.records.lines import open_blocks
from crossbow.records.objects import json_array

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=5), st.integers(1, 40),
       st.sampled_from([None, 0, 2]), st.booleans())
@settings(deadline=None, max_examples=150)
def test_arrays_of_any_shape_in_blocks_of_any_size(rows: list, size: int, indent: int | None, ascii: bool) -> None:
    import tempfile

    text = json.dumps(rows, indent=indent, ensure_ascii=ascii) + " \n"
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "d.json")
        path.write_bytes(text.encode("utf8", "replace"))
        patch.setattr(objects, "open_blocks", lambda source: open_blocks(source, size))
        found = list(json_array(path))
    assert [record for _, record in found] == json.loads(text.encode("utf8", "replace"))
    if indent == 0 and rows and all(rows):
        lines = text.encode("utf8", "replace").decode().split("\n")
        assert all(lines[number - 1].startswith("{") for number, _ in found)


@pytest.mark.parametrize(("text", "problem"), {
    "cut off": ('[{"id": 1},\n {"id": 2', "2: not valid JSON"),
    "no comma": ('[{"id": 1}\n {"id": 2}]', "2: expected a"),
    "an end too many": ("[]\n]", "2: there is more behind"), "a number": ("[\n7]", "2: not a JSON object"),
    "NaN": ('[{"a": NaN}]', "1: not valid JSON"), "no end": ('[{"id": 1}\n\n', "3: expected a comma"),
    "not UTF-8": ('[{"a": "\udcff"}]', "not UTF-8"), "too deep": (f'[{"[" * 100_000}', "1: not valid JSON"),
}.values())
def test_bad_arrays(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(text.encode("utf8", "surrogateescape"))
    with pytest.raises(InputError, match=rf"d\.json:.*{problem}"):
        list(json_array(path))
