"""Romanian: s and t with a cedilla, as old keyboards write them, become those with a comma."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("ro", Language(
    "ro", snowball="romanian", folds={"ş": "ș", "ţ": "ț", "Ş": "Ș", "Ţ": "Ț"}, revision=2,
    stopwords="""
        eu mine mă îmi mie tu tine te îți ție el îl lui ea o ei noi ne nouă voi vă vouă le lor ele se își sine sa său
        mea meu mei mele tău ta tăi tale săi sale nostru noastră noștri noastre vostru voastră un unui unei niște al
        a ai ale cel cea cei cele acest acesta această aceasta acești acestea aceste acestui acestei acel acela acea
        aceea acei acele care căruia căreia cărora cine cui ce și sau ori dar însă ci nici că să dacă când unde cum
        de deoarece fiindcă deși ca atât în la cu din pe pentru prin spre sub peste între fără după înainte până
        lângă despre contra către dintre fi sunt ești este e suntem sunteți era erau fost fie va vor ar am are avem
        aveți au avea poate pot trebuie nu mai foarte deja încă doar numai chiar aici acolo tot toată toți toate
        fiecare alt altă alți alte altul mult multă mulți multe""",
    example=("Biblioteca veche are multe cărţi despre mare.", "bibliotec vech cărț mar"),
))
