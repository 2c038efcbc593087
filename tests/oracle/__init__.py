"""The oracle: a slow, plain NumPy reading of the PHIDA specification, one stage per file.

Written from the specification alone, so that agreement with the native core means something.
Clarity comes before speed everywhere; section numbers are those of ALGORITHM.md.
"""
