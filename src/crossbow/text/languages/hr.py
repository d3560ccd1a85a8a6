"""Croatian: Snowball's Serbian stemmer began as a Croatian one and serves both."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("hr", Language(
    "hr", also=("bs",), snowball="serbian", ordinals=True, revision=2,
    stopwords="""
        ja mene meni mnom ti tebe tebi on njega njemu njim ona nju njoj njom ono mi nas nama vi vas vama oni njih
        njima me te ga mu je joj nam vam ih im se sebe sebi sobom moj moja moje moji tvoj tvoja naš naša naše naši
        vaš vaša vaše svoj svoja svoje svoji ovaj ova ovo ovi ove ovog ovom taj ta to tog tom onaj koji koja koje
        kojeg kojem kojoj kojih kojima tko koga kome što čega čemu kakav kakva kakvo takav takva takvo i a ali ili ni
        niti pa da ako jer dok kad kada gdje kamo kako zašto iako premda ipak također u na s sa za od do po pri pod
        nad kroz između bez prema pred poslije nakon prije oko protiv osim zbog radi iz o k biti sam si smo ste su
        bio bila bilo bili bile bih bi bismo bit će ću ćemo ćete može mogu treba ne nije nisu nema ima vrlo već još
        samo čak evo tamo ovdje tu sav sva sve svi svih svaki svaka svako drugi druga drugo više manje""",
    example=("Stara knjižnica ima mnogo knjiga o moru.", "star knjižnic mnog knjig mor"),
))
