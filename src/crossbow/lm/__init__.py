"""N-gram language models: estimation, ARPA files, a memory-mapped hash model, states for a chart decoder."""
