"""show_versions(), and the choice of the instruction set."""

import os
import subprocess
import sys
from importlib.metadata import version

import numpy
import pytest
import sklearn

import phida
from phida import _core


def test_show_versions_lists_versions_and_level(capsys):
    phida.show_versions()
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["phida"] == phida.__version__ == version("phida")
    assert lines["numpy"] == numpy.__version__
    assert lines["scikit-learn"] == sklearn.__version__
    assert lines["simd level"].startswith(_core.simd_level())
    assert {"python", "platform"} <= lines.keys()


def level_with(wish):
    """Return the level that a new process chooses under PHIDA_SIMD."""
    code = "from phida import _core; print(_core.simd_level())"
    environment = os.environ | {"PHIDA_SIMD": wish}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.parametrize("level", _core.simd_levels())
def test_simd_level_can_be_lowered(level):
    assert level_with(level) == level


def test_best_simd_level_is_the_default():
    assert level_with("") == _core.simd_levels()[-1]


def test_unknown_simd_level_is_refused():
    before = _core.simd_level()
    with pytest.raises(ValueError, match="instruction set"):
        _core.use_simd_level("sse9")
    assert _core.simd_level() == before
