"""Sesotho."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("st", Language(
    "st", snowball="sesotho",
    example=("Laeborari ya kgale e na le dibuka tse ngata tsa lewatle.",
             "laeborar ya kgale e na le dibuk tse ngat tsa watle"),
))
