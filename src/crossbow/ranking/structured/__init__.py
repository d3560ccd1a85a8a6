"""Probabilistic structured queries: translation tables of a query's words, and the search with them."""
