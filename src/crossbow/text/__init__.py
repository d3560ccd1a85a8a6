"""Text analysis, one file per concern; analyzer.py puts them together for translation and for the index."""
