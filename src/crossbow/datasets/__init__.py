"""Test collections: one file per data set, and `collection.py`, which opens any of them."""
