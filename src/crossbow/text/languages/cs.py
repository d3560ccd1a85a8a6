"""Czech."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("cs", Language(
    "cs", snowball="czech", ordinals=True, revision=2,
    stopwords="""
        já mne mě mně mi mnou ty tebe tě tobě ti tebou on jeho ho jemu mu jej něj něho němu něm jím ním ona ji jí ní
        ono my nás nám námi vy vás vám vámi oni ony jich jim jimi nich nimi se si sebe sobě sebou můj má mé moje mého
        tvůj náš naše naši vaše svůj svá své svého svých jejich její ten ta to toho té těch tom tomu tím těm těmi tu
        tento tato toto tyto této těchto takový taková takové který která které kteří kterého kterou kterých kterým
        kdo koho komu co čeho čemu čím jaký jaká jaké jenž a i ale nebo ani že aby když pokud protože neboť jestli
        zda jako jak kde kam odkud kdy proč ačkoli tak také též však v ve na s z ze do od k ke u o po při pro pod nad
        před za mezi bez přes kolem podle proti kromě být jsem jsi je jsme jste jsou byl byla bylo byli byly bude
        budou by bych může mohou lze musí není nejsou ne mají velmi už již ještě jen pouze dokonce zde tam všechen
        všechna všechno všichni všech vše sám sama každý každá každé jiný jiná jiné více méně""",
    example=("Stará knihovna má mnoho knih o moři.", "star knihovn mnoh knih moř"),
))
