"""The deep methods without JAX."""

import subprocess
import sys

import pytest
from data import blobs

from phida_bench.systems import GCEALS, TableDC


@pytest.fixture
def no_jax(monkeypatch):
    """Hide JAX, and forget modules that imported it."""
    for name in [name for name in sys.modules if name.split(".")[0] == "jax"]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("_jax", "_autoencoder", "_tabledc_training", "_g_ceals_training"):
        monkeypatch.delitem(sys.modules, f"phida_bench.systems.{name}", raising=False)
        monkeypatch.delattr(f"phida_bench.systems.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "jax", None)


@pytest.mark.parametrize("method", [TableDC, GCEALS])
def test_missing_jax_error_names_the_extra(method, no_jax):
    with pytest.raises(ImportError, match=r'pip install "\./bench\[deep\]"'):
        method(n_clusters=3).fit(blobs(20))


def test_importing_the_systems_does_not_load_jax():
    code = "import sys, phida_bench.systems; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("method", [TableDC, GCEALS])
@pytest.mark.parametrize(
    "parameters",
    [{"n_clusters": 0}, {"epochs": 0}, {"pretrain_epochs": -1}, {"learning_rate": 0.0}, {"latent_size": 1.5}],
    ids=str,
)
def test_parameters_are_validated_before_jax_is_needed(method, parameters, no_jax):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter of {method.__name__} must be"):
        method(**parameters).fit(blobs(20))


@pytest.mark.parametrize("method", [TableDC, GCEALS])
def test_rows_are_checked_before_jax_is_needed(method, no_jax):
    with pytest.raises(ValueError, match="X holds text"):
        method(n_clusters=1).fit([["a"], ["b"]])
