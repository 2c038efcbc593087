"""A process that forks while threads learn: the child has a usable model and does not hang."""

import contextlib
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

from phida import PHIDA, PHIDAPlus

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

#: A random walk rarely returns, so it makes many nodes, and learning is slow.
SLOW = np.cumsum(np.random.default_rng(0).normal(size=(40_000, 8)), axis=0)


def in_child(work, seconds=30):
    """Return the exit status of a forked process that runs `work`, or None if it hangs."""
    with warnings.catch_warnings():
        # Python, and JAX if it is loaded, warn about forks of processes with several threads
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            work()
            status = 0
        os._exit(status)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


@pytest.mark.parametrize("estimator", [PHIDA, PHIDAPlus])
def test_child_forked_during_learning_continues_from_the_learned_rows(estimator):
    model, stop = estimator(compute_labels=False).partial_fit(SLOW[:50]), threading.Event()

    def learn():
        with contextlib.suppress(StopIteration):
            while not stop.is_set():
                model.partial_fit(SLOW[50:1_050])

    def use():
        before = model.n_samples_seen_
        assert before >= 50
        again = estimator.from_bytes(model.to_bytes())
        model.partial_fit(SLOW[:20]).refresh()
        assert model.n_samples_seen_ == before + 20
        assert model.predict(SLOW[:3]).shape == (3,)
        again.partial_fit(SLOW[:20]).refresh()
        assert again.to_bytes() == model.to_bytes()  # no row was learned in part
        assert estimator().fit(SLOW[:200]).n_clusters_ >= 1

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            time.sleep(0.03)
            assert in_child(use) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    before = model.n_samples_seen_  # the parent continues too
    assert model.partial_fit(SLOW[:10]).n_samples_seen_ == before + 10


def test_child_forked_while_models_start_does_not_hang():
    stop = threading.Event()

    def begin():
        while not stop.is_set():
            PHIDA(compute_labels=False).on_event(print).partial_fit(SLOW[:1])

    thread = threading.Thread(target=begin)
    thread.start()
    try:
        for _ in range(20):
            assert in_child(lambda: PHIDA().partial_fit(SLOW[:30]).predict(SLOW[:3])) == 0
    finally:
        stop.set()
        thread.join()
