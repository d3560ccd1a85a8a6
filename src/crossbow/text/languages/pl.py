"""Polish."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("pl", Language(
    "pl", snowball="polish", ordinals=True, revision=2,
    stopwords="""
        ja mnie mi mną ty ciebie cię tobie ci tobą on jego go jemu mu niego nim ona ją jej nią niej ono my nas nam
        nami wy was wam wami oni one ich im nich nimi się siebie sobie sobą mój moja moje mojego twój nasz nasza
        nasze wasz wasza swój swoja swoje swojego swoich ten ta to te tego tej tych tym temu tymi tę tą tamten tamta
        taki taka takie takich który która które którzy którego której których którym którą kto kogo komu kim co
        czego czemu czym jaki jaka jakie i a ale lub albo oraz ani że żeby aby gdy kiedy jeśli jeżeli bo ponieważ czy
        jak gdzie skąd dlaczego chociaż tak też także jednak więc zaś w we na z ze do od k ku u o po przy dla pod nad
        przed za między bez przez około według przeciw oprócz być jestem jest są był była było były byli będzie będą
        by może mogą można trzeba należy musi nie ma mają bardzo już jeszcze tylko nawet tu tam tutaj wszystko
        wszyscy wszystkie wszystkich sam sama samo każdy każda każde inny inna inne bardziej mniej""",
    example=("Stara biblioteka ma wiele książek o morzu.", "star bibliotek wiel książek morz"),
))
