"""Turkish: which has an i with a dot and one without."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("tr", Language(
    "tr", snowball="turkish", lower={"I": "ı", "İ": "i"}, revision=2,
    stopwords="""
        ben beni bana bende benden benim sen seni sana senin o onu ona onda ondan onun biz bizi bize bizim siz sizi
        size sizin onlar onları onlara onların kendi kendisi kendine bu bunu buna bunda bundan bunun bunlar bunları
        bunların şu şunu şuna şunlar böyle şöyle öyle kim kimi kime kimin ne neyi neye hangi hangisi hepsi her herkes
        bazı bir birkaç birçok hiç kimse şey ve veya ya da de ama fakat ancak lakin ki eğer çünkü ise hem hatta üzere
        gibi kadar için ile göre doğru karşı sonra önce beri rağmen dolayı arasında üzerinde altında nerede nereye
        nereden nasıl neden niçin niye zaman iken değil var yok mı mi mu mü idi imiş olan olarak oldu olduğu olur
        olmak olup en çok daha az pek sadece yalnız bile zaten henüz artık burada orada şimdi diğer başka aynı""",
    example=("Eski kütüphanede deniz hakkında birçok kitap var.", "eski kütüphane de hakk kitap"),
))
