"""Numbers in README and manual equal those of the results."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLAIMS = runpy.run_path(str(ROOT / "bench" / "claims.py"))


@pytest.mark.parametrize("name", CLAIMS["TEXTS"])
def test_numbers_in_texts_equal_results(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count("<!-- claim:") == text.count("<!-- end -->") == len(CLAIMS["CLAIM"].findall(text)) > 3
    assert CLAIMS["filled"](text) == text, f"{name} has numbers that the results do not; run: python bench/claims.py"
    outdated = CLAIMS["CLAIM"].sub(r"\1outdated\4", text)
    assert CLAIMS["filled"](outdated) == text
