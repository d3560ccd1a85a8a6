"""Icelandic."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("is", Language(
    "is", ordinals=True, revision=2,
    stopwords="""
        ég mig mér mín þú þig þér þín hann honum hans hún hana henni hennar það því þess við okkur okkar þið ykkur
        ykkar þeir þá þeim þeirra þær þau sig sér sín sinn sína minn mitt þinn þessi þetta þessa þessum þessari sá sú
        hver hvað hvaða hvor sem einhver eitthvað enginn ekkert allir allt öll annar önnur annað og eða en heldur né
        að ef þegar meðan þar hvar hvert hvernig hvers vegna svo líka í á til frá með án af yfir undir hjá milli
        gegnum gegn eftir fyrir um úr upp niður inn út er eru var voru vera verið verður varð hefur hafa hafði getur
        geta skal má mun ekki bara mjög meira mest minna hér nú enn aftur""",
    example=("Gamla bókasafnið á margar bækur um hafið.", "gamla bókasafnið margar bækur hafið"),
))
