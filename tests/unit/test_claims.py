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


def test_claims_never_start_a_line(claims):
    """A comment at the start of a line would end the paragraph."""
    for name in claims["TEXTS"]:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.lstrip().startswith("<!-- claim:") and "table" not in line] == []
