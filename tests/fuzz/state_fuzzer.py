"""Feed damaged model files and states to phida, in processes that may crash.

``python tests/fuzz/state_fuzzer.py --cases 50000``, which ``make fuzz`` runs, prints how many cases failed. A case is a
number: ``--first 1234 --cases 1`` repeats one. Required of each case:

- Loading raises ``StateFileError`` and nothing else, or the model learns, predicts, and saves a file that loads.
  If a counter has passed its limit, saving is refused instead.
- No signal, no hang, and no allocation of more than 512 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data import drifting
from state_mutations import mutated, mutated_header
from states import learner_with, parameters_in_file, state_of
from waiting import PATIENCE

from phida import PHIDA, PHIDAPlus, StateFileError, _core, state_file
from phida._safetensors import metadata_of, packed
from phida.preprocessing import TableEncoder

MEMORY = 512 * 2**20
SECONDS = 30
STORED = [np.dtype(name) for name in ("<f8", "<f4", "<i8", "<i4", "u1", "bool")]
READ = ("nodes_", "graph_", "hierarchy_", "persistence_", "assignment_view_", "cut_clarity_", "lineage_", "history_")
BAD = ("crash", "hang", "memory", "wrong")


class Cases:
    """Valid models that cases start from, and one run per case."""

    def __init__(self) -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        self.rows = drifting(90)
        self.far = np.where(np.random.default_rng(1).random((12, 3)) < 0.5, -1e140, 1e140)
        self.models = [
            PHIDA().partial_fit(self.rows[:60]),
            PHIDA().partial_fit(self.rows[:3]),
            PHIDA().fit(self.rows),
            PHIDA(compute_labels=False).partial_fit(np.repeat(self.rows[:9], 90, axis=1)),
            PHIDAPlus().partial_fit(self.rows[:60]),
            PHIDAPlus(scale="standard").fit(self.rows, sample_weight=np.arange(1.0, 91.0)),
            PHIDAPlus(max_nodes=8, half_life=40.0).partial_fit(self.rows),
            PHIDA().fit(self.rows * [1.0, 1e-200, 1e-300]),
            PHIDAPlus(scale="standard").fit(self.rows * [1e-300, 1e-160, 1e130]),
            PHIDAPlus(missing="median").fit(np.where(self.rows > 2.0, np.nan, self.rows)),
        ]
        encoder = TableEncoder(categories={"x2": 2.0})
        table = np.column_stack([self.rows[:, :2], np.arange(90) % 4])
        self.models.append(PHIDAPlus(scale=None).fit(encoder.fit_transform(table)))
        self.contents = [*(model.to_bytes() for model in self.models[:-1]), self.models[-1].to_bytes(encoder=encoder)]
        self.states = [state_of(model) for model in self.models]
        self.released = []
        for n in (4, 60):
            learner = _core.Learner(3, released=True)
            learner.learn(self.rows[:n])
            self.released.append(learner.__getstate__())

    def run(self, number: int) -> str:
        """Return the outcome of a case: 'refused', 'loaded', 'memory', or 'wrong' with the reason."""
        rng = np.random.default_rng(number)
        kind = rng.choice(["file", "file", "file", "header", "preparation", "bytes", "learner"])
        try:
            return str(getattr(self, kind)(rng))
        except MemoryError:
            return "memory"
        except OverflowError as error:
            return "full" if "2^53" in str(error) else f"wrong {kind}: {error}"
        except Exception as error:
            if "cannot be saved" in str(error) and re.search("'(node|living|candidate)_", str(error)):
                return "full"  # a counter exceeds its limit
            return f"wrong {kind}: {type(error).__name__}: {error}"[:400].replace("\n", " ")

    def file(self, rng: np.random.Generator) -> str:
        at = rng.integers(len(self.models))
        model, state = self.models[at], mutated(self.states[at], rng)
        arrays = {name: np.ascontiguousarray(v) for name, v in state.items() if isinstance(v, np.ndarray)}
        n_seen = state.get("n_seen") if rng.random() < 0.95 else 60
        numbers = {name: value for name, value in state.items() if name not in arrays}
        values = {"library_version": "0", "params": parameters_in_file(model), "feature_names": None,
                  "stream_position": None,
                  "n_seen": None if isinstance(n_seen, np.ndarray) else n_seen, "state": numbers}  # fmt: skip
        header = {name: json.dumps(value) for name, value in values.items()}
        return self.load(at, signed(header, arrays), rng)

    def preparation(self, rng: np.random.Generator) -> str:
        at = len(self.models) - 1 - rng.integers(2)  # the models with an imputer and with an encoder
        header = dict(metadata_of(self.contents[at]))
        del header["sha256"]
        header["preparation"] = json.dumps(changed(json.loads(header["preparation"]), rng))
        arrays = {name: v for name, v in self.states[at].items() if isinstance(v, np.ndarray)}
        return self.load(at, signed(header, arrays, complete=False), rng)

    def header(self, rng: np.random.Generator) -> str:
        at = rng.integers(len(self.models))
        content = self.contents[at]
        end = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:end])["__metadata__"]
        del header["sha256"]
        arrays = {name: v for name, v in self.states[at].items() if isinstance(v, np.ndarray)}
        return self.load(at, signed(mutated_header(header, rng), arrays, complete=False), rng)

    def bytes(self, rng: np.random.Generator) -> str:
        at = rng.integers(len(self.models))
        content = bytearray(self.contents[at])
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            content[place] = rng.integers(256)
        cut = len(content) if rng.random() < 0.7 else rng.integers(len(content))
        return self.load(at, bytes(content[:cut]), rng)

    def load(self, at: int, content: bytes, rng: np.random.Generator) -> str:
        kind = type(self.models[at])
        try:
            model = kind.from_bytes(content)
        except StateFileError:
            return "refused"
        return self.use(model, rng)

    def use(self, model: PHIDA | PHIDAPlus, rng: np.random.Generator) -> str:
        rows = np.resize(self.far if rng.random() < 0.2 else self.rows[:30], (30, model.n_features_in_))
        self.reload(model)
        try:
            model.partial_fit(rows)
            if rng.random() < 0.5:
                model.refresh()
        finally:  # also if the file claims the maximum number of rows, and learning raises
            self.reload(model)
        labels = model.predict(rows)
        assert labels.min() >= 0 and labels.max() < model.n_clusters_
        for name in READ:
            getattr(model, name)
        model.score_samples(rows[:3])
        str(model.explain(rows[0], rows[-1]))
        assert not np.isnan(model.transform(rows[:3])).any()
        again = self.reload(model)
        assert again.predict(rows).tolist() == labels.tolist()
        assert again.partial_fit(rows).to_bytes() == model.partial_fit(rows).to_bytes()
        return "loaded"

    def reload(self, model: PHIDA | PHIDAPlus) -> PHIDA | PHIDAPlus:
        """Save and load the model: whatever loads must also save."""
        content = model.to_bytes()
        again = type(model).from_bytes(content)
        assert again.to_bytes() == content
        return again

    def learner(self, rng: np.random.Generator) -> str:
        """Run a case on a native state, also of the published rule, which no file has."""
        states = [*self.released, self.states[0], self.states[-1]]
        state = states[rng.integers(len(states))]
        try:
            learner = learner_with(mutated(state, rng))
        except ValueError:
            return "refused"
        rows = np.resize(self.rows, (40, learner.n_features))
        learner_with(learner.__getstate__())
        try:
            learner.learn(rows)
            learner.end_learning()
        finally:
            learner_with(learner.__getstate__())
        if learner.__getstate__().get("mapping", True):
            learner.reading().assign(rows)
        learner_with(learner.__getstate__()).learn(rows)
        return "loaded"


def changed(plain: object, rng: np.random.Generator) -> object:
    """Return plain values, of which about one in ten is changed, removed or doubled."""
    if rng.random() < 0.02:
        return [None, -1, 1e300, float("nan"), "", "number", [], {}, 2**70, True][rng.integers(10)]
    if isinstance(plain, list):
        return [changed(value, rng) for value in plain for _ in range(rng.choice([0, 1, 2], p=[0.01, 0.98, 0.01]))]
    if isinstance(plain, dict):
        return {name: changed(value, rng) for name, value in plain.items() if rng.random() > 0.01}
    return plain


def signed(header: dict[str, str], arrays: dict[str, np.ndarray], *, complete: bool = True) -> bytes:
    """Return a file with a valid digest over any content."""
    if complete:
        header = {"format": state_file.FORMAT, "format_version": str(state_file.VERSION)} | header
    header = {name: text.encode("utf-8", "replace").decode() for name, text in header.items()}
    arrays = {name: v if v.dtype.newbyteorder("<") in STORED else v.astype(float) for name, v in arrays.items()}
    return packed(arrays, header | {"sha256": state_file._digest(header, arrays)})


def work(first: int, end: int) -> None:
    """Run cases in a process of its own; print each number before the run, and the outcome after it."""
    cases = Cases()
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if os.path.exists("/proc/self/statm") else None
    if pages is not None:
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for number in range(first, end):
        print(number, flush=True)
        print(cases.run(number), flush=True)


def run(first: int, end: int) -> tuple[Counter[str], list[str]]:
    """Run cases, in a new process after each crash; return the outcomes and the failures."""
    outcomes: Counter[str] = Counter()
    bad: list[str] = []
    while first < end:
        command = [sys.executable, __file__, "--work", "--first", str(first), "--cases", str(end - first)]
        current, what = None, "crash"
        with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
            try:
                for line in lines(process):
                    if current is None:
                        current = int(line)
                        continue
                    outcomes[line.split()[0]] += 1
                    if line.split()[0] in BAD:
                        bad.append(f"case {current}: {line}")
                    first, current = current + 1, None
            except TimeoutError:
                what = "hang"
                process.kill()
            status = process.wait()
        if first >= end:
            break
        if current is None:
            raise RuntimeError(f"the process ended with status {status} between two cases, before case {first}")
        outcomes[what] += 1
        bad.append(f"case {current}: {what} (status {status})")
        first = current + 1
    return outcomes, bad


def lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield the lines that a process writes; raise TimeoutError if one takes too long."""
    assert process.stdout is not None
    begun, limit = b"", float(PATIENCE)  # the first line comes once all models are made
    while select.select([process.stdout], [], [], limit)[0]:
        limit = SECONDS
        if not (more := os.read(process.stdout.fileno(), 1 << 16)):
            return
        *whole, begun = (begun + more).split(b"\n")
        yield from (line.decode() for line in whole)
    raise TimeoutError


def report(outcomes: Counter[str]) -> str:
    """Return the number of cases and of each kind of failure as text."""
    good = ", ".join(f"{outcomes[name]:,} {name}" for name in ("refused", "loaded", "full"))
    failures = ", ".join(f"{outcomes[name]} {name}" for name in BAD)
    return f"{sum(outcomes.values()):,} cases: {good}; {failures}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    end = options.first + options.cases
    if options.work:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        work(options.first, end)
        return 0
    outcomes, bad = run(options.first, end)
    print("\n".join([*bad, report(outcomes)]))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
