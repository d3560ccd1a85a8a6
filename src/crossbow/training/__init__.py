"""Making models: from parallel text (front.py, parallel.py), from a dictionary, or from a grammar of another system.

    model = crossbow.train("train.de", "train.en", "model", lm_text=["docs.tsv"])       # training.front.train

What they share with each other is in texts.py and supplied.py.
"""
