"""Several threads on one model, Ctrl-C, and signal handlers."""

import contextlib
import itertools
import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from data import blobs
from kinds import each_estimator
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from states import assert_same_state, differences, state_of

from phida import PHIDA, PHIDAPlus

#: A random walk rarely returns, so it makes many nodes, and learning is slow on any machine.
SLOW = np.cumsum(np.random.default_rng(0).normal(size=(400_000, 8)), axis=0)


def slow_rows(estimator):
    """Return rows that take the estimator a second or more to learn."""
    return SLOW[:40_000] if estimator is PHIDA else SLOW


def run_all(*jobs):
    """Run functions at the same time, and raise the first error."""
    errors, start = [], threading.Barrier(len(jobs))

    def run(job):
        start.wait()
        try:
            job()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@each_estimator
def test_threads_learning_at_once_equal_some_serial_order(estimator):
    """Three chunks, one thread each: the result equals one of the six serial ones, to the bit."""
    chunks = [blobs(400, seed=seed) for seed in range(3)]
    serial = []
    for order in itertools.permutations(chunks):
        model = estimator(compute_labels=False)
        for chunk in order:
            model.partial_fit(chunk)
        serial.append(state_of(model))
    for _ in range(10):
        model = estimator(compute_labels=False)
        run_all(*(partial(model.partial_fit, chunk) for chunk in chunks))
        state = state_of(model)
        assert any(differences(state, one) == [] for one in serial)


@each_estimator
def test_threads_learning_predicting_and_refreshing_lose_no_row(estimator):
    """Concurrent reads are consistent."""
    model = estimator().fit(blobs(50))
    rows, stop = blobs(60, seed=9), threading.Event()

    def learn(seed):
        for chunk in np.array_split(blobs(600, seed=seed), 60):
            model.partial_fit(chunk)

    def read():
        while not stop.is_set():
            labels = model.predict(rows)
            assert labels.shape == (60,) and labels.min() >= 0
            nodes = model.nodes_
            assert len(nodes.support) == len(nodes.component) == len(nodes.representatives)
            assert set(nodes.cluster) - {-1} == set(range(nodes.cluster.max() + 1))
            assert model.transform(rows).min() >= 0

    def refresh():
        while not stop.is_set():
            model.refresh()
            time.sleep(0.001)

    def learn_all():
        try:
            run_all(*(partial(learn, seed) for seed in range(3)))
        finally:
            stop.set()

    run_all(learn_all, read, read, refresh)
    assert model.n_samples_seen_ == 50 + 3 * 600


@each_estimator
def test_readers_during_fit_see_old_new_or_no_model(estimator):
    """fit replaces the model while others read."""
    X, stop = blobs(200), threading.Event()
    model = estimator().fit(X)

    def fit():
        try:
            for _ in range(40):
                model.fit(X)
        finally:
            stop.set()

    def read():
        while not stop.is_set():
            try:
                assert model.predict(X).shape == (200,)
            except NotFittedError:  # fit has just replaced the old model by an empty one
                continue

    run_all(fit, read, read)
    assert_same_state(model, estimator().fit(X))


@each_estimator
def test_models_of_several_threads_are_independent(estimator):
    streams = [blobs(500, seed=seed) for seed in range(4)]
    models = [estimator() for _ in streams]
    run_all(*(partial(m.fit, X) for m, X in zip(models, streams, strict=True)))
    for model, X in zip(models, streams, strict=True):
        assert_same_state(model, estimator().fit(X))


@each_estimator
def test_reading_returns_before_learning_ends(estimator):
    model = estimator(compute_labels=False).partial_fit(SLOW[:10])
    learner = threading.Thread(target=model.partial_fit, args=(SLOW[10 : 8_000 if estimator is PHIDA else 400_000],))
    learner.start()
    seen = set()
    while learner.is_alive():
        model.predict(SLOW[:3])
        seen.add(model.n_samples_seen_)
    assert len(seen) > 5


def interrupt_after(seconds, then=None):
    """Send this process SIGINT, or call `then`, after some time."""
    if then is not None:
        signal.signal(signal.SIGINT, then)
    timer = threading.Timer(seconds, signal.raise_signal, args=(signal.SIGINT,))
    timer.daemon = True
    timer.start()
    return timer


