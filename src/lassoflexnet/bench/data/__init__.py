"""Data sets of the benchmarks: cards, sources, and the registry that loads them by name."""
