"""Slovak."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("sk", Language(
    "sk", ordinals=True, revision=2,
    stopwords="""
        ja mňa ma mne mi mnou ty teba ťa tebe ti tebou on jeho ho jemu mu neho ňom ním ona ju jej ňou nej ono my nás
        nám nami vy vás vám vami oni ony ich im nich nimi sa si seba sebe sebou môj moja moje tvoj náš naša naše váš
        vaša vaše svoj svoja svoje svojho ten tá to tí tie toho tej tých tom tomu tým tento táto toto tieto tejto
        týchto taký taká také ktorý ktorá ktoré ktorí ktorého ktorou ktorých ktorým kto koho komu čo čoho čomu čím
        aký aká aké a aj i ale alebo ani že aby keď ak pretože lebo či ako kde kam odkiaľ kedy prečo hoci tak tiež
        však v vo na s so z zo do od k ku u o po pri pre pod nad pred za medzi bez cez okolo podľa proti okrem byť
        som je sme ste sú bol bola bolo boli bude budú by môže môžu musí nie má majú veľmi už ešte len iba dokonca tu
        tam všetok všetka všetko všetci všetkých sám sama každý každá každé iný iná iné viac menej""",
    example=("Stará knižnica má veľa kníh o mori.", "stará knižnica veľa kníh mori"),
))
