"""Numbers in texts equal those of the tables."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "docs" / "benchmark").exists(), reason="an sdist has no tables to compare with"
)


@pytest.fixture(scope="module")
def claims():
    pytest.importorskip("pandas")
    return runpy.run_path(str(ROOT / "tools" / "claims.py"))


def test_texts_have_the_numbers_of_the_tables(claims):
    for name in claims["TEXTS"]:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert len(claims["CLAIM"].findall(text)) > 3, name
        assert text.count("<!-- claim:") == text.count("<!-- end -->") == len(claims["CLAIM"].findall(text)), name
        assert claims["filled"](text) == text, f"{name} has numbers that its tables do not; run: python tools/claims.py"


def test_outdated_number_is_found_and_filled_in(claims):
    right = claims["filled"]("We have <!-- claim: shapes count -->7<!-- end --> data sets.")
    assert right == "We have <!-- claim: shapes count -->81<!-- end --> data sets."


def test_claim_without_a_table_is_an_error(claims):
    with pytest.raises(KeyError):
        claims["filled"]("<!-- claim: shapes ari shuffled NoSuchSystem -->1.00<!-- end -->")
    with pytest.raises(KeyError):
        claims["filled"]("<!-- claim: weather today -->fine<!-- end -->")


def test_claims_never_start_a_line(claims):
    """A comment at the start of a line would end the paragraph."""
    for name in claims["TEXTS"]:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.lstrip().startswith("<!-- claim:") and "table" not in line] == []
