"""Serbian: in Cyrillic and in Latin letters, which meet in the stems."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("sr", Language(
    "sr", also=("sh",), script="Cyrillic or Latin", snowball="serbian", revision=2,
    stopwords="""
        ја мене мени мном ти тебе теби он њега њему њим она њу њој оно ми нас нама ви вас вама они њих њима ме те га
        му је јој нам вам их им се себе себи собом мој моја моје моји твој наш наша наше наши ваш ваша свој своја
        своје овај ова ово ови ове овог овом тај та то тог том онај који која које којег којој којих коме кога ко шта
        што чега какав каква какво такав таква такво и а али или ни нити па да ако јер док кад када где куда како
        зашто иако мада ипак такође у на с са за од до по при под над кроз између без према пред после пре око против
        осим због ради из бити сам си смо сте су био била било били биле бих бисмо биће ће ћу ћемо може могу треба не
        није нису нема има врло веома већ још само чак ево тамо овде ту сав сва све сви свих свака сваки свако други
        друга друго више мање ja mene meni ti tebe on njega njemu ona nju njoj ono mi nas nama vi vas vama oni njih
        njima me te ga mu je joj nam vam ih im se sebe sebi moj moja moje moji tvoj naš naša naše naši vaš vaša svoj
        svoja svoje ovaj ova ovo ovi ove ovog ovom taj ta to tog tom onaj koji koja koje kojeg kojoj kojih kome koga
        ko šta što čega kakav takav i a ali ili ni niti pa da ako jer dok kad kada gde kako zašto iako ipak takođe u
        na s sa za od do po pri pod nad kroz između bez prema pred posle pre oko protiv osim zbog radi iz biti sam si
        smo ste su bio bila bilo bili bih biće će ću ćemo može mogu treba ne nije nisu nema ima vrlo već još samo čak
        tamo ovde tu sav sva sve svi svih svaki svaka drugi druga drugo više manje""",
    example=("У старој библиотеци има много књига о мору.", "staroj bibliotec mnog knjig o mor"),
))
