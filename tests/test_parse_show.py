"""Drawings: that every word, arc and edit is in them, and that they are well formed."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from crossbow.parse.show import KEPT, Drawn, Edit, script_svg, script_text, tree_svg, tree_text

QUERY = Drawn(["otters", "open", "clams", "<with>", "rocks"], [1, -1, 1, 1, 3], [0.1, 0.02, 0.3, 0.25, 0.5])
DOCUMENT = Drawn(["an", "otter", "opens", "clams"], [1, 2, -1, 2], [0.4, 0.1, 0.02, 0.3])
EDITS = [Edit(1, 0.02), Edit(-1, 0.02), Edit(3, 0.0), Edit(-1, 0.25), Edit(-1, 0.5)]


def test_a_tree_as_text() -> None:
    assert tree_text(QUERY) == "\n".join([
        "ROOT",
        "└─ open         0.0200",
        "   ├─ otters    0.1000",
        "   ├─ clams     0.3000",
        "   └─ <with>    0.2500",
        "      └─ rocks  0.5000",
    ])


def test_a_script_as_text() -> None:
    shown = script_text(QUERY, DOCUMENT, EDITS)
    assert "otters    0.1000  → otter, 0.0200" in shown
    assert "clams     0.3000  = kept" in shown
    assert "rocks  0.5000  ✗ deleted, 0.5000" in shown
    assert "└─ an  0.4000  + inserted, free" in shown
    assert shown.endswith("distance 0.7900")


def test_a_word_that_is_replaced_for_nothing_is_not_called_kept() -> None:
    """Learning makes many parameters exactly 0."""
    query, document = Drawn(["clams"], [-1], [0.0]), Drawn(["mollusks"], [-1], [0.0])
    assert "clams  0.0000  → mollusks, 0.0000" in script_text(query, document, [Edit(0, 0.0)])
    assert KEPT not in script_svg(query, document, [Edit(0, 0.0)])
    assert KEPT in script_svg(query, query, [Edit(0, 0.0)])


@pytest.mark.parametrize("tree", [QUERY, DOCUMENT, Drawn([], [], []), Drawn(["one"], [-1], [1.0])])
def test_a_tree_as_svg(tree: Drawn) -> None:
    picture = ElementTree.fromstring(tree_svg(tree))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[: len(tree.words)] == list(tree.words)
    arcs = [path for path in picture.iter("{http://www.w3.org/2000/svg}path") if path.get("fill") == "none"]
    assert len(arcs) == sum(head >= 0 for head in tree.head)


def test_a_script_as_svg() -> None:
    picture = ElementTree.fromstring(script_svg(QUERY, DOCUMENT, EDITS))
    lines = [line for line in picture.iter("{http://www.w3.org/2000/svg}line") if line.get("stroke-dasharray")]
    assert len(lines) == 2
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {*QUERY.words, *DOCUMENT.words, "distance 0.7900", "0.500"} <= set(texts)
