"""The oracle: a slow NumPy version of the PHIDA specification, one stage per file.

It is written from the specification alone, so that its agreement with the native core is evidence. Clarity comes before
speed; section numbers are those of ALGORITHM.md.
"""
