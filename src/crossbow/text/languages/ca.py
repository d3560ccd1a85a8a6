"""Catalan."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("ca", Language(
    "ca", snowball="catalan", beginnings="l|d|m|t|s|n", revision=2,
    stopwords="""
        el la els les l' un una uns unes de d' del dels a al als en amb per pel pels sense sobre sota entre fins des
        contra durant segons cap aquest aquesta aquests aquestes aquell aquella aquells aquelles això allò jo tu ell
        ella nosaltres vosaltres ells elles em et es ens us li hi ho m' t' s' n' meu meva teu seu seva seus seves
        nostre nostra vostre que qui què qual quals on quan com perquè si i o ni però sinó doncs mentre encara també
        ja no sí més menys molt molta molts moltes poc tan tant només així ser és som són era eren ha han he hem
        havia haver té tenen tenir pot poden poder cal fer fa tot tota tots totes altre altra altres cada algun
        alguna alguns algunes mateix mateixa""",
    example=("La vella biblioteca té molts llibres sobre el mar.", "vel bibliotec llibr mar"),
))
