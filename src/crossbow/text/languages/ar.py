"""Arabic: letters with several spellings become one; vowel signs and the stretching stroke go, as Lucene defines it."""

from crossbow.text.languages import LANGUAGES, Language, digits

# Lucene's light stemmer (after Larkey, Ballesteros and Connell): a beginning, and endings one after the other.
_BEGINNINGS = ("ال", "وال", "بال", "كال", "فال", "لل", "و")
_ENDINGS = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")
_LEAST = 2  # letters that stay; one more behind a beginning of one letter


def _light(word: str) -> str:
    for beginning in _BEGINNINGS:
        if word.startswith(beginning) and len(word) >= len(beginning) + _LEAST + (len(beginning) == 1):
            word = word[len(beginning):]
            break
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + _LEAST:
            word = word[:-len(ending)]
    return word


LANGUAGES.add("ar", Language(
    "ar", script="Arabic", light=_light, revision=2,
    stems="Lucene's light stemmer",
    folds={**dict.fromkeys("آأإٱ", "ا"), "ة": "ه", "ى": "ي", **dict.fromkeys("ـًٌٍَُِّْٰ", ""), **digits("٠")},
    stopwords="""
        انا انت انتم هو هي هما هم هن نحن هذا هذه هذان هؤلاء ذلك تلك أولئك الذي التي الذين اللذان اللاتي من ما ماذا
        متي اين كيف لماذا كم اي كل بعض جميع غير و او ام ثم لكن بل ان انه انها انهم اذا لو لان كي حتي حيث حين عندما
        بينما كما مثل ايضا لذلك قد لقد سوف في علي الي عن مع بين عند منذ خلال حول ضد دون بدون بعد قبل فوق تحت امام
        وراء ضمن نحو لدي لها له لهم بها به بهم فيها فيه عليها عليه منها منه اليها اليه عنها عنه كان كانت كانوا يكون
        تكون يكن ليس ليست لم لن لا هناك هنا فقط جدا اكثر اقل الان نفس""",
    example=("في المكتبة القديمة كتب كثيرة عن البحر.", "مكتب قديم كتب كثير بحر"),
))
