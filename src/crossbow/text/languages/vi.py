"""Vietnamese: whose syllables stand apart, so words are several tokens. Tone marks have one place."""

import unicodedata

import regex  # type: ignore[import-untyped]

from crossbow.text.languages import LANGUAGES, Language

# At the end of a syllable, the tone of oa, oe and uy stands on the first vowel (hòa) or, by newer rules, on the second.
_NEWER = r"(?i:o[àáảãạèéẻẽẹ]|(?<!q)u[ỳýỷỹỵ])(?![\p{L}\p{M}])"


def _older(newer: regex.Match[str]) -> str:
    first, plain, tone = list(unicodedata.normalize("NFD", newer[0]))
    return unicodedata.normalize("NFC", first + tone) + plain


LANGUAGES.add("vi", Language(
    "vi", rewrites=((_NEWER, _older),), revision=3,
    stopwords="""
        tôi ta mình chúng bạn anh chị em ông bà cô họ nó này kia ấy đó đây nọ gì ai nào đâu sao các những mọi mỗi
        từng một cái con chiếc sự việc và hoặc hay nhưng mà song nếu thì vì do nên tuy dù rằng là như bởi để khi lúc
        trong ngoài trên dưới trước sau giữa với cùng cho của từ đến tới tại về theo qua bằng ở ra vào lên xuống đã
        đang sẽ vừa mới rồi chưa không chẳng đừng hãy được bị phải có thể cần cũng vẫn còn chỉ lại rất quá lắm hơn
        nhất thế vậy nữa đều""",
    example=("Thư viện cũ có nhiều sách về biển.", "thư viện cũ nhiều sách biển"),
))
