"""The pictures of docs/method.md: one query with six translations, four documents, and what the method makes of them.

    python tools/pictures.py            # writes docs/pictures/*.svg

All numbers are computed here in a few plain lines. A test compares translations, scores and expected terms with what
the program computes; the bound is a simple one of its own, which the test holds against the scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
QUERY = ("alte", "Bank", "streichen")
# What a translation system thinks of each translation, as natural logarithms. Word i translates word i of the query.
TRANSLATIONS: dict[tuple[str, ...], float] = {
    ("old", "bank", "cancel"): -0.5, ("old", "bench", "paint"): -1.6, ("ancient", "bank", "cancel"): -2.0,
    ("old", "bench", "cancel"): -2.6, ("ancient", "bench", "paint"): -2.9, ("old", "bank", "paint"): -3.4,
}
MATCHING = {
    "garden": "sand the old bench then paint it twice", "account": "the old bank will cancel your standing order",
    "mural": "we paint the wall of the bank", "roman": "an ancient road of stone",
    "match": "the trainer left the bench", "trains": "they cancel the late trains",
}
DOCUMENTS = {**MATCHING, **{f"other{number}": "rain in the morning" for number in range(34)}}
V, K1, B = 0.8, 1.2, 0.75
INK, MUTED, PALE, LINE, TEAL, RUST = "#1f2933", "#52606d", "#eef2f7", "#9aa4b2", "#0b7285", "#c2571a"


def gains() -> dict[str, dict[str, float]]:
    """What each word of the translations is worth in each document: v · idf · saturation."""
    texts = {name: text.split() for name, text in DOCUMENTS.items()}
    mean = sum(map(len, texts.values())) / len(texts)
    found: dict[str, dict[str, float]] = {name: {} for name in texts}
    for word in {word for words in TRANSLATIONS for word in words}:
        df = sum(word in text for text in texts.values())
        idf = max(0.0, math.log((len(texts) - df + 0.5) / (df + 0.5)))
        for name, text in texts.items():
            tf = text.count(word)
            found[name][word] = V * idf * tf / (K1 * (1 - B + B * len(text) / mean) + tf)
    return found


def choice(worth: Mapping[str, float]) -> tuple[tuple[str, ...], float]:
    """The translation that a document supports best, and its score."""
    scores = {words: score + sum(worth[word] for word in words) for words, score in TRANSLATIONS.items()}
    best = max(scores, key=lambda words: scores[words])
    return best, scores[best]


def bound(worth: Mapping[str, float]) -> float:
    """No score can be above this: the best translation, and for every word of the query its best match or nothing.

    A word costs at least what the best translation that has it is worse than the best of all. A third of that is
    charged to each of the three places.
    """
    top = max(TRANSLATIONS.values())
    total = top
    for place in range(len(QUERY)):
        total += max(0.0, *(worth[words[place]] - (top - score) / len(QUERY) for words, score in TRANSLATIONS.items()))
    return total


def expected() -> list[dict[str, float]]:
    """For each word of the query, how likely each translation of it is over all translations."""
    weights = {words: math.exp(score) for words, score in TRANSLATIONS.items()}
    total = sum(weights.values())
    found: list[dict[str, float]] = [{} for _ in QUERY]
    for words, weight in weights.items():
        for place, word in enumerate(words):
            found[place][word] = found[place].get(word, 0.0) + weight / total
    return found


# Drawing: a picture is a list of pieces; places are in pixels.
def text(x: float, y: float, words: str, color: str = INK, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{color}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = PALE, line: str = LINE) -> str:
    return (f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{height:g}" rx="4" fill="{fill}" '
            f'stroke="{line}"/>')


def curve(x1: float, y1: float, x2: float, y2: float, color: str = LINE, width: float = 1.5) -> str:
    middle = (x1 + x2) / 2
    return (f'<path d="M {x1:g} {y1:g} C {middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}" fill="none" '
            f'stroke="{color}" stroke-width="{width:g}"/>')


def picture(width: int, height: int, told: str, pieces: Sequence[str]) -> str:
    """An SVG file on white, so that it can be read in the dark too. `told` says what is to be seen."""
    inside = "\n".join(f"  {piece}" for piece in pieces)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="{escape(told)}">\n'
            f'  <rect width="{width}" height="{height}" fill="#ffffff"/>\n{inside}\n</svg>\n')


def forest() -> str:
    """All translations as paths through a graph; the best one is drawn bold."""
    columns = [sorted({words[place] for words in TRANSLATIONS}) for place in range(len(QUERY))]
    best = max(TRANSLATIONS, key=lambda words: TRANSLATIONS[words])
    centers = {(place, word): (150 + 220 * place, 90 + 90 * row)
               for place, column in enumerate(columns) for row, word in enumerate(column)}
    pieces = [text(150 + 220 * place, 40, word, anchor="middle", bold=True) for place, word in enumerate(QUERY)]
    pairs = {(place, words[place], words[place + 1]) for words in TRANSLATIONS for place in range(len(QUERY) - 1)}
    for place, one, other in sorted(pairs):
        (x1, y1), (x2, y2) = centers[place, one], centers[place + 1, other]
        used = best[place : place + 2] == (one, other)
        pieces.append(curve(x1 + 50, y1, x2 - 50, y2, TEAL if used else LINE, 3 if used else 1.5))
    for (place, word), (x, y) in centers.items():
        chosen = best[place] == word
        pieces += [box(x - 50, y - 18, 100, 36, "#e6f4f6" if chosen else PALE, TEAL if chosen else LINE),
                   text(x, y + 5, word, anchor="middle")]
    for row, (words, score) in enumerate(TRANSLATIONS.items()):
        pieces += [text(690, 60 + 26 * row, " ".join(words), TEAL if words == best else INK),
                   text(890, 60 + 26 * row, f"{score:.1f}".replace("-", "−"), anchor="end")]
    title = "A forest: six translations of a query as paths through a graph, with their scores"
    return picture(910, 225, title, pieces)


def picks() -> str:
    """For four documents: the translation each of them picks, what it costs and what it gains."""
    pieces = [text(20, 30, "document", bold=True), text(110, 30, "its translation", bold=True),
              text(330, 30, "cost", RUST, bold=True), text(390, 30, "gain", TEAL, bold=True),
              text(880, 30, "score", anchor="end", bold=True)]
    top, zero, unit = max(TRANSLATIONS.values()), 500, 75
    for row, name in enumerate(("account", "garden", "mural", "roman")):
        worth, y = gains()[name], 50 + 44 * row
        words, score = choice(worth)
        cost, gain = top - TRANSLATIONS[words], sum(worth[word] for word in words)
        pieces += [text(20, y + 20, name), text(110, y + 20, " ".join(words)), text(330, y + 20, f"{cost:.2f}", RUST),
                   text(390, y + 20, f"{gain:.2f}", TEAL), box(zero, y + 2, unit * gain, 12, "#b9e2e7", TEAL),
                   box(zero, y + 18, unit * cost, 12, "#f5d5c3", RUST),
                   text(880, y + 20, f"{score:.2f}".replace("-", "−"), anchor="end", bold=True)]
    return picture(910, 240, "Each document picks the translation whose gain outweighs its cost most", pieces)


def bounds() -> str:
    """All documents by their bounds: only those that may be among the two best are looked at closely."""
    values = {name: (bound(gains()[name]), choice(gains()[name])[1]) for name in MATCHING}
    order = sorted(values, key=lambda name: -values[name][0])
    threshold = sorted((value for _, value in values.values()), reverse=True)[1]
    left, unit, least = 110, 150, -0.6

    def at(score: float) -> float:
        return left + unit * (score - least)

    pieces = []
    for row, name in enumerate(order):
        most, value = values[name]
        y, close = 30 + 30 * row, most >= threshold
        pieces += [text(20, y + 15, name, INK if close else MUTED), box(left, y, at(most) - left, 20)]
        if close:
            pieces.append(box(left, y + 5, at(value) - left, 10, "#b9e2e7", TEAL))
        said = f"at most {most:.2f}, exactly {value:.2f}" if close else f"at most {most:.2f}: need not be valued"
        pieces.append(text(500, y + 15, said, INK if close else MUTED))
    bottom = 30 + 30 * len(order)
    pieces += [f'<path d="M {at(threshold):.1f} 20 V {bottom}" stroke="{RUST}" stroke-dasharray="5 4"/>',
               text(at(threshold), bottom + 16, "the second best value", RUST, "middle")]
    return picture(910, bottom + 30, "Documents whose bound is below the second best value are never valued", pieces)


def likely() -> str:
    """The expected terms of the query, as bars."""
    pieces = []
    for place, word in enumerate(QUERY):
        x = 30 + 300 * place
        pieces.append(text(x, 30, word, bold=True))
        for row, (term, share) in enumerate(sorted(expected()[place].items(), key=lambda pair: -pair[1])):
            pieces += [text(x, 62 + 32 * row, term), box(x + 65, 48 + 32 * row, 130 * share, 18, "#b9e2e7", TEAL),
                       text(x + 72 + 130 * share, 62 + 32 * row, f"{share:.2f}")]
    return picture(910, 115, "How likely each term is over all translations of the forest", pieces)


def second() -> str:
    """Feedback: two searches, and what the first one adds to the second."""
    stations = [("forest", "of the query"), ("first search", "exact"), ("best documents", "weighted by score"),
                ("their terms", "Rocchio's formula"), ("second search", "exact again")]
    pieces = []
    for place, (name, note) in enumerate(stations):
        x = 20 + 180 * place
        pieces += [box(x, 70, 150, 56), text(x + 75, 93, name, anchor="middle", bold=True),
                   text(x + 75, 114, note, anchor="middle")]
        if place:
            pieces.append(curve(x - 30, 98, x, 98, INK))
    pieces.append(f'<path d="M 95 70 C 95 15 815 15 815 70" fill="none" stroke="{TEAL}" stroke-width="2"/>')
    title = "Feedback: terms of the best documents of a first search are added to a second one"
    return picture(910, 150, title, pieces)


PICTURES = {"forest": forest, "picks": picks, "bounds": bounds, "expected": likely, "feedback": second}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf8")
