"""Kernels that several algorithms share: a hash table, a heap, top-k selection."""
