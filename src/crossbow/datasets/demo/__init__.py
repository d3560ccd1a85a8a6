"""The demo collection: a small German–English world, written for this project and shipped inside the package.

Everything is plain text beside this file, one record per line, meant to be read and corrected by people:

    train.tsv, tune.tsv            German TAB English
    docs.tsv                       id TAB title TAB text (English)
    queries.{dev,test}.tsv         id TAB text (German; some queries are several sentences)
    qrels.{dev,test}.txt           TREC judgments: 3 what the query asks for, 2 much of it, 1 on its margin

It is made to show what forced decoding is good for: German words whose translation depends on the document (Bank,
Schloss, Zug, Kiefer, …), compounds whose parts alone were seen in training, names that must pass through untranslated,
and documents that use the rarer of two English synonyms. `load.py` reads it, and writes it as a collection folder.
"""
