"""Afrikaans."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("af", Language(
    "af", endings="n", revision=2,
    stopwords="""
        die 'n hierdie daardie ek my jy jou hy hom sy haar dit ons julle hulle hul u wie wat watter iemand niemand
        iets niks elke alle en of maar want dus as dan toe terwyl omdat dat sodat in op aan by met na van vir deur
        oor uit om onder tot teen tussen sonder tydens volgens binne buite te per sedert is was wees het had word kan
        kon mag moet sal sou wil nie geen ook nog al so baie meer meeste minder ander self hier daar waar wanneer hoe
        hoekom net weer""",
    example=("Die ou biblioteek het baie boeke oor die see.", "ou biblioteek boeke see"),
))
