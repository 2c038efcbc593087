"""Damaged model files and states, for a few seconds; ``make fuzz`` runs many more."""

import re
import subprocess
import sys
from pathlib import Path

from waiting import PATIENCE

FUZZER = Path(__file__).with_name("state_fuzzer.py")


def test_damaged_states_do_no_harm():
    command = [sys.executable, str(FUZZER), "--cases", "500"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("500 cases: ")
    refused, loaded = (int(re.search(rf"(\d+) {name}", found.stdout)[1]) for name in ("refused", "loaded"))
    assert refused > 200 and loaded > 20  # both outcomes occur
