"""Parsing learned for retrieval: dependency trees whose edit distance ranks documents (Gillenwater et al. 2013)."""
