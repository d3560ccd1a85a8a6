"""Translation rules for one sentence at a time, extracted on demand from the aligned training text."""
