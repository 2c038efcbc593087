"""ARI and AMI compared with scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida._agreement import adjusted_mutual_information, adjusted_rand, contingency

labels = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, n, elements=st.integers(-1, 8)), arrays(np.int64, n, elements=st.integers(0, 5))
    )
)


@given(labels)
def test_both_scores_equal_scikit_learns(pair):
    a, b = pair
    table = contingency(a, b)
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)
    assert adjusted_mutual_information(table) == pytest.approx(adjusted_mutual_info_score(a, b), abs=1e-9)


@pytest.mark.parametrize(("n", "classes", "clusters"), [(20_000, 26, 300), (60_000, 2, 900), (5_000, 7, 5_000)])
def test_large_tables_are_exact_without_their_tails(n, classes, clusters):
    rng = np.random.default_rng(0)
    a = rng.integers(0, classes, n)
    b = np.where(rng.random(n) < 0.5, a, rng.integers(0, clusters, n))
    table = contingency(a, b)
    assert adjusted_mutual_information(table) == pytest.approx(adjusted_mutual_info_score(a, b), abs=1e-9)
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)


def test_distant_label_values_need_no_large_table():
    assert contingency(np.array([0, 10**12, 0]), np.array([-(10**12), 5, 5])).tolist() == [[1, 1], [0, 1]]
