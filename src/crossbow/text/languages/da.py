"""Danish: aa is the old spelling of å, and that of names; tokens keep it, for it also joins parts of compounds."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("da", Language(
    "da", snowball="danish", ordinals=True, respelled={"aa": "å"}, revision=2,
    stopwords="""
        en et den det de der denne dette disse jeg mig min mit mine du dig din dit dine han ham hans hun hende hendes
        sin sit sine vi os vores i jer jeres dem deres man sig selv hvem hvad hvilken hvilket hvilke hvis som nogen
        noget nogle ingen intet enhver ethvert hver hvert alle alt anden andet andre sådan sådanne samme og eller men
        for så fordi at om når da mens hvor hvornår hvordan hvorfor før siden end både enten hverken på til fra med uden
        af ad over under ved mellem gennem mod efter hos inden indtil omkring ind ud op ned er var være været bliver
        blev blive blevet har havde have haft kan kunne skal skulle vil ville må måtte bør burde ikke også kun meget
        mere mest mindre mange få lidt her nu igen allerede endnu jo dog derfor derved hermed dermed hvormed heraf deraf
        hvoraf heri deri hvori dvs osv""",
    abbreviations="""
        hr fr dr prof skt nr bl f ex fx ca evt inkl ekskl jf kl maks min osv pga vedr tlf kap bd jan feb mar apr jun jul
        aug sep okt nov dec""",
    compounds=Compounds(
        links=("s", "e", "er"),
        lost=(("", "e"), ("s", "e")),
        affixes="""
            under over efter igen gennem mod sammen tilbage anti inter hyper multi mikro makro mono poly semi hed heden
            heder skab skaber ning ningen ninger else elsen elser isk iske lig lige lighed bar bare barhed løs løse
            løshed som somme ende erne eren erer ering isme tion tioner itet"""),
    example=("Det gamle bibliotek har mange bøger om havet.",
             "gaml bibliotek bøg hav"),
))
