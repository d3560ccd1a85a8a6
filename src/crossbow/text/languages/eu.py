"""Basque."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("eu", Language(
    "eu", snowball="basque", revision=2,
    stopwords="""
        ni nik nire niri zu zuk zure hura hori hau hauek horiek haiek hark honek gu guk gure zuek haien bere beren
        bera nor nork zer zein non nola noiz zergatik norbait zerbait guzti guztiak beste bat batzuk eta edo baina
        ere ez bai bezala baino gabe arte kontra buruz da dira zen ziren du dute zuen zuten izan dago daude ditu
        dituzte egin behar ahal oso gehiago gutxiago hemen hor han orain""",
    example=("Liburutegi zaharrak itsasoari buruzko liburu asko ditu.", "liburu zaharr itsaso buru liburu asko"),
))
