"""Where river is absent."""

import subprocess
import sys

import pytest


def test_the_error_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "phida.river", raising=False)
    for name in [name for name in sys.modules if name.split(".")[0] == "river"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ImportError, match=r'phida.river needs river: pip install "phida\[river\]"'):
        import phida.river  # noqa: F401


def test_importing_phida_loads_neither_river_nor_ours():
    code = "import sys, phida; sys.exit(bool({'river', 'phida.river', 'phida._named_rows'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
