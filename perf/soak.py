"""A long stream through ``phida stream``: checks for constant memory, constant throughput, and no loss after kills.

``endless`` prints memory and cost ten times along the way. ``killed`` kills the run with -9 at random moments, resumes
it, and compares it with an uninterrupted run.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from phida import PHIDA

WIDTH, CENTERS, BATCH = 4, 6, 1000
NAMES = "abcd"
CHECKPOINTS = 100_000


def block(number):
    """Return the number-th thousand rows of a fixed mixture, always the same."""
    random_numbers = np.random.default_rng(number)
    centers = np.random.default_rng(0).uniform(-10, 10, size=(CENTERS, WIDTH))
    rows = centers[random_numbers.integers(CENTERS, size=BATCH)] + random_numbers.normal(size=(BATCH, WIDTH))
    return np.round(rows, 4)


def text(rows):
    return "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows.tolist())


def stream(*words, **pipes):
    command = [sys.executable, "-m", "phida", "stream", *map(str, words), "--batch", str(BATCH)]
    return subprocess.Popen(command, **pipes)


def endless(rows, folder):
    words = ("-", "--quiet", "--checkpoint", folder / "state", "--every", CHECKPOINTS, "--output", folder / "out.csv")
    process = stream(*words, stdin=subprocess.PIPE)
    watched = psutil.Process(process.pid)

    def feed():
        process.stdin.write((",".join(NAMES) + "\n").encode())
        for number in range(rows // BATCH):
            process.stdin.write(text(block(number)).encode())
        process.stdin.close()

    threading.Thread(target=feed, daemon=True).start()
    state, step = folder / "state" / "model.safetensors", rows // 10
    print("| rows | MiB resident | seconds of processor per million rows | nodes |\n|---|---|---|---|", flush=True)
    done, before = 0, 0.0
    while process.poll() is None:
        time.sleep(1.0)
        try:
            model = PHIDA.load(state)
            memory, times = watched.memory_info().rss / 2**20, watched.cpu_times()
        except (OSError, psutil.NoSuchProcess):
            continue
        spent = times.user + times.system
        if model.n_samples_seen_ - done >= step:
            rate = (spent - before) / (model.n_samples_seen_ - done) * 1e6
            print(f"| {model.n_samples_seen_:,} | {memory:.0f} | {rate:.1f} | {model.n_nodes_} |", flush=True)
            done, before = model.n_samples_seen_, spent
    with open(folder / "out.csv") as file:
        last = sum(1 for _ in file) - 1
    print(f"\nended with code {process.returncode}; {last:,} rows labelled", flush=True)


def killed(kills, folder, rows=400_000):
    data = folder / "rows.csv"
    with data.open("w") as file:
        file.write(",".join(NAMES) + "\n")
        for number in range(rows // BATCH):
            file.write(text(block(number)))

    def words(name):
        out = (data, "--quiet", "--output", folder / f"{name}.csv")
        return (*out, "--checkpoint", folder / name, "--every", 2000, "--resume")

    assert stream(*words("whole")).wait() == 0
    delays, state, done = random.Random(1), folder / "parts" / "model.safetensors", 0
    while done < kills:
        process = stream(*words("parts"))
        before = state.stat().st_mtime_ns if state.exists() else 0
        while process.poll() is None and (state.stat().st_mtime_ns if state.exists() else 0) == before:
            time.sleep(0.001)
        time.sleep(delays.uniform(0, 0.05))
        process.kill()
        if process.wait() == 0:
            break
        done += 1
    assert stream(*words("parts")).wait() == 0
    whole, parts = (folder / f"{name}.csv" for name in ("whole", "parts"))
    same_rows = whole.read_bytes() == parts.read_bytes()
    one, other = (PHIDA.load(folder / name / "model.safetensors") for name in ("whole", "parts"))
    a, b = one._model.learner.__getstate__(), other._model.learner.__getstate__()
    same_model = all(np.asarray(a[name]).tobytes() == np.asarray(b[name]).tobytes() for name in a)
    print(f"{done} kills; labelled rows equal to the byte: {same_rows}; models equal to the bit: {same_model}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["endless", "killed"])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--kills", type=int, default=50)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.what == "endless":
            endless(chosen.rows, Path(folder))
        else:
            killed(chosen.kills, Path(folder))


if __name__ == "__main__":
    main()
