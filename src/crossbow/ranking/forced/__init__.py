"""How forced decoding is exact and fast: forests as max-plus programs, bounds on them, and the search between both."""
