"""Tables of strings as aligned text for the terminal and as Markdown. The first `labels` columns hold text, the others
numbers, which go to the right.

    print(text_table(["run", "AP"], [["dt", "0.3678"], ["bowfd", "0.3880"]]))
    print(markdown_table(["run", "AP"], [["dt", "0.3678"], ["bowfd", "0.3880 ᵃ"]], signature="crossbow … | …"))
"""

from __future__ import annotations

from collections.abc import Sequence


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1) -> str:
    """Columns two spaces apart."""
    lines = [headers, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(cell.ljust(width) if at < labels else cell.rjust(width)
                  for at, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in lines)


def markdown_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1, signature: str | None = None
) -> str:
    """A pipe table, and the signature of its numbers below it."""
    rule = ["---" if at < labels else "---:" for at in range(len(headers))]
    lines = [_pipes(line) for line in (headers, rule, *rows)]
    return "\n".join([*lines, "", f"`{signature}`"] if signature else lines)


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
