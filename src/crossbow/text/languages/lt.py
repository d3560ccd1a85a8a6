"""Lithuanian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("lt", Language(
    "lt", snowball="lithuanian", revision=2,
    stopwords="""
        aš manęs mane man manimi tu tavęs tave tau jis jo jį jam juo ji jos ją jai mes mūsų mus mums jūs jūsų jus
        jums jie jų juos jiems joms savęs save sau savo mano tavo šis ši šio šios šį šią šie šiame šioje tas ta to
        tos tą tie tame toje toks tokia tokie kuris kuri kurio kurios kurį kurią kurie kuriame kas ko kam ką koks
        kokia kiekvienas visas visa visi visų ir ar arba bet tačiau o nei kad jei jeigu nes kai kol kur kaip kodėl
        nors taip pat į iš su be prie po ant per už nuo iki tarp pagal prieš apie dėl pro virš yra buvo bus būti esu
        esi esame nėra ne gali galima reikia labai jau dar tik net čia ten kitas kita kiti daugiau mažiau""",
    example=("Senoje bibliotekoje yra daug knygų apie jūrą.", "sen bibliotek daug knyg jūr"),
))
