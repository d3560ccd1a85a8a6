"""Translation forests: every translation of a query that the decoder kept, packed into one hypergraph."""
