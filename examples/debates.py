"""An archive of debates: German titles find what was said about them in English, and methods are compared.

    python examples/debates.py [FOLDER]

The archive is made up for this example: twenty subjects, fifteen short speeches on each, and a title in German. Most
speeches do not name their subject; they speak of nets and cod, not of fishery. The example trains a model on sentences
from the same chamber, which has courts and castles more often than dishes and locks, though German has one word for
both. It searches for all titles by four methods and measures them; a speech is relevant if it belongs to the debate.
Then it shows why some speeches were found. It takes a few seconds, and a minute when kernels have to be compiled.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import crossbow

# A title, its translation, and what speakers talk about. The first words of title and translation belong together.
SUBJECTS = [line.split(" | ") for line in """
Fischerei in der Nordsee | fishery in the North Sea | nets, cod, trawlers, harbors, quotas, herring
Steuern auf Vermögen | taxes on wealth | heirs, income, rates, exemptions, revenue, households
Strom aus Wind | electricity from wind | turbines, grids, rotors, cables, storage, power stations
Schutz der Gewässer | protection of waters | rivers, nitrates, wells, sewage, wetlands, pollution
Gebühren der Banken | fees of banks | accounts, transfers, customers, cards, branches, interest
Bänke in Parks | benches in parks | lawns, trees, seats, playgrounds, paths, fountains
Sicherheit der Züge | safety of trains | signals, brakes, tracks, drivers, crossings, tunnels
Lärm am Flughafen | noise at the airport | runways, nights, engines, neighbors, landings, windows
Preise für Arznei | prices of medicine | pharmacies, patents, patients, generics, doctors, doses
Anbau von Hopfen | growing of hops | breweries, farmers, harvests, poles, beer, prices
Schlösser am Rhein | castles on the Rhine | roofs, visitors, monuments, moats, restoration, stones
Schlösser an Türen | locks on doors | keys, burglars, bolts, handles, insurers, standards
Gerichte ohne Richter | courts without judges | verdicts, appeals, lawyers, delays, hearings, files
Gerichte in Kantinen | dishes in canteens | kitchens, vegetables, cooks, menus, pupils, salt
Pflege im Alter | care in old age | nurses, homes, relatives, wages, beds, wards
Bau von Brücken | building of bridges | pillars, concrete, steel, lorries, piers, spans
Handel mit Holz | trade in timber | forests, sawmills, permits, logs, furniture, customs
Schulen auf dem Land | schools in the country | buses, teachers, classes, villages, pupils, roofs
Schutz der Bienen | protection of bees | pesticides, hives, orchards, flowers, pollen, seeds
Wohnungen für Studenten | flats for students | rents, rooms, towns, landlords, grants, campuses
""".strip().splitlines()]
NAMED = ["We must speak plainly about {title}.", "The question of {title} concerns all our regions."]
UNNAMED = ["Colleagues, who among us still remembers the {a}?", "Without the {a} there would be no {b} at all.",
           "My constituents write to me about {a} every single week.", "Let us not forget the {b} when we discuss {a}.",
           "The report says much about {a} and too little about {b}.", "I welcome the amendments on {b}, all in all."]
SAID = [("Wir sprechen heute über {}.", "Today we are speaking about {}."), ("{}", "{}"),
        ("Der Bericht behandelt {}.", "The report deals with {}."),
        ("Ich danke dem Ausschuss für die Arbeit zu {}.", "I thank the committee for its work on {}.")]
WHERE = [("Die Lage {} ist ernst.", "The situation {} is serious."), ("{}", "{}")]
OFTEN = [("Die Gerichte sind unabhängig.", "The courts are independent."), ("alte Gerichte", "old courts"),
         ("Die Schlösser sind alt.", "The castles are old."), ("schöne Schlösser", "beautiful castles")] * 3
SPEECHES = 15
METHODS = {"direct translation": {"method": "dt"}, "structured queries": {"method": "psq"},
           "forced decoding": {"method": "bowfd"}, "standard settings": {}}


def speeches() -> list[crossbow.Doc]:
    """All speeches, with the year as a field. Ids begin with the number of the debate."""
    chance = random.Random(1)
    made = []
    for number, (_, title, words) in enumerate(SUBJECTS):
        for place in range(SPEECHES):
            a, b = chance.sample(words.split(", "), 2)
            lines = [line.format(a=a, b=b, title=title) for line in chance.sample(UNNAMED, 2)]
            if place % 5 == 0:
                lines.insert(0, chance.choice(NAMED).format(title=title))
            made.append(crossbow.Doc(f"d{number:02}-{place:02}", " ".join(lines), "", {"year": 1999 + place % 10}))
    return made


def sentences() -> tuple[list[str], list[str]]:
    """Parallel sentences of the chamber, in German and English. No title is among them as a whole."""
    pairs = list(OFTEN)
    for title, translation, _ in SUBJECTS:
        for part, forms in ((0, SAID), (2, WHERE)):  # what it is about, and where or of whom
            german, english = title.partition(" ")[part], translation.partition(" ")[part]
            pairs += [(form.format(german), other.format(english)) for form, other in forms]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    archive = speeches()
    index = crossbow.build_index(archive, folder / "index", lang="en")
    model = crossbow.train(*sentences(), folder / "model", source_lang="de", target_lang="en")
    titles = [(f"d{number:02}", title) for number, (title, _, _) in enumerate(SUBJECTS)]
    qrels = {name: {doc.id: 1 for doc in archive if doc.id.startswith(name)} for name, _ in titles}
    print(f"{len(index)} speeches, {len(titles)} debates")

    runs = {name: dict(crossbow.Searcher(model, index, config).search_all(titles)) for name, config in METHODS.items()}
    print(crossbow.evaluate(qrels, runs, ["AP"], trials=10_000))

    searcher = crossbow.Searcher(model, index)
    query = "Gerichte in Kantinen"
    recent = searcher.search(query, k=3, filter=crossbow.Filter(where=("year>=2004",)))
    print(f"\n{query}, since 2004; best translation: {recent.translation()}")
    for hit in recent:
        why = searcher.explain(query, hit.doc)
        print(f"  {hit.doc}  {index[hit.doc].text}\n         as: {' '.join(why.sentences[0].target)}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "debates"))
