"""Slow, obvious oracles for the kernels: plain Python that follows the definitions and nothing else."""
