"""Language codes: ISO 639 with or without a script and a region, spelled in one way whatever way they come in.

    language_code("DE") == language_code("deu") == language_code("ger") == "de"
    language_code("pt_br") == "pt-BR"
    language_code("zh-hans") == "zh-Hans"
    language_name("de-AT") == "German"

A code of two letters must be one of ISO 639-1. A code of three letters becomes the one of two letters where there is
one, and must be one of ISO 639-3 otherwise. What is no code is refused, with those that are near in the error.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import NamedTuple

from crossbow.errors import CrossbowError

# ISO 639-1, the code of ISO 639-3 and the English name; "sh" is retired, but texts are still labeled with it.
_LANGUAGES = """
    aa aar Afar; ab abk Abkhazian; ae ave Avestan; af afr Afrikaans; ak aka Akan; am amh Amharic; an arg Aragonese;
    ar ara Arabic; as asm Assamese; av ava Avaric; ay aym Aymara; az aze Azerbaijani; ba bak Bashkir;
    be bel Belarusian; bg bul Bulgarian; bi bis Bislama; bm bam Bambara; bn ben Bengali; bo bod Tibetan;
    br bre Breton; bs bos Bosnian; ca cat Catalan; ce che Chechen; ch cha Chamorro; co cos Corsican; cr cre Cree;
    cs ces Czech; cu chu Church Slavonic; cv chv Chuvash; cy cym Welsh; da dan Danish; de deu German; dv div Divehi;
    dz dzo Dzongkha; ee ewe Ewe; el ell Greek; en eng English; eo epo Esperanto; es spa Spanish/Castilian;
    et est Estonian; eu eus Basque; fa fas Persian/Farsi; ff ful Fulah; fi fin Finnish; fj fij Fijian; fo fao Faroese;
    fr fra French; fy fry Frisian; ga gle Irish; gd gla Scottish Gaelic; gl glg Galician; gn grn Guarani;
    gu guj Gujarati; gv glv Manx; ha hau Hausa; he heb Hebrew; hi hin Hindi; ho hmo Hiri Motu; hr hrv Croatian;
    ht hat Haitian; hu hun Hungarian; hy hye Armenian; hz her Herero; ia ina Interlingua; id ind Indonesian;
    ie ile Interlingue; ig ibo Igbo; ii iii Sichuan Yi; ik ipk Inupiaq; io ido Ido; is isl Icelandic; it ita Italian;
    iu iku Inuktitut; ja jpn Japanese; jv jav Javanese; ka kat Georgian; kg kon Kongo; ki kik Kikuyu; kj kua Kuanyama;
    kk kaz Kazakh; kl kal Greenlandic/Kalaallisut; km khm Khmer; kn kan Kannada; ko kor Korean; kr kau Kanuri;
    ks kas Kashmiri; ku kur Kurdish; kv kom Komi; kw cor Cornish; ky kir Kyrgyz; la lat Latin; lb ltz Luxembourgish;
    lg lug Ganda; li lim Limburgish; ln lin Lingala; lo lao Lao; lt lit Lithuanian; lu lub Luba-Katanga;
    lv lav Latvian; mg mlg Malagasy; mh mah Marshallese; mi mri Maori; mk mkd Macedonian; ml mal Malayalam;
    mn mon Mongolian; mr mar Marathi; ms msa Malay; mt mlt Maltese; my mya Burmese; na nau Nauru;
    nb nob Norwegian Bokmål/Bokmål; nd nde North Ndebele; ne nep Nepali; ng ndo Ndonga; nl nld Dutch/Flemish;
    nn nno Norwegian Nynorsk/Nynorsk; no nor Norwegian; nr nbl South Ndebele; nv nav Navajo; ny nya Chichewa/Nyanja;
    oc oci Occitan; oj oji Ojibwa; om orm Oromo; or ori Odia/Oriya; os oss Ossetian; pa pan Punjabi/Panjabi;
    pi pli Pali; pl pol Polish; ps pus Pashto; pt por Portuguese; qu que Quechua; rm roh Romansh; rn run Rundi;
    ro ron Romanian; ru rus Russian; rw kin Kinyarwanda; sa san Sanskrit; sc srd Sardinian; sd snd Sindhi;
    se sme Northern Sami; sg sag Sango; sh hbs Serbo-Croatian; si sin Sinhala; sk slk Slovak;
    sl slv Slovenian/Slovene; sm smo Samoan; sn sna Shona; so som Somali; sq sqi Albanian; sr srp Serbian;
    ss ssw Swati; st sot Sesotho; su sun Sundanese; sv swe Swedish; sw swa Swahili; ta tam Tamil; te tel Telugu;
    tg tgk Tajik; th tha Thai; ti tir Tigrinya; tk tuk Turkmen; tl tgl Tagalog; tn tsn Tswana; to ton Tongan;
    tr tur Turkish; ts tso Tsonga; tt tat Tatar; tw twi Twi; ty tah Tahitian; ug uig Uyghur; uk ukr Ukrainian;
    ur urd Urdu; uz uzb Uzbek; ve ven Venda; vi vie Vietnamese; vo vol Volapük; wa wln Walloon; wo wol Wolof;
    xh xho Xhosa; yi yid Yiddish; yo yor Yoruba; za zha Zhuang; zh zho Chinese/Mandarin; zu zul Zulu
