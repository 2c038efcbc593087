"""Instructions per row on fixed workloads, counted by callgrind: independent of noise.

``python perf/instructions.py build/perf/phida_perf`` counts and compares with the recorded figures; ``--record``
updates them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

RECORD = Path(__file__).with_name("instructions.json")
WORKLOADS = {"few features": (20000, 4), "some": (10000, 16), "many": (2000, 256)}


def count(program: str, rows: int, features: int, level: str) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "learn"]
    run = subprocess.run(
        [*command, str(rows), str(features)],
        env=os.environ | {"PHIDA_SIMD": level},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", run.stderr)
    assert found, run.stderr
    return int(found[1])


def main(program: str, record: bool) -> None:
    known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    now: dict[str, int] = {}
    for name, (rows, features) in WORKLOADS.items():
        for level in ("avx2", "baseline"):
            key = f"{name}, {level}"
            now[key] = round(count(program, rows, features, level) / rows)
            change = f"{100 * (now[key] / known[key] - 1):+.1f} %" if key in known else "new"
            print(f"{key:24} {rows} x {features}: {now[key]:8} instructions per row ({change})", flush=True)
    if record:
        RECORD.write_text(json.dumps(now, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], "--record" in sys.argv)
