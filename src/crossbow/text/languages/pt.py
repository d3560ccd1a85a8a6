"""Portuguese."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("pt", Language(
    "pt", snowball="portuguese",
    stopwords="""
        o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo pela pelos pelas para
        com sem sob sobre entre até desde contra durante após ante este esta isto estes estas esse essa isso esses essas
        aquele aquela aquilo aqueles aquelas deste desta neste nesta desse dessa nesse nessa eu tu ele ela nós vós eles
        elas você vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas que
        quem qual quais cujo cuja cujos cujas onde quando como porque pois se embora enquanto e ou mas nem também já não
        sim mais menos muito muita muitos muitas pouco tão tanto só apenas ainda assim então ser sou é somos são era
        eram foi foram sido sendo será serão seria seja sejam estar está estão estava estavam ter tem têm tinha tinham
        tido haver há havia pode podem poder deve devem todo toda todos todas outro outra outros outras cada algum
        alguma alguns algumas nenhum nenhuma mesmo mesma mesmos mesmas tal tais aqui ali lá antes depois""",
    abbreviations="""
        sr sra srs dr dra prof profa eng d exmo exma fig etc ex pág págs vol cap art núm tel av aprox jan fev mar abr
        mai jun jul ago set out nov dez""",
    example=("A velha biblioteca tem muitos livros sobre o mar.",
             "velh bibliotec livr mar"),
))