"""
# Other codes that people use: those of libraries (ISO 639-2/B), the usual member of a group of languages (as in FLORES
# and NLLB: arb for Arabic), and retired ones.
_OTHERS = """
    alb sq, arm hy, baq eu, bur my, chi zh, cze cs, dut nl, fre fr, geo ka, ger de, gre el, ice is, mac mk, mao mi,
    may ms, per fa, rum ro, slo sk, tib bo, wel cy, als sq, arb ar, azj az, cmn zh, ekk et, gaz om, khk mn, kmr ku,
    lvs lv, npi ne, ory or, pes fa, plt mg, swh sw, uzn uz, ydd yi, zsm ms, in id, iw he, ji yi, jw jv, mo ro
"""
# Codes of countries that are no codes of languages, and what is most likely meant.
_COUNTRIES = """
    al sq, at de, bd bn, by be, cl es, cn zh, cz cs, dk da, eg ar, gb en, ge ka, gr el, hk zh, il he, iq ar, ir fa,
    jp ja, kh km, kp ko, kz kk, lk si, md ro, mm my, mx es, np ne, nz en, pe es, ph tl, pk ur, rs sr, sy ar, tj tg,
    tm tk, ua uk, us en, vn vi
"""
_ALIKE = (frozenset({"no", "nb", "nn"}), frozenset({"sh", "sr", "hr", "bs"}))  # one code is often used for another
_CODE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|[0-9]{3}))?"
                   r"((?:[-_](?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)", re.I)


class _Table(NamedTuple):
    names: dict[str, str]  # of the languages with a code of two letters
    shorter: dict[str, str]  # other codes -> two letters
    codes: dict[str, str]  # names in lower case -> two letters
    countries: dict[str, str]  # codes of countries -> two letters


@cache
def _table() -> _Table:
    rows = [row.split(None, 2) for row in _LANGUAGES.split(";")]
    others, countries = (dict(pair.split() for pair in pairs.split(",")) for pairs in (_OTHERS, _COUNTRIES))
    return _Table({two: names.partition("/")[0].strip() for two, _, names in rows},
                  {three: two for two, three, _ in rows} | others,
                  {name.strip().lower(): two for two, _, names in rows for name in names.split("/")}, countries)


def language_code(code: str) -> str:
    """The code in its usual spelling; raises an error that helps if it is none."""
    if not code or not isinstance(code, str):
        raise CrossbowError(f"the language is {code!r}; give a code such as 'en'")
    match = _CODE.fullmatch(code.strip())
    language = shortest(match[1]) if match else ""
    if match is None or not _exists(language):
        near = _near(code)
        remedy = (f"did you mean {near}?" if near else "give two letters, such as 'de' or 'pt-BR', or three for a "
                  "language that has no code of two, such as 'yue'")
        raise CrossbowError(f"{code!r} is not a language code; {remedy}")
    script, region, variants = (part or "" for part in match.groups()[1:])
    parts = (language, script.capitalize(), region.upper(), *variants.lower().replace("_", "-").split("-"))
    return "-".join(part for part in parts if part)


def is_code(text: str) -> bool:
    """Whether this is the code of a language, in any spelling."""
    try:
        return bool(language_code(text))
    except CrossbowError:
        return False


@lru_cache(maxsize=1024)  # a file has the same few on every line, and what is no code is slow to refuse
def spelled(tag: str) -> str:
    """A language tag of a file in one spelling, in lower case; what is no code keeps its letters."""
    return (language_code(tag) if is_code(tag) else tag.replace("_", "-")).lower()


def _exists(short: str) -> bool:
    if len(short) == 2:
        return short in _table().names
    return _rarer_name(short) is not None or "qaa" <= short <= "qtz"  # for private use


def _rarer_name(short: str) -> str | None:
    """The English name of a language by its code of three letters; none if there is no such code."""
    import iso639

    try:
        return str(iso639.Language.from_part3(short).name)
    except iso639.LanguageNotFoundError:
        return None


def _near(code: str) -> str:
    """Codes whose name or spelling is like this, with their names: 'de' (German) or 'da' (Danish)."""
    table, text = _table(), " ".join(code.lower().split())
    if text in table.codes:
        return repr(table.codes[text])
    if text in table.countries:
        meant = table.countries[text]
        return f"{meant!r} ({table.names[meant]})"
    named = [table.codes[name] for name in get_close_matches(text, table.codes, 2, 0.75)]
    first = re.split("[-_]", text)[0]
    spelled = get_close_matches(first, [*table.names, *table.shorter], 4, 0.6) if len(text) > 1 else []
    if len(first) == 2 and first[::-1] in table.names:  # two letters that changed places
        spelled.insert(0, first[::-1])
    near = list(dict.fromkeys([*named, *(shortest(one) for one in spelled)]))[:4]
    return " or ".join(f"{one!r} ({table.names[one]})" for one in near)


def is_common(code: str) -> bool:
    """Whether this is the code of a language that has one of two letters; retired codes of two letters do not count."""
    return code.lower() in _table().names or (len(code) == 3 and len(shortest(code)) == 2)


def language_name(code: str) -> str:
    """The English name of a language, or its code if it has none."""
    base = _base(code)
    return _table().names.get(base) or _rarer_name(base) or code


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, perhaps of different regions."""
    bases = {_base(one), _base(other)}
    return len(bases) == 1 or any(bases <= group for group in _ALIKE)


def _base(code: str) -> str:
    return language_code(code).partition("-")[0]


def shortest(code: str) -> str:
    """The code of two letters for one of three where there is one, in lower case; nothing is checked."""
    return _table().shorter.get(code.lower(), code.lower())


def primary(code: str) -> str:
    """The language alone, without script and region; nothing is checked."""
    return shortest(code.replace("_", "-").partition("-")[0])
