"""Golden files of PHIDA+, and what a program has to offer to be compared with them.

``python -m golden.plus``, from ``tests``, writes the bundled ones anew, by the oracle. The README says when that may be
done.
"""

import json
import os
from typing import NamedTuple, Protocol

import numpy as np
from golden.files import BUNDLED, HAS_SHARED, SHARED, load, stages
from oracle.plus_learner import PlusLearner

from phida import PHIDAPlus

LEVELS = ("groups", "parts")
BUNDLED_PLUS = BUNDLED / "plus"
SHARED_PLUS = SHARED / "golden" / "plus"
HAS_SHARED_PLUS = HAS_SHARED and SHARED_PLUS.is_dir()
SETTINGS = [
    (f"sklearn_{name}", setting)
    for name in ("iris", "wine", "breast_cancer", "digits")
    for setting in ("stationary", "nonstationary")
]
SEEDS = (0, 1, 2)
#: Slow programs run larger data sets only if PHIDA_GOLDEN_ALL is set.
ALL = "PHIDA_GOLDEN_ALL" in os.environ


class PlusGolden(NamedTuple):
    dataset: str
    setting: str

    @property
    def name(self):
        return f"{self.dataset}.{self.setting}.plus"

    @property
    def folder(self):
        return BUNDLED_PLUS if self.dataset.startswith("sklearn_") else SHARED_PLUS

    def runs(self):
        """Per seed, the state after each stage, and the labels of both levels in the end."""
        return runs_in(self.folder, self.name)


def runs_in(folder, name):
    runs = json.loads((folder / f"{name}.json").read_text())["runs"]
    with np.load(folder / f"{name}.labels.npz") as labels:
        return [
            (run["seed"], run["stages"], {level: labels[f"{level}_{run['seed']}"] for level in LEVELS}) for run in runs
        ]


def plus_files():
    """Every golden file that is here."""
    folders = [BUNDLED_PLUS, SHARED_PLUS] if HAS_SHARED_PLUS else [BUNDLED_PLUS]
    names = {path.name.removesuffix(".plus.json") for folder in folders for path in folder.glob("*.plus.json")}
    return [PlusGolden(*name.split(".")) for name in sorted(names)]


class Program(Protocol):
    """A program under test. Records have the fields of the golden files."""

    slow: bool  # runs larger data sets only on request

    def learn(self, rows: np.ndarray) -> None: ...

    def end_learning(self) -> None: ...

    def stage(self) -> dict[str, int | float]:
        """The state after the end of learning."""

    def step(self) -> dict[str, int | float | None]:
        """What the last sample did, and the state after it; without the number of the step and of the row."""

    def predict(self, X: np.ndarray, level: str) -> np.ndarray: ...


class OracleProgram:
    slow = True

    def __init__(self, n_features):
        self.learner = PlusLearner()
        self.last = None

    def learn(self, rows):
        self.last = self.learner.learn_many(rows)[-1]

    def end_learning(self):
        self.learner.end_learning()
        self.reading = self.learner.read()

    def predict(self, X, level):
        return self.reading.predict(X, level)

    def stage(self):
        return self._state() | {
            "n_seen": self.learner.n_seen,
            "n_components": self.learner.n_components,
            "creations": self.learner.n_created,
            "n_view": self.reading.n_nodes,
            "n_groups": self.reading.n_groups,
            "n_parts": self.reading.n_parts,
        }

    def step(self):
        matched = self.last.winner is not None
        return self._state() | {
            "created": self.last.event == "create",
            "winner": self.last.winner if matched else -1,
            "runner_up": self.last.runner_up if matched else -1,
            "runner_up_updated": self.last.runner_up_updated,
            "tau": self.learner.tau,
        }

    def _state(self):
        learner, pairs = self.learner, self.learner.pairs
        return {
            "n_nodes": learner.n_nodes,
            "interval": learner.interval,
            "window_vigilance": learner.vigilance,
            "log_theta": learner.log_theta,
            "n_far": learner.n_far,
            "support_sum": int(learner.support.sum()),
            "pair_count": int(pairs.count.sum()),
            "pair_s1": float(pairs.s1.sum()),
            "pair_s2": float(pairs.s2.sum()),
        }


class EstimatorProgram:
    slow = False

    def __init__(self, n_features):
        self.model = PHIDAPlus(compute_labels=False)

    def learn(self, rows):
        self.model.partial_fit(rows)

    def end_learning(self):
        self.model.refresh()

    def predict(self, X, level):
        return self.model.predict(X, level=level)

    def stage(self):
        state = self.native_state()
        return self._state(state) | {
            "n_seen": self.model.n_samples_seen_,
            "n_components": self.model.n_components_,
            "creations": state["n_created"],
            "n_view": int((self.model.nodes_.cluster >= 0).sum()),
            "n_groups": self.model.n_groups_,
            "n_parts": self.model.n_parts_,
        }

    def step(self):
        state, step = self.native_state(), self.model._model.learner.last_step()
        matched = "winner" in step
        # The latest margin is by how much the winner's similarity is above the vigilance.
        margin = state["margins"][state["margins_next"] - 1] if matched else 0.0
        return self._state(state) | {
            "created": step["event"] == "create",
            "winner": step["winner"] if matched else -1,
            "runner_up": step["runner_up"] if matched else -1,
            "runner_up_updated": step.get("runner_up_updated", False),
            "tau": float(step["similarity"][0] - margin) if matched else 0.0,
        }

    def native_state(self):
        return self.model._model.learner.__getstate__()

    def _state(self, state):
        return {
            "n_nodes": len(state["support"]),
            "interval": state["interval"],
            "window_vigilance": state["vigilance"],
            "log_theta": state["log_theta"] if state["theta_present"] else None,
            "n_far": state["n_far"],
            "support_sum": int(state["support"].sum()),
            "pair_count": int(state["pair_count"].sum() + state["pair_unpaired"].sum()),
            "pair_s1": float(state["pair_offset"].sum()),
            "pair_s2": float(state["pair_offset_square"].sum()),
        }


def run(program, fed):
    """Learn the stages; the record of each, and the labels of all rows."""
    records = []
    for rows in fed:
        program.learn(rows)
        program.end_learning()
        records.append(program.stage())
    X = np.concatenate(fed)
    return records, {level: program.predict(X, level) for level in LEVELS}


def write():
    BUNDLED_PLUS.mkdir(exist_ok=True)
    for dataset, setting in SETTINGS:
        golden = PlusGolden(dataset, setting)
        X, y = load(dataset)
        runs, arrays = [], {}
        for seed in SEEDS:
            records, labels = run(OracleProgram(X.shape[1]), stages(X, y, setting, seed))
            runs.append({"seed": seed, "stages": records})
            arrays |= {f"{level}_{seed}": labels[level].astype(np.int16) for level in LEVELS}
        content = {"dataset": dataset, "setting": setting, "mode": "plus", "runs": runs}
        (BUNDLED_PLUS / f"{golden.name}.json").write_text(json.dumps(content, indent=0) + "\n")
        np.savez_compressed(BUNDLED_PLUS / f"{golden.name}.labels.npz", **arrays)
        print(golden.name, flush=True)


if __name__ == "__main__":
    write()
