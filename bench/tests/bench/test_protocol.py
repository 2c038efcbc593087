"""The two settings, as the protocol defines them."""

import hashlib

import numpy as np

from phida_bench.protocol import stages

Y = np.repeat([0, 1, 2], [5, 7, 4])


def test_stationary_order_is_the_legacy_permutation_of_the_seed():
    np.random.seed(3)
    expected = np.random.permutation(len(Y))
    (rows,) = stages("stationary", Y, "Any", 3)
    assert rows.tolist() == expected.tolist()


def test_without_a_seed_rows_and_classes_keep_their_order():
    (rows,) = stages("stationary", Y, "Any", None)
    assert rows.tolist() == list(range(len(Y)))
    assert [Y[rows[0]] for rows in stages("nonstationary", Y, "Any", None)] == [0, 1, 2]


def test_nonstationary_order_is_class_by_class_in_an_order_of_the_seed():
    np.random.seed(5)
    order = np.random.permutation(3)
    found = stages("nonstationary", Y, "Name", 5)
    assert [set(Y[rows]) for rows in found] == [{c} for c in order]
    assert sorted(np.concatenate(found)) == list(range(len(Y)))


def test_order_within_a_class_depends_only_on_the_spelling():
    seed = int.from_bytes(hashlib.sha256(b"Name::0").digest()[:4], "little")
    rng = np.random.RandomState(seed)
    expected = {c: rng.permutation(np.flatnonzero(c == Y)).tolist() for c in range(3)}
    for trial in range(4):
        for rows in stages("nonstationary", Y, "Name", trial):
            assert rows.tolist() == expected[Y[rows[0]]]
    other = stages("nonstationary", Y, "name", 0)
    assert any(rows.tolist() != expected[Y[rows[0]]] for rows in other)
