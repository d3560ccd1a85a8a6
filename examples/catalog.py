"""A catalog of products with fields: weighted search, filters, counts and orders, for shoppers who type German.

    python examples/catalog.py [FOLDER]

There is no parallel text here. A word list of a shop makes the model, and the catalog itself teaches which translation
is likely. Words in a title count three times as much as words in the description; brand, price and category are fields
to filter by, to count and to sort by. None of these changes a score. It takes a few seconds, and a minute when kernels
have to be compiled.
"""

from __future__ import annotations

import sys
from pathlib import Path

import crossbow
from crossbow.text.analyzer import Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig

WORDS = """
Lampe lamp; Leuchte light; Schreibtisch desk; Tisch table; Stuhl chair; Bank bench; Bank bank; Garten garden;
Schloss lock; Schloss castle; Fahrrad bicycle; Helm helmet; Decke blanket; Decke ceiling; Wolle wool; Kinder children;
Holz wood; Schrank cabinet; Schrank wardrobe; klein small; rot red; warm warm; Sparschwein piggy bank; Puzzle puzzle;
faltbar folding
"""
COLUMNS = ("id", "title", "text", "brand", "category", "price")
PRODUCTS = """
p01 | Desk lamp | A small red lamp for your desk, with a folding arm. | Lumo | lighting | 39
p02 | Ceiling light | A flat light for the ceiling of small rooms. | Lumo | lighting | 89
p03 | Garden bench | A bench of oiled wood, for two. | Holm | outdoor | 149
p04 | Folding bench | A light bench for picnics that folds in a moment. | Tramp | outdoor | 45
p05 | Piggy bank | A red bank for children who save coins. | Kiko | toys | 12
p06 | Bicycle lock | A lock of hardened steel for your bicycle. | Tramp | outdoor | 29
p07 | Castle puzzle | A puzzle with a castle in 500 pieces. | Kiko | toys | 19
p08 | Cabinet lock | A small lock for a cabinet, with two keys. | Holm | furniture | 9
p09 | Wool blanket | A warm blanket of pure wool. | Holm | home | 59
p10 | Picnic blanket | A blanket with a folding handle. | Tramp | outdoor | 25
p11 | Children's helmet | A bicycle helmet for children, in red. | Tramp | outdoor | 35
p12 | Children's desk | A small desk of wood that grows with the child. | Kiko | furniture | 99
p13 | Folding chair | A chair for guests, easy to store in a cabinet. | Holm | furniture | 25
p14 | Garden table | A table of wood for the garden. | Holm | outdoor | 129
p15 | Fairy lights | Lights for the garden, on a cable of ten meters. | Lumo | lighting | 15
"""


def products() -> list[dict[str, object]]:
    """The catalog; prices are numbers."""
    rows = [dict(zip(COLUMNS, line.split(" | "))) for line in PRODUCTS.strip().splitlines()]
    return [{**row, "price": int(row["price"])} for row in rows]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    entries = (entry.split(maxsplit=1) for entry in WORDS.replace("\n", " ").split(";"))
    (folder / "words.tsv").write_text("".join(f"{word}\t{meaning}\n" for word, meaning in entries), encoding="utf8")
    texts = "".join(f"{row['title']}\n{row['text']}\n" for row in products())
    (folder / "texts.txt").write_text(texts, encoding="utf8")
    from_dictionary(folder / "words.tsv", folder / "model", SuppliedConfig(Settings("de"), Settings("en")),
                    lm_texts=[folder / "texts.txt"])
    index = crossbow.build_index(products(), folder / "index", lang="en", fields="title^3,text")
    searcher = crossbow.Searcher(folder / "model", index, {"method": "bowfd"})

    def show(heading: str, hits: crossbow.Hits) -> None:
        print(f"\n{heading}")
        for hit in hits:
            about = index[hit.doc]
            print(f"  {about.title:18}{about.fields['brand']:7}{about.fields['price']:4} €")

    hits = searcher.search("Bank für den Garten", k=3)
    show("Bank für den Garten", hits)
    brands = ", ".join(f"{one.value} {one.documents}" for one in hits.counts("brand"))
    print(f"  {hits.total} products match: {brands}")
    show("Bank für den Garten, below 100 €", searcher.search(
        "Bank für den Garten", k=3, filter=crossbow.Filter(where=("price<100",))))
    show("Schloss, without toys, the cheapest first", searcher.search(
        "Schloss", filter=crossbow.Filter(where=("category:outdoor,furniture,home",)), sort="price"))
    show('"Decke" -Wolle: a blanket or a ceiling, but no wool', searcher.search('"Decke" -Wolle', syntax=True))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "catalog"))
