"""Latvian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("lv", Language(
    "lv", revision=2,
    stopwords="""
        es manis man mani tu tevis tev tevi viņš viņa viņam viņu mēs mūsu mums mūs jūs jūsu jums viņi viņas viņiem
        sevis sev sevi savs sava savu savas mans mana tavs šis šī šo šā šīs šajā šie tas tā to tās tajā tie tos tāds
        tāda kurš kura kuru kuras kas kam ko kāds kāda katrs viss visa visi visu un vai bet taču nedz ka lai ja jo
        kad kamēr kur kā kāpēc arī uz no ar bez pie pēc par pa līdz starp pret pirms caur virs zem kopš dēļ ap ir
        bija būs būt esmu esam nav ne var vajag ļoti jau vēl tikai pat šeit tur cits cita citi vairāk mazāk""",
    example=("Vecajā bibliotēkā ir daudz grāmatu par jūru.", "vecajā bibliotēkā daudz grāmatu jūru"),
))
