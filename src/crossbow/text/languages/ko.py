"""Korean: particles behind a word are taken off, where the sounds agree; behind Latin letters they are words."""

from crossbow.text.languages import LANGUAGES, Language

# Particles, by what they follow: a syllable with a final consonant, one without, or any.
_CLOSED = ("이라는", "이라고", "으로서", "으로써", "으로는", "으로도", "이며", "이나", "이다", "이란", "으로", "은",
           "이", "을", "과")
_OPEN = ("라는", "라고", "로서", "로써", "로는", "로도", "며", "나", "란", "로", "는", "가", "를", "와")
_ANY = ("에서는", "에서도", "에게서", "에서의", "에서", "에게", "에는", "에도", "께서", "한테", "까지", "부터", "보다",
        "처럼", "마다", "조차", "밖에", "들이", "들은", "들을", "들의", "입니다", "하였습니다", "했습니다", "합니다",
        "됩니다", "하는", "하고", "하여", "하면", "하기", "하다", "했다", "한다", "해서", "되는", "되어", "되고",
        "된다", "되다", "들", "의", "에", "도", "만")
_FIRST, _LAST, _FINALS = 0xAC00, 0xD7A3, 28


def _light(word: str) -> str:
    """The word without the particles behind it, as long as at least one syllable stays; two before a short one."""
    shorter = _without_particle(word)
    while shorter != word:
        word, shorter = shorter, _without_particle(shorter)
    return word


def _without_particle(word: str) -> str:
    if not all(_FIRST <= ord(letter) <= _LAST for letter in word):
        return word
    for particle in _ANY:
        if word.endswith(particle) and len(word) >= len(particle) + 2:
            return word[:-len(particle)]
    for particles, closed in ((_CLOSED, True), (_OPEN, False)):
        for particle in particles:
            stem = word.removesuffix(particle)
            if stem and stem != word and ((ord(stem[-1]) - _FIRST) % _FINALS > 0) == closed:
                return stem
    return word


LANGUAGES.add("ko", Language(
    "ko", script="Hangul", light=_light, revision=3,
    rewrites=((r"(?<=[\p{Latin}\p{N}])(?=\p{Hangul})", " "),),  # Linux를 has the word Linux
    stems="particles and the commonest endings of verbs are taken off",
    stopwords="""
        나 내 너 네 그 그녀 우리 저 저희 당신 이 이것 그것 저것 이런 그런 저런 여기 거기 저기 누구 무엇 어느 어떤
        어디 언제 왜 어떻게 모든 각 여러 몇 다른 같은 것 수 등 때 때문 그리고 그러나 하지만 또는 혹은 및 그래서
        따라서 그런데 또한 만약 즉 더 가장 매우 아주 너무 이미 아직 다시 또 바로 단지 오직 위해 위한 대한 대해
        통해 의해 따라 관한 은 는 가 을 를 과 와 의 로 으로 에 에서 에는 에서는 도 만 까지 부터 보다 이나 이며
        있는 있다 있고 있으며 있습니다 없는 없다 이다 입니다 아니다 아닌 않는 않은 한다 하는 된다 되는 된""",
    example=("오래된 도서관에는 바다에 관한 책이 많습니다.", "오래된 도서관 바다 책 많습니다"),
))
