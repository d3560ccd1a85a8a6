"""Hungarian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("hu", Language(
    "hu", snowball="hungarian", ordinals=True, revision=2,
    stopwords="""
        a az egy én engem nekem te téged neked ő őt neki mi minket nekünk ti titeket nektek ők őket nekik maga magát
        önmaga ez ezt ennek ebben erre ezek ezeket ezen azt annak abban arra azok azokat azon ilyen olyan aki akit
        akik akiknek ami amit amik amely amelyek amelyet amelynek amelyben ki kit kik mit mely melyik milyen valaki
        valami senki semmi minden mindenki és s vagy de hanem sem se hogy ha mert mivel míg amíg mint ahogy amikor
        mikor hol ahol hova honnan miért bár azonban is pedig illetve valamint tehát alatt által át előtt felett
        fölött felé hez iránt között közé mellett mögött nélkül óta szerint számára után végett miatt ellen körül van
        vannak volt voltak lesz lesznek lenne legyen lehet lenni nem ne nincs nincsenek kell kellett már még csak
        igen nagyon itt ott saját más mások többi több kevesebb össze""",
    example=("A régi könyvtárnak sok könyve van a tengerről.", "rég könyvtár sok könyv tenger"),
))
