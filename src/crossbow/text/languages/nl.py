"""Dutch."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("nl", Language(
    "nl", snowball="dutch",
    stopwords="""
        de het een der des den dit dat deze die ik mij me mijn jij je jou jouw u uw hij hem zijn zij ze haar wij we ons
        onze jullie hun hen zich zichzelf men wie wat welke welk iemand iets niemand niets elk elke ieder iedere alle
        alles en of maar want dus noch als dan toen terwijl omdat doordat hoewel indien mits tenzij zodat totdat in op
        aan bij met naar van voor door over uit om onder tot tegen tussen zonder tijdens volgens vanaf via binnen buiten
        na te ter ten per sinds ben bent is zijn was waren geweest heb hebt heeft hebben had hadden gehad word wordt
        worden werd werden geworden kan kunt kunnen kon konden mag mogen moet moeten moest zal zullen zou zouden wil
        willen niet geen wel ook nog al zo zeer erg meer meest minder veel weinig andere ander zelf er hier daar waar
        wanneer hoe waarom hierbij daarbij waarbij hiermee daarmee waarmee ervan daarvan waarvan erin daarin waarin
        echter toch alleen slechts steeds weer""",
    abbreviations="""
        dhr mevr mw dr drs prof ir ing mr st fig enz bijv bv blz nr vgl ca evt excl incl max min resp tel jan feb mrt
        apr jun jul aug sep sept okt nov dec""",
    compounds=Compounds(
        links=("s", "en", "n", "e", "er"),
        lost=(("", "e"),),
        affixes="""
            onder over door tegen achter ont her ver voort terug samen mede anti inter hyper multi micro macro mono poly
            semi heid heden schap schappen ing ingen lijk lijke lijkheid baar bare baarheid isch ische loos loze achtig
            achtige zaam zame tie ties iteit iteiten isme eren eerd eerde tje tjes pje sters ster"""),
    example=("De oude bibliotheek heeft veel boeken over de zee.", "oude bibliotheek boek zee"),
))
