"""Norwegian Bokmål: and Nynorsk, which has the same stems. Of aa and å see da.py."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("nb", Language(
    "nb", also=("no", "nn"), snowball="norwegian", ordinals=True, respelled={"aa": "å"}, revision=3,
    compounds=Compounds(links=("s", "e", "er"), lost=(("", "e"), ("s", "e")), affixes="""
        under over etter igjen gjennom mot sammen tilbake anti inter hyper multi mikro makro mono poly semi het heten
        heter skap skaper ning ningen ninger else elsen elser isk iske lig lige lighet bar bare barhet løs løse
        løshet som somme ende erne eren erer ering isme sjon sjoner itet"""),
    stopwords="""
        jeg meg min mitt mi mine du deg din ditt dine han ham hans hun henne hennes den det de dem deres vi oss vår
        vårt våre dere seg selv sin sitt sine man en ei et denne dette disse slik slikt slike hvem hva hvilken
        hvilket hvilke hvis som noen noe ingen intet hver hvert alle alt annen annet andre samme og eller men for så
        fordi at om når da mens hvor hvordan hvorfor før siden enn både enten verken dersom i på til fra med uten av
        over under ved mellom gjennom mot etter hos innen inntil omkring inn ut opp ned per er var være vært blir ble
        bli blitt har hadde ha hatt kan kunne skal skulle vil ville må måtte bør burde ikke også bare kun meget mye
        mer mest mindre mange få litt her der nå igjen allerede ennå jo dog derfor dvs osv eg me dykk ho honom deira
        vore noko nokon ikkje kva kven korleis kvifor frå vera vart blei ein eit dei desse""",
    example=("Det gamle biblioteket har mange bøker om havet.", "gaml bibliotek bøk hav"),
))
