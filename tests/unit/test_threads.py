"""Work ahead of and after the main thread: order, bounds, errors, and no thread left."""

import threading

import pytest
from waiting import until

from phida._threads import Behind, ahead


def names_of_threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("phida")]


def test_items_come_in_order_and_the_error_after_them():
    def items():
        yield from range(50)
        raise ValueError("the 51st")

    for most in (0, 1, 8):
        found = []
        with pytest.raises(ValueError, match="the 51st"), ahead(items(), most) as made:
            for item in made:
                found.append(item)
        assert found == list(range(50)) and names_of_threads() == []


def test_few_items_are_made_early():
    begun = []
    with ahead((begun.append(i) or i for i in range(100)), 3) as made:
        until(lambda: len(begun) == 3)
        assert next(made) == 0
        until(lambda: len(begun) == 4)
    assert len(begun) == 4 and names_of_threads() == []


def test_calls_are_made_in_order_before_wait_returns():
    done = []
    with Behind(2) as behind:
        for i in range(20):
            behind.call(done.append, i)
            assert len(done) >= i - 2
        behind.wait()
        assert done == list(range(20))
    assert names_of_threads() == []


def test_failed_call_is_raised_and_ends_all_calls():
    done = []

    def call(i):
        if i == 2:
            raise OSError("disk full")
        done.append(i)

    with Behind(2) as behind:
        with pytest.raises(OSError, match="disk full"):
            for i in range(20):
                behind.call(call, i)
        with pytest.raises(OSError, match="disk full"):
            behind.wait()
    assert done == [0, 1] and names_of_threads() == []
