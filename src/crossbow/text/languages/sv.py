"""Swedish."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("sv", Language(
    "sv", snowball="swedish",
    stopwords="""
        en ett den det de denna detta dessa denne jag mig min mitt mina du dig din ditt dina han honom hans hon henne
        hennes sin sitt sina vi oss vår vårt våra ni er ert era dem deras man sig själv själva vem vad vilken vilket
        vilka vars som någon något några ingen inget inga varje var vart alla allt annan annat andra sådan sådant sådana
        samma och eller men för så därför att om när då medan där hur varför innan sedan än både antingen varken
        eftersom på till från med utan av över under vid mellan genom mot efter hos inom in ut upp ner per i åt är vara
        varit bli blir blev blivit har hade ha haft kan kunde kunnat ska skall skulle vill ville må måste bör borde inte
        icke ej också endast bara mycket mer mera mest mindre många få lite här nu igen redan ännu ju dock därmed härmed
        varmed därav varav däri vari dvs osv""",
    abbreviations="""
        hr fr dr prof st nr bl ca dvs etc ev exkl inkl fig forts jfr kl kap max min osv resp t tel jan feb mar apr jun
        jul aug sep sept okt nov dec""",
    compounds=Compounds(
        links=("s", "e", "es"),
        lost=(("", "a"), ("o", "a"), ("u", "a"), ("", "e")),
        affixes="""
            under över efter igen genom emot samman tillbaka anti inter hyper multi mikro makro mono poly semi het heten
            heter skap skapen ning ningen ningar else elsen elser isk iska lig liga lighet bar bara barhet lös lösa
            löshet sam samma ande aren arna erna ering eringen isme ism tion tioner itet"""),
    example=("Det gamla biblioteket har många böcker om havet.",
             "gaml bibliotek böck hav"),
))
