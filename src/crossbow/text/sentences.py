"""Sentences of a text: translation works on one at a time.

    split_sentences("Er kam am 3. Mai. Dr. Roth auch.", "de")  ==  ["Er kam am 3. Mai.", "Dr. Roth auch."]

A sentence ends at . ! ? (and their kin in other scripts) before white space, unless a lower-case word follows or the
period belongs to an abbreviation, an initial or, where the language writes them so, an ordinal number. Japanese and
Chinese sentences end at 。！？ without white space. A blank line or a bullet always starts a new sentence, a mere line
break never does. White space inside a sentence becomes single spaces; nothing else is changed.
"""

from __future__ import annotations

import regex  # type: ignore[import-untyped]

_ABBREVIATIONS = {
    "en": """
        mr mrs ms dr prof st rev gen col sgt capt lt gov sen rep jr sr hon vs etc inc ltd co corp dept est fig
        figs eq no nos vol vols pp ch sec approx ca cf al ed eds viz resp jan feb mar apr jun jul aug sep sept oct nov
        dec""",
    "de": """
        dr prof hr fr frl dipl ing st str nr bd bzw ca evtl ggf inkl exkl usw usf vgl sog allg abb tab kap art abs lt
        max min mind mio mrd tel bsp etc resp ehem geb gest jh jhd hg hrsg aufl ausg bes insb jan feb apr jun jul aug
        sep sept okt nov dez""",
    "fr": """
        m mm mme mmes mlle mlles dr pr prof st ste mgr me fig env ex etc cf vol chap art al p pp no nos tél av apr
        janv févr avr juil sept oct nov déc""",
    "it": """
        sig sigg sigra dott dr ing avv prof profssa on st fig ecc es pag pagg vol cap art cfr ca tel nr n jr gen feb
        mar apr mag giu lug ago set ott nov dic""",
    "es": """
        sr sra srta sres dr dra d dª prof lic ing gral ud uds vd vds fig etc ej pág págs vol cap art núm tel av avda
        aprox ene feb mar abr jun jul ago sept oct nov dic""",
    "pt": """
        sr sra srs dr dra prof profa eng d exmo exma fig etc ex pág págs vol cap art núm tel av aprox jan fev mar abr
        mai jun jul ago set out nov dez""",
    "nl": """
        dhr mevr mw dr drs prof ir ing mr st fig enz bijv bv blz nr vgl ca evt excl incl max min resp tel jan feb mrt
        apr jun jul aug sep sept okt nov dec""",
    "da": """
        hr fr dr prof skt nr bl f ex fx ca evt inkl ekskl jf kl maks min osv pga vedr tlf kap bd jan feb mar apr jun
        jul aug sep okt nov dec""",
    "sv": """
        hr fr dr prof st nr bl ca dvs etc ev exkl inkl fig forts jfr kl kap max min osv resp t tel jan feb mar apr
        jun jul aug sep sept okt nov dec""",
}
_NOT_LAST = {lang: frozenset(words.split()) for lang, words in _ABBREVIATIONS.items()}
_NOT_LAST_BEFORE_NUMBER = frozenset({
    "abb", "abs", "art", "bd", "cap", "ch", "chap", "eq", "fig", "figs", "kap", "n", "no", "nos", "nr", "núm", "p",
    "pag", "pagg", "pp", "pág", "págs", "sec", "tab", "vol", "vols",
})  # fmt: skip
_PERIOD_AFTER_ORDINAL = frozenset({"cs", "da", "de", "et", "fi", "hr", "hu", "is", "nb", "nn", "no", "pl", "sk", "sl"})
_NO_SPACES = frozenset({"ja", "zh", "yue"})

_CLOSERS = r"""["'”’»›)\]}」』）】〉》]"""
_BREAK = regex.compile(r"\n[^\S\n]*\n\s*|\n(?=[^\S\n]*[*•‣▪◦–-][^\S\n])")
_END = regex.compile(rf"(?<![.!?…])[.!?…]++{_CLOSERS}*+(?=\s)|[؟۔।॥։።။។]++{_CLOSERS}*+(?=\s)|[。！？｡]++{_CLOSERS}*+")
_END_WITHOUT_SPACE = regex.compile(rf"[。！？｡!?]++{_CLOSERS}*+|(?<!\.)[.]++{_CLOSERS}*+(?=\s)")
_NEXT_IS_LOWER_CASE = regex.compile(r"""\s+["'“‘„«‹(\[{]*+\p{Ll}""")
_NEXT_IS_NUMBER = regex.compile(r"\s+\p{Nd}")
_LAST_WORD = regex.compile(r"[\p{L}\p{M}\p{N}.ª]*$")
_LAST_LATIN_WORD = regex.compile(r"[\p{Latin}\p{M}\p{N}.]*$")  # where words stand close together: 装置No. 3
_INITIALS = regex.compile(r"\p{L}|(?:\p{L}{1,3}\.)+\p{L}{1,3}")
_ORDINAL = regex.compile(r"\p{Nd}{1,2}")
_LONGEST_ABBREVIATION = 16


def split_sentences(text: str, lang: str) -> list[str]:
    """The sentences of a text, without empty ones."""
    lang = lang.partition("-")[0].lower()
    sentences = []
    for block in _BREAK.split(text):
        start = 0
        for end in (_END_WITHOUT_SPACE if lang in _NO_SPACES else _END).finditer(block):
            if not _goes_on(block, end, lang):
                sentences.append(block[start:end.end()])
                start = end.end()
        sentences.append(block[start:])
    tidy = (" ".join(sentence.split()) for sentence in sentences)
    return [sentence for sentence in tidy if sentence]


def _goes_on(block: str, end: regex.Match[str], lang: str) -> bool:
    """Whether the sentence continues after this mark."""
    if end[0][0] not in ".!?…":
        return False
    if lang not in _NO_SPACES and _NEXT_IS_LOWER_CASE.match(block, end.end()):
        return True
    if end[0] != ".":
        return False
    last = _LAST_LATIN_WORD if lang in _NO_SPACES else _LAST_WORD
    word = last.search(block[max(0, end.start() - _LONGEST_ABBREVIATION):end.start()])[0]
    if lang in _PERIOD_AFTER_ORDINAL and _ORDINAL.fullmatch(word):
        return True
    if word.lower() in _NOT_LAST_BEFORE_NUMBER:  # "no. 5", but "he said no. Then"
        return bool(_NEXT_IS_NUMBER.match(block, end.end()))
    return word.lower() in _NOT_LAST.get(lang, ()) or bool(_INITIALS.fullmatch(word))
