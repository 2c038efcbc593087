"""local_update and apply_updates: what is counted apart is taken in once, in order, to the bit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from kinds import each_estimator
from sklearn.base import clone
from states import assert_same_state, differences, state_of

from phida import PHIDA, PHIDAPlus, _core
from phida.distributed import LocalUpdate, fit_partitions, partial_fit_partitions, rounds
from phida_bench import ReleasedPHIDA


def blobs(n, d=4, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, d))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, d))


@pytest.fixture(params=[PHIDA, PHIDAPlus], ids=lambda estimator: estimator.__name__)
def model(request):
    return request.param(compute_labels=False).partial_fit(blobs(1500))


@pytest.fixture
def plus():
    return PHIDAPlus(compute_labels=False).partial_fit(blobs(1500))


def copied(model):
    return pickle.loads(pickle.dumps(model))


def updates_of(model, parts):
    return [model.local_update(rows, partition=p, n_partitions=len(parts)) for p, rows in enumerate(parts)]


def test_rows_are_counted_or_carried_and_the_model_stands_still(model):
    before = copied(model)
    update = model.local_update(blobs(1000, seed=1))
    assert update.n_rows == 1000 and update.n_counted > 500
    assert_same_state(model, before)


def test_apply_learns_every_row_once(model):
    parts = np.array_split(blobs(2000, seed=1), 4)
    support = state_of(model)["stream_count"]
    model.apply_updates(updates_of(model, parts))
    assert model.n_samples_seen_ == 3500
    assert state_of(model)["stream_count"] == support + 2000


def test_the_streams_moments_are_those_of_all_rows(model):
    more = blobs(2000, seed=1)
    model.apply_updates(updates_of(model, np.array_split(more, 3)))
    everything = np.concatenate([blobs(1500), more])
    np.testing.assert_allclose(model.moments_.mean, everything.mean(axis=0))
    np.testing.assert_allclose(model.moments_.deviation, everything.std(axis=0, ddof=1))


def test_the_same_partitions_in_the_same_order_give_the_same_bits(model):
    parts = np.array_split(blobs(2000, seed=1), 4)
    other = copied(model)
    model.apply_updates(updates_of(model, parts))
    # Made in another order, elsewhere, and sent as bytes.
    made = {p: copied(other).local_update(parts[p], partition=p, n_partitions=4).to_bytes() for p in (2, 0, 3, 1)}
    other.apply_updates(LocalUpdate.from_bytes(made[p]) for p in range(4))
    assert_same_state(model, other)


def test_the_order_of_partitions_counts(model):
    updates = updates_of(model, np.array_split(blobs(2000, seed=1), 2))
    other = copied(model)
    model.apply_updates(updates)
    other.apply_updates(updates[::-1])
    assert state_of(model)["samples"].tobytes() != state_of(other)["samples"].tobytes()


def test_updates_are_sent_without_what_is_not_read(model):
    parts = np.array_split(blobs(6000, seed=1), 3)
    whole, other = updates_of(model, parts), copied(model)
    sent = [update.for_sending(n_updates=3, last=p == 2) for p, update in enumerate(whole)]
    assert [len(update.columns["samples"]) for update in sent] == [0, 0, len(whole[2].columns["samples"])]
    assert [len(update.columns["margins"]) for update in sent] == [1024 // 3] * 3
    assert all(len(a.to_bytes()) < len(b.to_bytes()) for a, b in zip(sent, whole, strict=True))
    model.apply_updates(whole)
    other.apply_updates(LocalUpdate.from_bytes(update.to_bytes()) for update in sent)
    assert_same_state(model, other)


def test_a_last_update_without_its_window_is_refused(model):
    update = model.local_update(blobs(500, seed=1)).for_sending(n_updates=1, last=False)
    before = copied(model)
    with pytest.raises(ValueError, match="no window of the vigilance"):
        model.apply_updates([update])
    assert_same_state(model, before)


def test_an_update_is_taken_once(model):
    updates = updates_of(model, [blobs(500, seed=1)])
    model.apply_updates(updates)
    after = copied(model)
    with pytest.raises(ValueError, match="another state of the model"):
        model.apply_updates(updates)
    assert_same_state(model, after)


def test_learning_goes_on_after_it_as_after_loading(model, tmp_path):
    model.apply_updates(updates_of(model, [blobs(2000, seed=1)]))
    model.save(tmp_path / "m.safetensors")
    loaded = type(model).load(tmp_path / "m.safetensors")
    more = blobs(1000, seed=2)
    assert_same_state(model.partial_fit(more), loaded.partial_fit(more))


@pytest.mark.parametrize(
    "model",
    [
        ReleasedPHIDA(compute_labels=False),
        PHIDAPlus(compute_labels=False, level="parts"),
        PHIDAPlus(compute_labels=False, max_nodes=12),
        PHIDAPlus(compute_labels=False, half_life=300.0),
    ],
    ids=str,
)
def test_every_kind_of_model_learns_from_updates(model, tmp_path):
    model = clone(model).partial_fit(blobs(1000))
    for seed in range(1, 4):
        model.apply_updates(updates_of(model, np.array_split(blobs(1000, seed=seed), 3)))
    model.save(tmp_path / "m.safetensors")
    loaded = type(model).load(tmp_path / "m.safetensors")
    more = blobs(500, seed=9)
    assert_same_state(model.partial_fit(more), loaded.partial_fit(more))
    assert model.n_nodes_ <= (model.get_params().get("max_nodes") or 10**6)
    assert model.n_clusters_ >= 1


def test_margins_of_all_rows_are_kept_for_novelty(model):
    model.apply_updates(updates_of(model, [blobs(3000, seed=1)]))
    usual = blobs(500, seed=2)
    assert np.median(model.score_samples(usual)) > 0.2
    assert (model.score_samples(usual + 100.0) < 0.01).all()


def test_clusters_have_ids_and_events_as_in_ordinary_learning(model, tmp_path):
    known, told = [e.number for e in model.lineage_], []
    model.on_event(told.append)
    for seed in range(1, 4):
        shifted = blobs(1500, seed=seed) + 25.0 * seed * np.eye(4)[2]  # five groups more
        model.apply_updates(updates_of(model, np.array_split(shifted, 3)))
    model.refresh()
    assert told and [e.number for e in model.lineage_] == known + [e.number for e in told]
    assert all(1500 < e.sample <= 6000 for e in told)
    assert [e.sample for e in told] == sorted(e.sample for e in told)
    assert model.history_.sample[-1] == 6000
    state = state_of(model)
    assert set(state["cluster_id"]) - {-1} == set(state["living_id"]) == set(model.cluster_ids_)
    born = {i for e in model.lineage_ for i in e.after}
    assert set(model.cluster_ids_) <= born
    model.save(tmp_path / "m.safetensors")
    loaded = type(model).load(tmp_path / "m.safetensors")
    more = np.array_split(blobs(1000, seed=7), 2)
    assert_same_state(model.apply_updates(updates_of(model, more)), loaded.apply_updates(updates_of(loaded, more)))
    assert list(model.lineage_) == list(loaded.lineage_)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("node", np.array([10**6], dtype=np.int32)),
        ("count", np.array([-1.0])),
        ("mean", np.full((1, 4), np.nan)),
        ("counted", 3.5),
        ("threshold", np.ones(3)),
        ("interval", 0),
        ("samples", np.full((1, 4), np.inf)),
        ("rest", np.zeros((2, 3))),
    ],
)
def test_an_update_that_makes_no_sense_is_refused(model, name, value):
    update = model.local_update(blobs(300, seed=1))
    before = copied(model)
    with pytest.raises(ValueError, match=r"update|state|'\w+' "):
        model.apply_updates([LocalUpdate({**update.columns, name: value})])
    assert_same_state(model, before)


def test_labels_stay_where_an_update_is_refused():
    model = PHIDA().partial_fit(blobs(500))
    with pytest.raises(ValueError, match="another state"):
        model.apply_updates(PHIDA().partial_fit(blobs(400)).local_update(blobs(50)) for _ in range(1))
    assert len(model.labels_) == 500
    model.apply_updates([model.local_update(blobs(50, seed=1))])
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize(("partition", "n_partitions"), [(0, 0), (0, -1), (2, 2), (-1, 2), (0.5, 2)])
def test_partitions_that_are_not_there_are_refused(model, partition, n_partitions):
    with pytest.raises(ValueError, match="partition must be 0 or more and below"):
        model.local_update(blobs(10), partition=partition, n_partitions=n_partitions)


def test_what_is_no_update_is_refused(model):
    update = model.local_update(blobs(10))
    with pytest.raises(TypeError, match=r"update 1 is of type bytes.*from_bytes"):
        model.apply_updates([update, update.to_bytes()])
    with pytest.raises(TypeError, match="a list of updates"):
        model.apply_updates(update)


def test_parameters_that_changed_are_refused_as_in_ordinary_learning(plus):
    model = plus
    update = model.local_update(blobs(10))
    model.set_params(half_life=10.0)
    for work in (lambda: model.local_update(blobs(10)), lambda: model.apply_updates([update])):
        with pytest.raises(ValueError, match="half_life was changed from None"):
            work()
    model.set_params(half_life=-1.0)
    with pytest.raises(ValueError, match="half_life"):
        model.apply_updates([update])
    assert model.set_params(half_life=None).apply_updates([update]).n_samples_seen_ == 1510


def test_bytes_that_are_no_update_are_refused():
    with pytest.raises(ValueError, match="do not hold a local update"):
        LocalUpdate.from_bytes(b"nothing of the kind")


@pytest.mark.parametrize("sizes", [[10], [100, 0, 7], [1000, 900, 3], [], [0]])
def test_rounds_take_every_row_once_and_grow(sizes):
    taken = [0] * len(sizes)
    lengths = []
    for slices in rounds(0, sizes):
        for p, (begin, end) in enumerate(slices):
            assert begin == taken[p] <= end
            taken[p] = end
        lengths.append(sum(end - begin for begin, end in slices))
    assert taken == sizes
    for k, length in enumerate(lengths):
        assert length <= max(64, 0.5 * sum(lengths[:k]))


@each_estimator
def test_partitions_of_frames_are_those_of_matrices(estimator):
    parts = np.array_split(blobs(3000), 4)
    frames = [pd.DataFrame(rows, columns=list("abcd")) for rows in parts]
    one, other = fit_partitions(parts, estimator=estimator), fit_partitions(frames, estimator=estimator)
    assert type(one) is type(other) is estimator
    assert_same_state(one, other)
    assert other.feature_names_in_.tolist() == list("abcd")


@each_estimator
def test_batches_go_on_from_each_other(estimator):
    first, second = blobs(2000), blobs(2000, seed=1)
    model = estimator(compute_labels=False)
    for batch in (first, second):
        partial_fit_partitions(model, np.array_split(batch, 4))
    assert model.n_samples_seen_ == 4000
    again = estimator(compute_labels=False)
    for batch in (first, second):
        partial_fit_partitions(again, np.array_split(batch, 4))
    assert_same_state(model, again)


def test_another_seed_draws_another_sample():
    parts = np.array_split(blobs(3000), 4)
    one, other = fit_partitions(parts), fit_partitions(parts, random_state=1)
    assert state_of(one)["representative"].tobytes() != state_of(other)["representative"].tobytes()


def test_pairs_are_counted_where_the_rows_are(plus):
    X = blobs(800, seed=1)
    before = pair_counts(state_of(plus)).sum()
    update = plus.local_update(X)
    assert update.columns["pair_count"].sum() == update.n_counted > 0
    plus.apply_updates([update])
    after = pair_counts(state_of(plus)).sum()
    # The rows that it carries are learned in order; some of them make nodes.
    assert before + update.n_counted <= after <= before + len(X)
    assert plus.n_parts_ >= 1


def test_counts_of_nodes_that_are_not_there_are_refused(plus):
    update = plus.local_update(blobs(800, seed=1))
    columns = dict(update.columns)
    columns["pair_winner"] = columns["pair_winner"] + 10_000
    with pytest.raises(ValueError, match="pair_winner"):
        plus.apply_updates([LocalUpdate(columns)])


def test_an_update_of_the_other_method_is_refused(plus):
    for one, other in ((plus, PHIDA()), (PHIDA().partial_fit(blobs(1500)), PHIDAPlus())):
        update = dict(one.local_update(blobs(800, seed=1)).columns)
        other.partial_fit(blobs(1500))
        update |= {name: other.local_update(blobs(1)).columns[name] for name in ("n_seen", "n_created", "n_nodes")}
        before = copied(other)
        with pytest.raises(ValueError, match=r"update|'\w+' "):
            other.apply_updates([LocalUpdate(update)])
        assert_same_state(other, before)


def pair_counts(columns, n=2000):
    """Samples by winner and runner-up; on the diagonal those whose runner-up is gone."""
    counts = np.zeros((n, n), dtype=np.int64)
    counts[columns["pair_winner"], columns["pair_runner_up"]] = columns["pair_count"]
    return counts + np.diag(np.pad(columns["pair_unpaired"], (0, n - len(columns["pair_unpaired"]))))


def pair_offsets(columns, n=2000):
    offsets = np.zeros((n, n))
    offsets[columns["pair_winner"], columns["pair_runner_up"]] = columns["pair_offset"]
    return offsets


def test_sums_of_partitions_add_up():
    learner = _core.Learner(4, plus=True, remove=False)  # nodes that go would move counts
    learner.learn(blobs(1500))
    parts = [learner.local_update(rows, 4, i) for i, rows in enumerate(np.split(blobs(900, seed=1), 3))]
    everything = [learner.__getstate__(), *parts]
    expected = sum(pair_counts(columns) for columns in everything)
    offsets = sum(pair_offsets(columns) for columns in everything)
    carried = sum(len(part["rest"]) for part in parts)
    assert carried < 600
    learner.apply(parts)
    after = learner.__getstate__()
    more = pair_counts(after) - expected
    assert (more >= 0).all() and 0 < more.sum() <= carried
    # Where no row that was carried came on top, offsets are plain sums, too.
    np.testing.assert_allclose(pair_offsets(after)[more == 0], offsets[more == 0], rtol=1e-12)


def test_far_samples_of_partitions_add_up(plus):
    parts = np.array_split(np.vstack([blobs(600, seed=1), 40 + blobs(30, seed=2)]), 3)
    updates, before = updates_of(plus, parts), state_of(plus)
    far = sum(update.columns["n_far"] - before["n_far"] for update in updates)
    moved = sum(update.columns["log_theta"] - before["log_theta"] for update in updates)
    plus.apply_updates(updates)
    after = state_of(plus)
    assert far > 0 and after["n_far"] == before["n_far"] + far
    np.testing.assert_allclose(after["log_theta"], before["log_theta"] + moved, rtol=1e-12)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"rest": lambda rest: rest * 1e200},
        {"mean": lambda mean: mean + 1e300},
        {"counted_mean": lambda mean: mean + 1e300},
        {"m2": lambda m2: m2 - 1e6},
        {"counted_m2": lambda m2: m2 - 1e9},
        {"count": lambda count: count * 0},
        {"count": lambda count: count + 2.0**52},
        {"pull": lambda pull: pull + 1e300},
        {"vigilance": lambda threshold: 5.0},
        {"interval": lambda interval: 10**15},
        {"samples_kept": lambda kept: 10**15},
    ],
    ids=lambda nonsense: next(iter(nonsense)),
)
def test_numbers_that_make_no_sense_are_refused_and_change_nothing(model, nonsense):
    before = state_of(model)
    columns = dict(model.local_update(blobs(800, seed=1)).columns)
    ((name, spoil),) = nonsense.items()
    columns[name] = spoil(columns[name])
    with pytest.raises(ValueError, match=r"update|state|'\w+' "):
        model.apply_updates([LocalUpdate(columns)])
    assert differences(before, state_of(model)) == []
