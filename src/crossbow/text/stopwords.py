"""Function words that say nothing about what a document is about; the index leaves them out.

    "the" in stopwords("en")        # lower-case words, as tokenise.py and lower-casing leave them
    stopwords("xx") == frozenset()  # a language without a list

Letters are kept (C, R and X are names of things), and so are numbers and negations that carry meaning on their own.
"""

from __future__ import annotations

_WORDS = {
    "en": """
        a an the this that these those some any each every either neither both all such no none other another
        i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
        herself it its itself they them their theirs themselves who whom whose which what
        and or but nor so yet if then else than as because since while although though unless until whether
        of in on at by for with without from to into onto upon over under about above below between among through
        during before after against within towards out up down off
        is am are was were be been being have has had having do does did doing can cannot could may might must shall
        should will would wo
        not only very too also just even here there where when why how more most much many however therefore thus
        's 't n't 're 've 'll 'd 'm e.g. i.e. etc""",
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese
        dieses diesen diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem alle allen aller alles welcher
        welche welches welchen welchem solche solcher solches solchen manche mancher einige einiger einigen ich mich
        mir du dich dir er ihn ihm sie ihr ihnen es wir uns euch sich man wer wen wem was mein meine meinen meinem
        meiner meines dein deine sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere
        unseren unserem unserer eure und oder aber sondern denn doch sowie als wie wenn ob weil dass daß damit obwohl
        während bevor nachdem falls indem in im an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne
        seit über um unter von vom vor zu zum zur zwischen wegen trotz gegenüber innerhalb außerhalb außer bin bist
        ist sind seid war waren wäre wären gewesen habe hast hat haben hatte hatten hätte hätten gehabt werde wird
        werden wurde wurden würde würden worden geworden kann können konnte konnten könnte könnten muss muß müssen
        musste mussten darf dürfen soll sollen sollte sollten will wollen wollte mag möchte möchten nicht auch nur
        noch schon sehr so dann da dort hier hin her wo wann warum mehr immer wieder ja nein nun jetzt etwa dabei
        dadurch dafür dagegen daher dahin damals danach daran darauf daraus darin darüber darum davon davor dazu
        hierbei hierfür hiermit wobei wodurch wofür womit wonach woran worauf worin worüber wovon wozu also jedoch
        zwar bzw usw z.b. d.h. u.a. 's""",
    "fr": """
        le la les l' un une des du de d' au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos
        leur leurs je j' tu il elle on nous vous ils elles me m' te t' se s' lui eux moi toi soi y en ceci cela ça c'
        celui celle ceux celles qui que qu' quoi dont où quel quelle quels quelles lequel laquelle lesquels
        lesquelles auquel duquel et ou mais donc or ni car si comme quand lorsque lorsqu' puisque puisqu' parce
        tandis jusque jusqu' afin à dans par pour sur sous avec sans entre vers chez depuis pendant avant après
        contre dès selon hors être suis es est sommes êtes sont étais était étaient étant été sera seront serait soit
        soient fut furent avoir ai as a avons avez ont avait avaient ayant eu aura auront aurait ait aient peut
        peuvent pouvoir doit doivent fait faire ne n' pas plus moins très aussi ainsi alors encore déjà même mêmes
        tout toute tous toutes autre autres chaque quelque quelques plusieurs aucun aucune tel telle tels telles ici
        là bien peu trop non""",
    "it": """
        il lo la i gli le l' un uno una un' di a da in con su per tra fra del dello della dei degli delle dell' d' al
        allo alla ai agli alle all' dal dallo dalla dai dagli dalle dall' nel nello nella nei negli nelle nell' sul
        sullo sulla sui sugli sulle sull' col coi questo questa questi queste quest' quello quella quelli quelle
        quell' quel quei io tu lui lei noi voi loro mi m' ti t' ci c' vi v' si s' ne me te se mio mia miei mie tuo
        tua suo sua suoi sue nostro nostra nostri nostre vostro vostra che chi cui quale quali quanto quanta quanti
        quante e ed o od ma anche però quindi dunque se perché poiché mentre quando come dove dov' sia né è sono sei
        siamo siete era erano essere stato stata stati state sarà saranno sarebbe fu furono ho hai ha abbiamo avete
        hanno aveva avevano avere avuto avrà può possono potrebbe deve devono viene vengono non più meno molto molti
        molte poco già ancora solo così tutto tutta tutti tutte altro altra altri altre ogni alcuni alcune qualche
        stesso stessa stessi stesse tale tali qui qua lì là senza sotto sopra dopo prima contro verso durante presso""",
    "es": """
        el la los las lo un una unos unas de del al a ante bajo con contra desde durante en entre hacia hasta para
        por según sin sobre tras este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos
        aquellas yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mí ti sí mi
        mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra que qué quien quién quienes cual cuál
        cuales cuyo cuya cuyos cuyas y e o u pero sino ni si porque pues aunque como cómo cuando cuándo donde dónde
        mientras ser soy eres es somos son era eran fue fueron sido siendo será serán sería sea sean estar estoy está
        están estaba estaban haber he ha han había habían hay habrá hubo tener tiene tienen tenía puede pueden poder
        debe deben no más menos muy ya también tampoco así entonces aún todavía solo sólo tan tanto todo toda todos
        todas otro otra otros otras cada algún alguno alguna algunos algunas ningún ninguna mismo misma mismos mismas
        tal tales mucho mucha muchos muchas poco aquí allí antes después""",
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo pela pelos pelas
        para com sem sob sobre entre até desde contra durante após ante este esta isto estes estas esse essa isso
        esses essas aquele aquela aquilo aqueles aquelas deste desta neste nesta desse dessa nesse nessa eu tu ele
        ela nós vós eles elas você vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso
        nossa nossos nossas que quem qual quais cujo cuja cujos cujas onde quando como porque pois se embora enquanto
        e ou mas nem também já não sim mais menos muito muita muitos muitas pouco tão tanto só apenas ainda assim
        então ser sou é somos são era eram foi foram sido sendo será serão seria seja sejam estar está estão estava
        estavam ter tem têm tinha tinham tido haver há havia pode podem poder deve devem todo toda todos todas outro
        outra outros outras cada algum alguma alguns algumas nenhum nenhuma mesmo mesma mesmos mesmas tal tais aqui
        ali lá antes depois""",
    "nl": """
        de het een der des den dit dat deze die ik mij me mijn jij je jou jouw u uw hij hem zijn zij ze haar wij we
        ons onze jullie hun hen zich zichzelf men wie wat welke welk iemand iets niemand niets elk elke ieder iedere
        alle alles en of maar want dus noch als dan toen terwijl omdat doordat hoewel indien mits tenzij zodat totdat
        in op aan bij met naar van voor door over uit om onder tot tegen tussen zonder tijdens volgens vanaf via
        binnen buiten na te ter ten per sinds ben bent is zijn was waren geweest heb hebt heeft hebben had hadden
        gehad word wordt worden werd werden geworden kan kunt kunnen kon konden mag mogen moet moeten moest zal
        zullen zou zouden wil willen niet geen wel ook nog al zo zeer erg meer meest minder veel weinig andere ander
        zelf er hier daar waar wanneer hoe waarom hierbij daarbij waarbij hiermee daarmee waarmee ervan daarvan
        waarvan erin daarin waarin echter toch alleen slechts steeds weer""",
    "da": """
        en et den det de der denne dette disse jeg mig min mit mine du dig din dit dine han ham hans hun hende hendes
        sin sit sine vi os vores i jer jeres dem deres man sig selv hvem hvad hvilken hvilket hvilke hvis som nogen
        noget nogle ingen intet enhver ethvert hver hvert alle alt anden andet andre sådan sådanne samme og eller men
        for så fordi at om når da mens hvor hvornår hvordan hvorfor før siden end både enten hverken på til fra med
        uden af ad over under ved mellem gennem mod efter hos inden indtil omkring ind ud op ned er var være været
        bliver blev blive blevet har havde have haft kan kunne skal skulle vil ville må måtte bør burde ikke også kun
        meget mere mest mindre mange få lidt her nu igen allerede endnu jo dog derfor derved hermed dermed hvormed
        heraf deraf hvoraf heri deri hvori dvs osv""",
    "sv": """
        en ett den det de denna detta dessa denne jag mig min mitt mina du dig din ditt dina han honom hans hon henne
        hennes sin sitt sina vi oss vår vårt våra ni er ert era dem deras man sig själv själva vem vad vilken vilket
        vilka vars som någon något några ingen inget inga varje var vart alla allt annan annat andra sådan sådant
        sådana samma och eller men för så därför att om när då medan där hur varför innan sedan än både antingen
        varken eftersom på till från med utan av över under vid mellan genom mot efter hos inom in ut upp ner per i
        åt är vara varit bli blir blev blivit har hade ha haft kan kunde kunnat ska skall skulle vill ville må måste
        bör borde inte icke ej också endast bara mycket mer mera mest mindre många få lite här nu igen redan ännu ju
        dock därmed härmed varmed därav varav däri vari dvs osv""",
    "ja": """
        の に は を が と で も へ や か から まで より など だけ ほど ばかり しか さえ こそ でも ので のに ながら
        つつ ば て た だ です ます でし まし だっ だろう でしょう ない なかっ なく ぬ ず ん れ られ れる られる せ
        させ せる させる する し さ すれ せよ いる い ある あり あっ なる なり なっ これ それ あれ この その あの
        どの ここ そこ こと もの ため よう とき ところ および 及び 又は または また そして しかし ただし なお""",
}
_LISTS = {lang: frozenset(words.split()) for lang, words in _WORDS.items()}


def stopwords(lang: str) -> frozenset[str]:
    """The function words of a language; empty for a language without a list."""
    return _LISTS.get(lang.partition("-")[0].lower(), frozenset())
