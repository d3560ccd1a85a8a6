"""Slovenian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("sl", Language(
    "sl", ordinals=True, revision=2,
    stopwords="""
        jaz mene meni mano ti tebe tebi on njega njemu njim ona njo nje njej ono mi nas nam nami vi vas vam vami oni
        njih njimi me te ga mu jo ji jih jim se sebe sebi seboj moj moja moje moji tvoj naš naša naše vaš vaša svoj
        svoja svoje ta to tega tem temu tej tisti tista tisto kateri katera katero katere katerega kdo koga komu kaj
        česa čemu kakšen kakšna takšen takšna ki in a ali pa ter da če ker ko dokler kadar kje kam kako zakaj čeprav
        vendar tudi ne niti temveč v na s z za od do po pri pod nad skozi med brez proti pred okoli razen zaradi iz o
        k h ob čez biti sem si je sva smo ste so bil bila bilo bili bile bi bom boš bo bomo bodo lahko mora morajo
        treba ni niso ima imajo zelo že še samo le celo tam tu tukaj ves vsa vse vsi vseh vsak vsaka vsako drug druga
        drugo drugi bolj manj""",
    example=("Stara knjižnica ima veliko knjig o morju.", "stara knjižnica veliko knjig morju"),
))
