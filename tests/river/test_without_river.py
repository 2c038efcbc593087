"""phida without river."""

import subprocess
import sys

import pytest


def test_missing_river_names_the_package(monkeypatch):
    monkeypatch.delitem(sys.modules, "phida.river", raising=False)
    for name in [name for name in sys.modules if name.split(".")[0] == "river"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ImportError, match=r'phida.river needs river: pip install "phida\[river\]"'):
        import phida.river  # noqa: F401


def test_importing_phida_does_not_import_river():
    code = "import sys, phida; sys.exit(bool({'river', 'phida.river', 'phida._named_rows'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
