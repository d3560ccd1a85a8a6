"""Translation memories (TMX 1.1 to 1.4) as sentence pairs, read as a stream.

    for source, target in read_tmx("memory.tmx.gz", "de", "en"): ...
    read_tmx("memory.tmx.gz", "deu", "en", spelled)     # text/language.py: deu, GER and de are one language

A language code stands for its variants too: de for de-DE and de_at, but de-DE only for itself. If a unit has several
variants of a language, the one that is spelled like the code counts, else the first. Of inline elements the text
between the tags stays (hi), and native codes go (bpt, ept, it, ph, ut and what is inside them). White space becomes
single spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crossbow.errors import InputError
from crossbow.records.lines import PathLike
from crossbow.records.xml import LONGEST, Events, Problem, stream

_CODES = ("bpt", "ept", "it", "ph", "ut")
_FORM = "expected TMX: <tmx> with <tu>, <tuv xml:lang=…> and <seg>"


Spell = Callable[[str], str]  # from a language tag to the one spelling of all that mean the same


def hyphened(tag: str) -> str:
    """A language tag in lower case, with hyphens."""
    return tag.lower().replace("_", "-")


def matches(code: str, found: str, spell: Spell = hyphened) -> bool:
    """Whether a language tag is the one asked for or a variant of it."""
    asked, there = map(spell, (code, found))
    return there == asked or there.startswith(asked + "-")


class _Units(Events[tuple[str, str]]):
    def __init__(self, codes: tuple[str, str], spell: Spell):
        super().__init__()
        self.codes, self.spell = codes, spell
        self.root = ""
        self.languages: set[str] = set()
        self.variants: list[tuple[str, str]] = []  # of the unit: language and text
        self.lang = ""
        self.parts: list[str] | None = None  # of the segment, inside one
        self.length = self.code = 0  # how many elements of native code we are in

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.root:
            self.root = name
            if name != "tmx":
                raise Problem(f"the root element is <{name}>")
        elif name == "tu":
            self.variants = []
        elif name == "tuv":
            self.lang = attributes.get("xml:lang") or attributes.get("lang") or ""
            if not self.lang:
                raise Problem("a <tuv> without xml:lang")
            self.languages.add(self.lang)
        elif name == "seg":
            self.parts, self.length, self.code = [], 0, 0
        elif self.parts is not None and (self.code or name in _CODES):
            self.code += 1

    def text(self, text: str) -> None:
        if self.parts is not None and not self.code:
            self.parts.append(text)
            self.length += len(text)
            if self.length > LONGEST:
                raise Problem(f"a segment of more than {LONGEST:,} characters")

    def end(self, name: str) -> None:
        if name == "seg" and self.parts is not None:
            self.variants.append((self.lang, " ".join("".join(self.parts).split())))
            self.parts = None
        elif self.parts is not None and self.code:
            self.code -= 1
        elif name == "tu":
            source, target = map(self._best, self.codes)
            if source and target:
                self.found.append((source, target))

    def _best(self, code: str) -> str:
        """The text in a language, empty if there is none."""
        fitting = [(self.spell(lang) != self.spell(code), text) for lang, text in self.variants
                   if matches(code, lang, self.spell)]
        return min(fitting, key=lambda one: one[0], default=(True, ""))[1]


def read_tmx(path: PathLike, source: str, target: str, spell: Spell = hyphened) -> Iterator[tuple[str, str]]:
    """The pairs of a file (plain, .gz or .xz); units that lack one of the languages are passed over."""
    units = _Units((source, target), spell)
    empty = True
    for pair in stream(path, units, _FORM):
        empty = False
        yield pair
    if empty:
        there = ", ".join(sorted(units.languages)[:20]) or "none at all"
        raise InputError(path, None, f"no unit has both {source!r} and {target!r}; the file's languages are {there}",
                         "choose among these with --source and --target")
