"""Galician: plurals become singulars."""

from crossbow.text.languages import LANGUAGES, Language

# How plurals end, and singulars: animais, papeis, españois, azuis; ingleses, luces, fósiles, mulleres; cans, libros.
_PLURALS = (("ais", "al"), ("eis", "el"), ("ois", "ol"), ("uis", "ul"), ("eses", "és"), ("ces", "z"), ("les", "l"),
            ("res", "r"), ("ses", "s"), ("ns", "n"), ("as", "a"), ("es", "e"), ("os", "o"))


def _singular(word: str) -> str:
    """The word without the ending of a plural, if three letters stay."""
    for plural, singular in _PLURALS:
        stem = word.removesuffix(plural)
        if len(stem) < len(word) and len(stem) > 1 and len(stem) + len(singular) > 2:
            return stem + singular
    return word


LANGUAGES.add("gl", Language(
    "gl", light=_singular, stems="plurals are taken off",
    stopwords="""
        o a os as un unha uns unhas ó á ao aos ás de do da dos das dun dunha duns dunhas en no na nos nas nun nunha nuns
        nunhas por polo pola polos polas para con sen so baixo sobre entre ata até desde dende contra durante segundo
        tras ante após este esta isto estes estas ese esa iso eses esas aquel aquela aquilo aqueles aquelas deste desta
        neste nesta dese desa nese nesa eu ti ela el nós vós eles elas vostede vostedes me te se lle lles che meu miña
        meus miñas teu túa teus túas seu súa seus súas noso nosa nosos nosas voso vosa que quen cal cales cuxo cuxa onde
        cando como porque pois aínda mentres e ou nin pero mais senón tamén xa non si máis menos moito moita moitos
        moitas pouco tan tanto só así entón logo ser é son era eran foi foron sido sendo será sexa sexan estar está
        están estaba ter ten teñen tiña tido haber hai había pode poden poder debe deben facer fai todo toda todos todas
        outro outra outros outras cada algún algunha algúns algunhas ningún ningunha mesmo mesma tal aquí alí antes
        despois""",
    abbreviations="sr sra d dr dra prof etc ex páx páxs vol cap art núm tel av aprox",
    example=("A vella biblioteca ten moitos libros sobre o mar.", "vella biblioteca libro mar"),
))
