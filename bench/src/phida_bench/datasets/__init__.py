"""The benchmark's data sets: registry, sources, and verification."""

from phida_bench.datasets.loading import Dataset, DatasetError, advice, find, load
from phida_bench.datasets.registry import COLLECTIONS, Entry, add, add_own, entries, entry

__all__ = [
    "COLLECTIONS",
    "Dataset",
    "DatasetError",
    "Entry",
    "add",
    "add_own",
    "advice",
    "entries",
    "entry",
    "find",
    "load",
]
