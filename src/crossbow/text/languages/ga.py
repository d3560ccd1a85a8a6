"""Irish."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("ga", Language(
    "ga", snowball="irish", revision=2,
    stopwords="""
        an na mé mise tú tusa sé seisean sí sise sinn muid sibh siad mo do a ár bhur seo sin siúd cé cad céard gach
        uile eile agus nó ach mar má dá go nach nuair cén conas cathain i in ar ag le de ó faoi thar trí roimh idir
        gan chun as um is tá bhí beidh níl ní raibh bheith féin níos""",
    example=("Tá go leor leabhar faoin bhfarraige sa seanleabharlann.",
             "leor leabhar faoin farraige sa seanleabharlann"),
))
