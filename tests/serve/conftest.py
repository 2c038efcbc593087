"""A learned stream for tests that only read."""

import pytest
from serve_data import as_csv, learned
from states import stream_model

from phida import PHIDAPlus


@pytest.fixture(scope="session")
def rows_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "rows.csv"
    path.write_text(as_csv())
    return path


@pytest.fixture(scope="module")
def method():
    """Return the estimator for the stream; a module may override it."""
    return PHIDAPlus


@pytest.fixture(scope="module")
def ended(rows_file, method):
    """Return a client, and the stream that it reads."""
    with learned(rows_file, model=stream_model(method(compute_labels=False))) as found:
        yield found


@pytest.fixture
def client(ended):
    return ended[0]


@pytest.fixture
def live(ended):
    return ended[1]
