"""A failed test is named while other tests still run, so a killed run has named it."""

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

TESTS = Path(__file__).parents[1]

CODE = """
import time
from pathlib import Path

def test_that_fails():
    assert 1 == 2, "one is not two"

def test_that_waits():
    end = time.monotonic() + 120
    while not Path("go").exists() and time.monotonic() < end:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["one process", "workers"])
def test_failure_is_shown_before_the_other_tests_end(tmp_path, more):
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (tmp_path / "test_two.py").write_text(CODE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path, *more]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        shown = ""
        while "FAILED" not in shown:
            line = process.stdout.readline()
            assert line, f"pytest ended before it named the failed test:\n{shown}"
            shown += line
        assert "test_that_fails (call)" in shown and "one is not two" in shown
        assert "1 failed" not in shown
        (tmp_path / "go").touch()
        assert "1 failed, 1 passed" in process.communicate(timeout=PATIENCE)[0]
    finally:
        process.kill()
