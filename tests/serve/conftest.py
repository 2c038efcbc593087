"""A stream that has been learned, for whoever only asks about it."""

import pytest
from serve_data import as_csv, learned


@pytest.fixture(scope="session")
def rows_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "rows.csv"
    path.write_text(as_csv())
    return path


@pytest.fixture(scope="module")
def ended(rows_file):
    """A client, and the stream behind it."""
    with learned(rows_file) as found:
        yield found


@pytest.fixture
def client(ended):
    return ended[0]


@pytest.fixture
def live(ended):
    return ended[1]
