"""German."""

from crossbow.text.languages import LANGUAGES, Compounds, Language

LANGUAGES.add("de", Language(
    "de", snowball="german", endings="s|n|ne|nen|m", ordinals=True,
    stopwords="""
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese
        dieses diesen diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem alle allen aller alles welcher
        welche welches welchen welchem solche solcher solches solchen manche mancher einige einiger einigen ich mich mir
        du dich dir er ihn ihm sie ihr ihnen es wir uns euch sich man wer wen wem was mein meine meinen meinem meiner
        meines dein deine sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unseren
        unserem unserer eure und oder aber sondern denn doch sowie als wie wenn ob weil dass daß damit obwohl während
        bevor nachdem falls indem in im an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über
        um unter von vom vor zu zum zur zwischen wegen trotz gegenüber innerhalb außerhalb außer bin bist ist sind seid
        war waren wäre wären gewesen habe hast hat haben hatte hatten hätte hätten gehabt werde wird werden wurde wurden
        würde würden worden geworden kann können konnte konnten könnte könnten muss muß müssen musste mussten darf
        dürfen soll sollen sollte sollten will wollen wollte mag möchte möchten nicht auch nur noch schon sehr so dann
        da dort hier hin her wo wann warum mehr immer wieder ja nein nun jetzt etwa dabei dadurch dafür dagegen daher
        dahin damals danach daran darauf daraus darin darüber darum davon davor dazu hierbei hierfür hiermit wobei
        wodurch wofür womit wonach woran worauf worin worüber wovon wozu also jedoch zwar bzw usw z.b. d.h. u.a. 's""",
    abbreviations="""
        dr prof hr fr frl dipl ing st str nr bd bzw ca evtl ggf inkl exkl usw usf vgl sog allg abb tab kap art abs lt
        max min mind mio mrd tel bsp etc resp ehem geb gest jh jhd hg hrsg aufl ausg bes insb jan feb apr jun jul aug
        sep sept okt nov dez""",
    compounds=Compounds(
        links=("s", "es", "n", "en", "er", "e", "ns", "ens"),
        lost=(("", "e"), ("s", "e")),
        affixes="""
            unter über wider wieder gegen durch nach voll fort hinter miss ent emp ver zer vor auf aus ein bei mit heran
            herab herauf heraus herbei herein herüber herum hervor hinab hinauf hinaus hinein hinüber hinweg hinzu
            einher empor entgegen nieder umher voran voraus vorbei zurück zusammen abge ange aufge ausge beige einge
            mitge nachge umge vorge zuge anti inter intra infra hyper multi mikro makro mono poly pseudo quasi semi
            trans prä post heit keit heiten keiten schaft schaften ung ungen nis nisse tum ling linge chen lein ismus
            tion tionen ität täten bar bare baren barer bares barkeit isch ische ischen ischer isches lich liche lichen
            licher liches lichkeit los lose losen loser loses losigkeit haft hafte haften hafter sam same samen samkeit
            ig ige igen iger iges igkeit weise weisen mäßig mäßige artig artige fach fache fachen ende enden ender endes
            ieren iert ierte ierung ierungen ern eren erung erungen elung stel tig tige tigen tung tungen ling dung
            dungen lung lungen rung rungen sten ster stes"""),
    example=("Die alte Bibliothek hat viele Bücher über das Meer.",
             "alt bibliothek viel buch meer"),
))
