"""Finnish."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("fi", Language(
    "fi", snowball="finnish", ordinals=True, revision=2,
    compounds=Compounds(links=("n", "en", "s"), lost=(("s", "nen"), ("is", "inen"), ("", "i")), affixes="""
        epä anti inter hyper multi mikro makro mono poly semi kään kaan lainen läinen ton tön mainen mäinen ssa ssä
        sta stä lla llä lta ltä lle minen misen isuus yys uus tta ttä"""),
    stopwords="""
        minä minun minua minut minulle sinä sinun sinua sinut hän hänen häntä hänet hänelle me meidän meitä meille te
        teidän teitä he heidän heitä heille itse itsensä tämä tämän tätä tässä tästä tähän tällä tälle nämä näiden
        näitä näissä tuo tuon tuota nuo niiden se sen sitä siinä siitä siihen sillä sille ne niitä niissä niistä
        niille sellainen tällainen joka jonka jota jossa josta johon jolla jolle jotka joiden joita joissa joista
        kuka kenen ketä mikä minkä mitä missä mistä mihin mitkä jokin joku mikään kukaan kaikki kaikkien kaikkia
        kaikissa ja tai sekä mutta vaan eikä että jotta jos kun koska kuin vaikka niin myös siis kuten miten miksi
        milloin olen olet on olemme olette ovat oli olivat ollut olleet olisi ole olla en et ei emme ette eivät älä
        voi voivat voidaan pitää kanssa ilman ennen jälkeen aikana alla päällä luona kautta varten vastaan mukaan
        välillä takia yli ali läpi vain jo vielä hyvin erittäin enemmän vähemmän täällä tuolla siellä nyt sitten muu
        muut muita toinen toisen""",
    example=("Vanhassa kirjastossa on paljon kirjoja merestä.", "vanh kirjasto palj kirj mere"),
))
