"""Ranking documents for a query in another language: methods, how the exact ones are fast, and why a hit is a hit."""
