"""Italian."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("it", Language(
    "it", snowball="italian",
    beginnings="l|d|c|s|m|t|v|n|un|all|dall|dell|nell|sull|coll|quest|quell|gl|bell|sant|tutt|mezz|anch|com|dov|cos",
    stopwords="""
        il lo la i gli le l' un uno una un' di a da in con su per tra fra del dello della dei degli delle dell' d' al
        allo alla ai agli alle all' dal dallo dalla dai dagli dalle dall' nel nello nella nei negli nelle nell' sul
        sullo sulla sui sugli sulle sull' col coi questo questa questi queste quest' quello quella quelli quelle quell'
        quel quei io tu lui lei noi voi loro mi m' ti t' ci c' vi v' si s' ne me te se mio mia miei mie tuo tua suo sua
        suoi sue nostro nostra nostri nostre vostro vostra che chi cui quale quali quanto quanta quanti quante e ed o od
        ma anche però quindi dunque se perché poiché mentre quando come dove dov' sia né è sono sei siamo siete era
        erano essere stato stata stati state sarà saranno sarebbe fu furono ho hai ha abbiamo avete hanno aveva avevano
        avere avuto avrà può possono potrebbe deve devono viene vengono non più meno molto molti molte poco già ancora
        solo così tutto tutta tutti tutte altro altra altri altre ogni alcuni alcune qualche stesso stessa stessi stesse
        tale tali qui qua lì là senza sotto sopra dopo prima contro verso durante presso""",
    abbreviations="""
        sig sigg sigra dott dr ing avv prof profssa on st fig ecc es pag pagg vol cap art cfr ca tel nr n jr gen feb mar
        apr mag giu lug ago set ott nov dic""",
    example=("La vecchia biblioteca ha molti libri sul mare.",
             "vecc bibliotec libr mar"),
))
