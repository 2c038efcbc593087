"""Packages of the extras: imported only where they are needed, and named with the way to install them if missing."""

import os
import subprocess
import sys

import numpy as np
import pytest
from streams_data import write_rows
from waiting import PATIENCE

from phida import PHIDAPlus

#: Code that needs a package, and the extra that brings it.
NEEDS = [
    ("pyspark", "import phida.spark", "spark"),
    ("dask", "import phida.dask", "dask"),
    ("river", "import phida.river", "river"),
    ("matplotlib", "import phida.plots", "plot"),
    *(
        (package, f"import phida._cli; sys.argv = 'phida {words}'.split(); phida._cli.main()", extra)
        for package, words, extra in [
            ("matplotlib", "plot m --out p", "plot"),
            ("matplotlib", "report m r.csv -o r.html", "plot"),
            ("jinja2", "report m r.csv -o r.html", "plot"),
            ("starlette", "serve --from r.csv --port 0", "serve"),
            ("uvicorn", "serve --from r.csv --port 0", "serve"),
            ("pyarrow", "fit r.csv", "cli"),
            ("pyarrow", "stream r.csv", "cli"),
            ("pyarrow", "fit r.parquet", "cli"),
        ]
    ),
]


def run(code, folder):
    command, environment = [sys.executable, "-c", code], os.environ | {"COLUMNS": "300"}
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=folder, env=environment)


@pytest.mark.parametrize(("package", "code", "extra"), NEEDS)
def test_missing_package_is_named_with_its_extra(tmp_path, package, code, extra):
    rows = np.random.default_rng(0).normal(size=(600, 2))
    for name in ("r.csv", "r.parquet"):
        write_rows(tmp_path / name, rows, names="ab")
    PHIDAPlus().fit(rows).save(tmp_path / "m")
    found = run(f"import sys; sys.modules[{package!r}] = None; {code}", tmp_path)
    assert found.returncode == 1 and f'pip install "phida[{extra}]"' in found.stderr
    assert "Traceback" not in found.stderr or code.startswith("import phida.")


def test_importing_phida_does_not_import_river(tmp_path):
    code = "import sys, phida; sys.exit(bool({'river', 'phida.river', 'phida._named_rows'} & sys.modules.keys()))"
    assert run(code, tmp_path).returncode == 0
