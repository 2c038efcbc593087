"""A stream that has been learned, for whoever only asks about it."""

import pytest
from serve_data import as_csv, learned

from phida import PHIDAPlus
from phida._streams.model import StreamModel


@pytest.fixture(scope="session")
def rows_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "rows.csv"
    path.write_text(as_csv())
    return path


@pytest.fixture(scope="module")
def method():
    """The estimator that learns the stream; a module may have another one."""
    return PHIDAPlus


@pytest.fixture(scope="module")
def ended(rows_file, method):
    """A client, and the stream behind it."""
    with learned(rows_file, model=StreamModel(method(compute_labels=False), None)) as found:
        yield found


@pytest.fixture
def client(ended):
    return ended[0]


@pytest.fixture
def live(ended):
    return ended[1]
