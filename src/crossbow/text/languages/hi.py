"""Hindi: dots that few writers set go from the text; long and short vowels meet in the stems, as Lucene defines it."""

from crossbow.text.languages import LANGUAGES, Language, digits

# Lucene's normalizer, for stems: short and long vowels meet, and so do the ways to write n before a consonant.
_SAME = {"ॅ": "े", "ॆ": "े", "ॉ": "ो", "ॊ": "ो", "ऍ": "ए", "ऎ": "ए", "ऑ": "ओ", "ऒ": "ओ", "ॲ": "अ", "आ": "अ", "ई": "इ",
         "ऊ": "उ", "ॠ": "ऋ", "ॡ": "ऌ", "ऐ": "ए", "औ": "ओ", "ी": "ि", "ू": "ु", "ॄ": "ृ", "ॣ": "ॢ", "ै": "े", "ौ": "ो", "्": ""}
_TABLE = str.maketrans(_SAME)


def _light(stem: str) -> str:
    return stem.replace("न्", "ं").translate(_TABLE)


LANGUAGES.add("hi", Language(
    "hi", script="Devanagari", snowball="hindi", light=_light, revision=2,
    stems="spellings meet",
    folds={"\u093c": "", "ँ": "ं", "\u0929": "न", "\u0931": "र", "\u0934": "ळ", **digits("०")},
    stopwords="""
        मैं मुझे मेरा मेरी मेरे हम हमें हमारा हमारी हमारे तू तुम तुम्हें तुम्हारा आप आपका आपकी आपके वह वो वे उस उसे
        उसका उसकी उसके उन उन्हें उनका उनकी उनके यह ये इस इसे इसका इसकी इसके इन इन्हें इनका इनकी इनके जो जिस जिसे
        जिसका जिसकी जिसके जिन कौन क्या किस किसी कोई कुछ सब सभी हर एक खुद अपना अपनी अपने ऐसा ऐसी ऐसे और या एवं तथा
        लेकिन मगर परंतु बल्कि अगर यदि तो कि क्योंकि जब तब जहां कहां कैसे क्यों जैसे भी ही ने को का की के से पर तक में
        लिए साथ बिना बीच ऊपर नीचे बाद पहले बारे द्वारा है हैं था थी थे हो होना होता होती होते होगा हुआ हुई हुए कर
        करना करता करते करने किया गया गई गए रहा रही रहे सकता सकते नहीं न मत बहुत केवल सिर्फ अब यहां वहां दूसरा अन्य
        अधिक""",
    example=("पुराने पुस्तकालय में समुद्र के बारे में बहुत सी किताबें हैं।", "पुर पुसतकालय समुदर स किताब"),
))
