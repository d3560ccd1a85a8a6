"""Spanish."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("es", Language(
    "es", snowball="spanish",
    stopwords="""
        el la los las lo un una unos unas de del al a ante bajo con contra desde durante en entre hacia hasta para por
        según sin sobre tras este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas yo
        tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mí ti sí mi mis tu tus su sus
        nuestro nuestra nuestros nuestras vuestro vuestra que qué quien quién quienes cual cuál cuales cuyo cuya cuyos
        cuyas y e o u pero sino ni si porque pues aunque como cómo cuando cuándo donde dónde mientras ser soy eres es
        somos son era eran fue fueron sido siendo será serán sería sea sean estar estoy está están estaba estaban haber
        he ha han había habían hay habrá hubo tener tiene tienen tenía puede pueden poder debe deben no más menos muy ya
        también tampoco así entonces aún todavía solo sólo tan tanto todo toda todos todas otro otra otros otras cada
        algún alguno alguna algunos algunas ningún ninguna mismo misma mismos mismas tal tales mucho mucha muchos muchas
        poco aquí allí antes después""",
    abbreviations="""
        sr sra srta sres dr dra d dª prof lic ing gral ud uds vd vds fig etc ej pág págs vol cap art núm tel av avda
        aprox ene feb mar abr jun jul ago sept oct nov dic""",
    example=("La vieja biblioteca tiene muchos libros sobre el mar.",
             "viej bibliotec libr mar"),
))
