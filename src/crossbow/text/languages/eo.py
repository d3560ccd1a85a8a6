"""Esperanto."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("eo", Language(
    "eo", snowball="esperanto", revision=2,
    stopwords="""
        la mi min mia vi vin via li lin lia ŝi ŝin ŝia ĝi ĝin ĝia ni nin nia ili ilin ilia oni si sin sia tiu tiuj
        tiun tio tion ĉi kiu kiuj kiun kio kion iu io ĉiu ĉiuj ĉio neniu nenio kaj aŭ sed nek ke se ĉar dum kiam kie
        kien kiel kial tiel ankaŭ en sur al de da per por kun sen pri sub super inter ĝis kontraŭ post antaŭ el ĉe
        tra laŭ estas estis estos esti estus havas povas devas ne jes tre jam ankoraŭ nur eĉ pli plej malpli tie tiam
        alia aliaj""",
    example=("La malnova biblioteko havas multajn librojn pri la maro.", "malnov bibliotek mult libr mar"),
))
