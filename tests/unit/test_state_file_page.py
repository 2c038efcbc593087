"""The page on the state file lists the fields of a state, with their types and shapes."""

import re
from pathlib import Path

import numpy as np
import pytest
from data import drifting
from states import state_of

from phida import PHIDA, PHIDAPlus, _core

PAGE = (Path(__file__).parents[2] / "docs" / "state_file.md").read_text(encoding="utf-8")
X = drifting(90)


def section(title):
    return PAGE.split(f"### {title}\n", 1)[1].split("\n##", 1)[0]


def arrays(text):
    """Return the names in the tables, with type and shape."""
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|", text, flags=re.MULTILINE)
    return {name: shape for names, shape in rows for name in re.findall(r"`(\w+)`", names)}


def numbers(text):
    return set(re.findall(r"`(\w+)`", text.split("Numbers in `state`:", 1)[1].split("\n\n")[0]))


def released():
    learner = _core.Learner(3, released=True)
    learner.learn(X)
    return learner.__getstate__()


STATES = {
    "PHIDA": state_of(PHIDA().fit(X)) | released(),
    "PHIDAPlus": state_of(PHIDAPlus(max_nodes=16, keep_examples=2).fit(X)),
}


@pytest.mark.parametrize("kind", STATES)
def test_page_lists_exactly_the_fields(kind):
    own, both, state = section(f"Models of `{kind}`"), section("Ids, lineage and history of both"), STATES[kind]
    found = {name for name, value in state.items() if isinstance(value, np.ndarray)}
    assert arrays(own).keys() | arrays(both).keys() == found
    assert numbers(own) | numbers(both) == state.keys() - found


@pytest.mark.parametrize("kind", STATES)
def test_types_and_shapes_equal_the_page(kind):
    state = STATES[kind]
    listed = arrays(section(f"Models of `{kind}`")) | arrays(section("Ids, lineage and history of both"))
    for name, said in listed.items():
        types = re.findall(r"(?:float|u?int)\d+", said)
        assert not types or str(state[name].dtype) in types, (name, said, state[name].dtype)
        if (shape := re.search(r"\(([^)]*)\)", said)) is not None:
            assert state[name].ndim == 1 + shape[1].count(","), (name, said)
