"""Rows for tests of streams and commands, and the command itself."""

import json
import os
import subprocess
import sys

import numpy as np
from data import drifting
from waiting import PATIENCE

NAMES = ("a", "b", "c")
X = drifting(600)


def as_csv(rows, first=0):
    lines = [f"{first + i},{','.join(map(repr, row))},{'xyz'[i % 3]}" for i, row in enumerate(rows.tolist())]
    return "".join(line + "\n" for line in lines)


HEADER = "id,a,b,c,kind\n"


def phida(*words, stdin=None, timeout=PATIENCE):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "phida", *map(str, words)]
    wide = os.environ | {"COLUMNS": "300"}  # wide enough that messages are not wrapped
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, env=wide)


def write_rows(path, rows):
    """Write rows of three features as TSV, CSV, NDJSON, Parquet, Arrow or npy, by suffix."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(dict(zip(NAMES, rows.T, strict=True)))
    suffix = path.suffix
    if suffix == ".npy":
        np.save(path, rows)
    elif suffix in (".csv", ".tsv"):
        delimiter = {".csv": ",", ".tsv": "\t"}[suffix]
        np.savetxt(path, rows, delimiter=delimiter, header=delimiter.join(NAMES), comments="", fmt="%.17g")
    elif suffix == ".ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as out:
            out.write_table(table)


def clusters_in(path_or_text):
    text = path_or_text if isinstance(path_or_text, str) else path_or_text.read_text()
    return np.array([int(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]])
