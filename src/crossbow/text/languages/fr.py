"""French: œ and æ are often typed as two letters, so they become these."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("fr", Language(
    "fr", snowball="french", folds={"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae"}, revision=2,
    beginnings="l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu",
    stopwords="""
        le la les l' un une des du de d' au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos
        leur leurs je j' tu il elle on nous vous ils elles me m' te t' se s' lui eux moi toi soi y en ceci cela ça c'
        celui celle ceux celles qui que qu' quoi dont où quel quelle quels quelles lequel laquelle lesquels lesquelles
        auquel duquel et ou mais donc or ni car si comme quand lorsque lorsqu' puisque puisqu' parce tandis jusque
        jusqu' afin à dans par pour sur sous avec sans entre vers chez depuis pendant avant après contre dès selon hors
        être suis es est sommes êtes sont étais était étaient étant été sera seront serait soit soient fut furent avoir
        ai as a avons avez ont avait avaient ayant eu aura auront aurait ait aient peut peuvent pouvoir doit doivent
        fait faire ne n' pas plus moins très aussi ainsi alors encore déjà même mêmes tout toute tous toutes autre
        autres chaque quelque quelques plusieurs aucun aucune tel telle tels telles ici là bien peu trop non""",
    abbreviations="""
        m mm mme mmes mlle mlles dr pr prof st ste mgr me fig env ex etc cf vol chap art al p pp no nos tél av apr janv
        févr avr juil sept oct nov déc""",
    example=("L'ancienne bibliothèque a beaucoup de livres sur la mer.",
             "ancien bibliothequ beaucoup livr mer"),
))
