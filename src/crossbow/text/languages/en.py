"""English."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("en", Language(
    "en", snowball="english", endings="s|re|ve|ll|d|m|t", negation="n't",
    stopwords="""
        a an the this that these those some any each every either neither both all such no none other another i me my
        mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
        it its itself they them their theirs themselves who whom whose which what and or but nor so yet if then else
        than as because since while although though unless until whether of in on at by for with without from to into
        onto upon over under about above below between among through during before after against within towards out up
        down off is am are was were be been being have has had having do does did doing can cannot could may might must
        shall should will would wo not only very too also just even here there where when why how more most much many
        however therefore thus 's 't n't 're 've 'll 'd 'm e.g. i.e. etc""",
    abbreviations="""
        mr mrs ms dr prof st rev gen col sgt capt lt gov sen rep jr sr hon vs etc inc ltd co corp dept est fig figs eq
        no nos vol vols pp ch sec approx ca cf al ed eds viz resp jan feb mar apr jun jul aug sep sept oct nov dec""",
    example=("The old library has many books about the sea.",
             "old librari book sea"),
))
