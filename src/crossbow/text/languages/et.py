"""Estonian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("et", Language(
    "et", snowball="estonian", ordinals=True, revision=2,
    stopwords="""
        mina ma minu mind mulle sina sa sinu sind tema ta teda temale meie me meid teie te teid nemad nad nende neid
        ise enda enese oma see selle seda selles sellest sellele need nendes too tolle selline sellise niisugune kes
        kelle keda mis mille mida milles millest milline mõni mõne iga keegi miski kõik kõigi kõiki ja või ning aga
        kuid vaid ega et kui sest kuna nagu kus kuhu kust millal kuidas miks kuigi ka siis ei ole olen oled on oleme
        olete oli olid olnud oleks olla pole saab võib peab tuleb koos ilma enne pärast jooksul all peal juures kaudu
        vastu järgi vahel tõttu üle läbi kohta ainult juba veel väga rohkem vähem siin seal nüüd muu teine teise""",
    example=("Vanas raamatukogus on palju raamatuid merest.", "vana raamatukogu palju raama mere"),
))
