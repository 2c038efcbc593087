"""Rows for tests of streams and commands, and the command itself."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
from data import drifting
from typer.testing import CliRunner
from waiting import PATIENCE

from phida._cli.app import app

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


def invoke(*words, columns=300):
    """Run the command in this process, in a terminal of this width."""
    return CliRunner(env={"NO_COLOR": "1", "COLUMNS": str(columns)}).invoke(app, [str(word) for word in words])


def said(found):
    """Return the messages of a command without frames and line breaks."""
    return " ".join((found.output if hasattr(found, "output") else found.stderr).replace("│", " ").split())


def write_rows(path, rows, names=NAMES, chunk=None):
    """Write rows in the format of the suffix."""
    import pyarrow as pa

    return write_table(path, pa.table(dict(zip(names, rows.T, strict=True))), chunk)


def write_table(path, table, chunk=None):
    """Write a table in the format of the suffix; a format with parts has parts of some rows."""
    import pyarrow as pa
    from pyarrow import parquet

    suffix = path.suffix
    if suffix in (".npy", ".npz"):
        rows = np.column_stack([column.to_numpy() for column in table.columns])
        np.save(path, rows) if suffix == ".npy" else np.savez(path, X=rows)
    elif suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            out = csv.writer(file, delimiter={".csv": ",", ".tsv": "\t"}[suffix], lineterminator="\n")
            out.writerows([table.column_names, *(row.values() for row in table.to_pylist())])
    elif suffix == ".ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=chunk)
    else:
        with pa.ipc.new_file(str(path), table.schema) as out:
            out.write_table(table, max_chunksize=chunk)
    return path


def clusters_in(path_or_text):
    text = path_or_text if isinstance(path_or_text, str) else path_or_text.read_text()
    return np.array([int(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]])