@pytest.fixture
def sigint():
    """Restore the signal handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@each_estimator
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_ctrl_c_stops_learning_and_keeps_the_rows(sigint, method, estimator):
    model, rows = estimator(compute_labels=False), slow_rows(estimator)

    def interrupt():
        while not model.__sklearn_is_fitted__():
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    if estimator is PHIDAPlus and method == "fit":  # neighbouring rows are learned too fast
        rows = np.random.default_rng(1).permutation(rows)
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(rows)
    learned = model.n_samples_seen_
    assert 0 < learned < len(rows)
    assert_same_state(model, getattr(estimator(compute_labels=False), method)(rows[:learned]))
    # learning continues
    model.partial_fit(rows[learned : learned + 10])
    assert model.n_samples_seen_ == learned + 10
    assert model.predict(SLOW[:3]).shape == (3,)


@each_estimator
def test_signal_handler_reads_the_model(sigint, estimator):
    model, seen = estimator(compute_labels=False).partial_fit(blobs(50, 8)), []

    def read(*_):
        seen.append((model.n_samples_seen_, model.predict(SLOW[:2]), model.nodes_))
        raise KeyboardInterrupt

    interrupt_after(0.3, read)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(slow_rows(estimator))
    assert 50 < seen[0][0] <= model.n_samples_seen_


@each_estimator
@pytest.mark.parametrize("method", ["partial_fit", "refresh"])
def test_learning_in_a_signal_handler_is_refused(sigint, method, estimator):
    """It would deadlock."""
    model = estimator(compute_labels=False)
    arguments = (SLOW[:2],) if method == "partial_fit" else ()
    interrupt_after(0.3, lambda *_: getattr(model, method)(*arguments))
    with pytest.raises(RuntimeError, match="learning already"):
        model.partial_fit(SLOW)
    learned = model.n_samples_seen_
    assert_same_state(model, estimator(compute_labels=False).partial_fit(SLOW[:learned]))


@each_estimator
def test_learning_continues_after_a_signal_handler_returns(sigint, estimator):
    calls, chunk = [], SLOW[:2500]
    model, chunks = estimator(compute_labels=False), 0
    interrupt_after(0.05, lambda *_: calls.append(1))
    while not calls:  # on any machine, the signal comes while some chunk is learned
        model.partial_fit(chunk)
        chunks += 1
    undisturbed = estimator(compute_labels=False)
    for _ in range(chunks):
        undisturbed.partial_fit(chunk)
    assert_same_state(model, undisturbed)


@each_estimator
def test_ctrl_c_stops_labelling(sigint, estimator):
    model = estimator(compute_labels=False).fit(SLOW[:4_000])
    X = np.tile(SLOW[:1_000], (2_000, 1))  # about ten seconds of labelling
    interrupt_after(0.1)
    begun = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        model.predict(X)
    assert time.process_time() - begun < 2


@each_estimator
def test_two_threads_starting_with_different_widths_agree_on_one(estimator):
    for _ in range(50):
        model = estimator(compute_labels=False)

        def begin(width, model=model):
            with contextlib.suppress(ValueError):  # the later thread
                model.partial_fit(np.ones((3, width)))

        run_all(lambda: begin(3), lambda: begin(5))
        assert model.n_features_in_ in (3, 5)
        model.partial_fit(np.ones((3, model.n_features_in_)))


@each_estimator
def test_concurrent_fits_return_labels_of_their_own_rows(estimator):
    model = estimator()

    def fit(n):
        for _ in range(30):
            model.fit(blobs(n, 4))

    run_all(lambda: fit(40), lambda: fit(60))
    assert model.n_samples_seen_ in (40, 60)


@each_estimator
def test_ctrl_c_stops_waiting_for_another_thread(sigint, estimator):
    model = estimator(compute_labels=False).partial_fit(SLOW[:10])
    n_rows = 10_000 if estimator is PHIDA else 400_000
    other = threading.Thread(target=model.partial_fit, args=(SLOW[10:n_rows],))
    other.start()
    interrupt_after(0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            while other.is_alive():
                model.refresh()
        assert other.is_alive()  # the wait ended early
    finally:
        other.join()
    assert model.n_samples_seen_ == n_rows


@pytest.mark.parametrize("unfitted", [PHIDA(), PHIDAPlus(max_nodes=40)], ids=str)
def test_files_saved_by_ten_busy_threads_load(tmp_path, unfitted):
    """Runs a few seconds, or PHIDA_THREAD_SECONDS."""
    kind, rows = type(unfitted), blobs(40, seed=3)
    model = clone(unfitted).fit(rows)
    until = time.monotonic() + float(os.environ.get("PHIDA_THREAD_SECONDS", "2"))
    loaded = itertools.count()

    def learn(seed):
        for chunk in itertools.cycle(np.array_split(blobs(3_000, seed=seed), 300)):
            model.partial_fit(chunk)
            yield

    def predict():
        while True:
            assert model.predict(rows).min() >= 0
            yield

    def save(name):
        path = tmp_path / name
        while True:
            model.save(path)
            assert kind.load(path).n_samples_seen_ >= 40
            next(loaded)
            yield

    def keep():
        while True:
            again = kind.from_bytes(model.to_bytes())
            assert again.partial_fit(rows).to_bytes()
            next(loaded)
            yield

    def copies():
        while True:
            assert clone(model).get_params().keys() == unfitted.get_params().keys()
            yield

    def set_parameters():
        for turn in itertools.count():
            model.set_params(compute_labels=turn % 2 == 0)
            model.refresh()
            time.sleep(0.001)
            yield

    def run_until(steps):
        while time.monotonic() < until:
            next(steps)

    writers = [*map(learn, range(3)), save("a"), save("b"), keep(), set_parameters()]
    run_all(*(partial(run_until, steps) for steps in (*writers, predict(), predict(), copies())))
    assert next(loaded) > 10


def test_setting_changed_by_another_thread_keeps_files_valid(tmp_path):
    """Learning refuses the change; the file has the setting that the learner started with."""
    model, until = PHIDAPlus(max_nodes=40).fit(blobs(100)), time.monotonic() + 1.0

    def change():
        for nodes in itertools.cycle((40, 50, 60)):
            if time.monotonic() > until:
                return
            model.set_params(max_nodes=nodes)

    def save():
        while time.monotonic() < until:
            model.save(tmp_path / "m")
            assert PHIDAPlus.load(tmp_path / "m").max_nodes == 40

    run_all(change, save)
