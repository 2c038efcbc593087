"""ReleasedPHIDA is an estimator like PHIDA, with other results."""

import numpy as np
import pytest
from data import blobs, drifting
from sklearn.utils.estimator_checks import parametrize_with_checks
from states import assert_same_state, differences, state_of

from phida import PHIDA
from phida_bench import ReleasedPHIDA


@parametrize_with_checks([ReleasedPHIDA()])
def test_estimator(estimator, check):
    check(estimator)


def test_parameters_are_those_of_phida():
    assert ReleasedPHIDA().get_params() == PHIDA().get_params()


@pytest.mark.parametrize("stream", [blobs(), drifting()], ids=["blobs", "drifting"])
def test_chunks_give_the_same_state_as_one_call(stream):
    chunks = ReleasedPHIDA()
    for part in np.array_split(stream, 7):
        chunks.partial_fit(part)
    assert_same_state(chunks, ReleasedPHIDA().partial_fit(stream))


def test_saved_model_is_loaded_only_as_its_own_class(tmp_path):
    model = ReleasedPHIDA().fit(drifting())
    model.save(tmp_path / "model.safetensors")
    assert_same_state(ReleasedPHIDA.load(tmp_path / "model.safetensors"), model)
    with pytest.raises(ValueError, match=r"phida_bench\.ReleasedPHIDA"):
        PHIDA.load(tmp_path / "model.safetensors")


def test_nodes_differ_from_phida():
    assert differences(state_of(ReleasedPHIDA().fit(drifting())), state_of(PHIDA().fit(drifting())))
