"""Azerbaijani: which has an i with a dot and one without."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("az", Language(
    "az", lower={"I": "ı", "İ": "i"}, revision=2,
    stopwords="""
        mən məni mənə mənim sən səni sənə sənin o onu ona onun biz bizi bizə bizim siz sizi sizə sizin onlar onları
        onlara onların öz özü bu bunu buna bunun bunlar belə elə kim kimi nə hansı hər hamı bəzi bir heç və ya da də
        amma lakin ki əgər çünki isə həm hətta qədər üçün ilə görə qarşı sonra əvvəl harada haraya necə niyə deyil
        var yox idi olan olaraq oldu olur ən çox daha az yalnız hələ artıq burada orada indi digər başqa""",
    example=("Köhnə kitabxanada dəniz haqqında çoxlu kitab var.", "köhnə kitabxanada dəniz haqqında çoxlu kitab"),
))
