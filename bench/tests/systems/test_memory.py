"""The limit of memory, and its error."""

import os
import pickle

import pytest

from phida_bench.systems import DoesNotFit
from phida_bench.systems._memory import allowed_memory, require


def test_error_is_a_memory_error_and_can_be_pickled():
    error = pickle.loads(pickle.dumps(DoesNotFit("Some method", 3 * 2**30, 2**20)))
    assert isinstance(error, MemoryError)
    assert (error.method, error.needed, error.allowed) == ("Some method", 3 * 2**30, 2**20)
    assert str(error).startswith("Some method would need 3.0 GiB for these rows and may use 1.0 MiB.")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (2**50, "1024.0 TiB"), (10**9, "953.7 MiB")],
)
def test_error_shows_sizes_in_suitable_units(size, text):
    assert f"may use {text}." in str(DoesNotFit("It", 1, size))


def test_need_equal_to_the_limit_is_allowed():
    require("It", 10, 10)
    with pytest.raises(DoesNotFit):
        require("It", 11, 10)


def test_unknown_physical_memory_means_no_limit(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    require("It", 2**60, None)


def test_default_limit_is_the_physical_memory():
    assert allowed_memory(None) > 2**28
    with pytest.raises(DoesNotFit, match="It would need"):
        require("It", 2**60, None)
