"""How much memory is allowed, and the refusal."""

import os
import pickle

import pytest

from phida_bench.systems import DoesNotFit
from phida_bench.systems._memory import allowed_memory, require


def test_it_is_a_memory_error_that_survives_pickling():
    error = pickle.loads(pickle.dumps(DoesNotFit("Some method", 3 * 2**30, 2**20)))
    assert isinstance(error, MemoryError)
    assert (error.method, error.needed, error.allowed) == ("Some method", 3 * 2**30, 2**20)
    assert str(error).startswith("Some method would need 3.0 GiB for these rows and may use 1.0 MiB.")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (2**50, "1024.0 TiB"), (10**9, "953.7 MiB")],
)
def test_sizes_are_readable(size, text):
    assert f"may use {text}." in str(DoesNotFit("It", 1, size))


def test_what_fits_exactly_fits():
    require("It", 10, 10)
    with pytest.raises(DoesNotFit):
        require("It", 11, 10)


def test_there_is_no_limit_where_the_system_does_not_tell_its_memory(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    require("It", 2**60, None)


def test_the_machine_is_the_limit_if_none_is_given():
    assert allowed_memory(None) > 2**28
    with pytest.raises(DoesNotFit, match="It would need"):
        require("It", 2**60, None)
