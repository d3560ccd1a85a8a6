"""How good runs are and whether they differ: measures, a significance test, tables and plots.

`report.compare` is the way in for several runs; `measures.per_query` gives the numbers of one.
"""
