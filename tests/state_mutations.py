"""Deliberate changes of states and files: names, types, lengths, extremes, and contradictions between fields."""

import json
import math

import numpy as np

NUMBERS = (
    0, 1, -1, 2, 3, 59, 60.0, 255, 256, 2**31 - 1, 2**31, 2**40, 2**52, 2**53 - 1, 2**53, 2**53 + 1, 2**60, 2**63 - 1,
    2**63, -(2**63), 2**64, 10**400, 0.0, -0.0, 0.5, 1.5, 1e-320, 1e-160, 1e-9, 1e100, 1e140, -1e140, 1e250, 1e300,
    1.7e308, -1.7e308, math.nan, math.inf, -math.inf, True, False, None, "", "7", [], {}, [1], {"a": 1},
)  # fmt: skip
EXTREMES = {
    "f": (0.0, -0.0, 0.5, -1.0, 1.0, 5e-324, 1e-160, 1e-9, 1e100, 1e140, -1e140, 1.1e140, 1e150, 1e250, 1e300, 1.7e308,
          -1.7e308, math.nan, math.inf, -math.inf, 2.0**53, 2.0**55),
    "i": (0, -1, 1, 2, 7, 2**24, 2**31 - 1, -(2**31), 2**31, 2**40, 2**53, 2**60, 2**63 - 1, -(2**63)),
    "u": (0, 1, 2, 4, 5, 255),
}  # fmt: skip


def mutated(state, rng):
    """Return the state with one to three changes."""
    state = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
    for _ in range(rng.integers(1, 4)):
        pick(rng, CHANGES)(state, rng)
    return state


def pick(rng, of):
    return of[rng.integers(len(of))]


def some_array(state, rng):
    return pick(rng, [name for name, value in state.items() if isinstance(value, np.ndarray)] or [None])


def set_elements(array, rng):
    """Set some elements, or all, to extremes."""
    for at in rng.integers(array.size, size=min(pick(rng, (1, 1, 2, array.size)), 50)):
        value = pick(rng, EXTREMES[array.dtype.kind])
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            value = min(max(value, limits.min), limits.max)
        array.flat[at] = value
    return array


def nudge_element(array, rng):
    """Change an element slightly, so that only agreement with other fields is broken."""
    at = rng.integers(array.size)
    array.flat[at] = (array.flat[at] + pick(rng, (1, 2, 100))).astype(array.dtype)
    return array


FACTORS = (-1.0, 0.0, 1e-300, 1e-10, 2.0, 1e10, 1e130, 1e138, 1e200, math.inf)
TYPES = ("<f4", "<f8", "<f2", "<i8", "<i4", "<i2", "<u1", "<u8", "?")
#: Functions of an array, and the kinds of numbers that each takes.
OF_ARRAYS = (
    *[(set_elements, "fiu")] * 3, *[(nudge_element, "fiub")] * 2, (lambda a, rng: a * pick(rng, FACTORS), "f"),
    (lambda a, rng: pick(rng, (a[:-1], a[1:], a[:0], np.tile(a, (2, *[1] * (a.ndim - 1))), a[..., :-1],
                               np.concatenate([a, a[-1:]]))), "fiub"),
    (lambda a, rng: pick(rng, (a.reshape(-1), a.T, a[None], np.zeros((0, 2**40), a.dtype),
                               np.zeros((2**40, 0), a.dtype), np.zeros((), a.dtype))), "fiub"),
    (lambda a, rng: a.astype(pick(rng, TYPES)), "fiub"),
    (lambda a, rng: pick(rng, (a[::-1], rng.permutation(a))), "fiub"),
)  # fmt: skip


def change_array(state, rng):
    name, (change, kinds) = some_array(state, rng), pick(rng, OF_ARRAYS)
    if name is None or not state[name].ndim or state[name].dtype.kind not in kinds:
        return
    if state[name].size or change not in (set_elements, nudge_element):
        with np.errstate(all="ignore"):
            state[name] = np.array(change(state[name], rng), order="C")


def exchange(state, rng):
    """Swap two entries."""
    one, other = pick(rng, list(state)), pick(rng, list(state))
    state[one], state[other] = state[other], state[one]


def change_number(state, rng):
    names = [name for name, value in state.items() if not isinstance(value, np.ndarray)]
    name = pick(rng, names)
    value = state[name]
    small = type(value) in (int, float) and abs(value) < 2**70
    nearby = [value + 1, value - 1, value * 2, float(value)] if small else [not value]
    state[name] = pick(rng, NUMBERS) if rng.random() < 0.6 else pick(rng, nearby)


def remove_entry(state, rng):
    del state[pick(rng, list(state))]


def add_entry(state, rng):
    state[pick(rng, ("extra", "co_count", "weight", "max_nodes", "plus", "", "é" * 50))] = pick(
        rng, (1, 2.0, np.zeros(3))
    )


def another_kind(state, rng):
    """Replace a number by an array, or an array by a number."""
    name = pick(rng, list(state))
    value = state[name]
    state[name] = value.reshape(-1)[:1].tolist() if isinstance(value, np.ndarray) else np.atleast_1d(np.asarray(value))
    if isinstance(state[name], np.ndarray) and state[name].dtype.kind not in "fiub":
        state[name] = np.zeros(1)


def many_rows(state, rng):
    """Raise every counter of rows to that of a very long stream."""
    n = int(pick(rng, (2**31, 2**52, 2**53 - 40, 2**53 - 1, 2**53)))
    state["n_seen"] = n
    if "stream_count" in state:
        state["stream_count"] = float(n)
    for names in (("metric_step",), ("since_recalculation", "since_refresh")):
        if rng.random() < 0.5:
            state.update(dict.fromkeys(state.keys() & set(names), n))
    for name in ("n_created", "n_ids", "n_refreshes", "events_dropped", "history_stride", "lineage_sample"):
        if name in state and rng.random() < 0.3:
            state[name] = int(pick(rng, (n, 2**53, 2**53 - 2**40, 2**53 - 1)))
    for name in ("support", "weight"):
        if rng.random() < 0.5 and isinstance(state.get(name), np.ndarray):
            state[name][:] = np.floor(n / max(len(state[name]), 1))


def huge_values(state, rng):
    """Set everything that holds rows to values at the limit."""
    for name in ("representative", "mean", "samples", "stream_mean"):
        if isinstance(state.get(name), np.ndarray) and state[name].dtype.kind == "f":
            state[name] = np.where(rng.random(state[name].shape) < 0.5, -1e140, 1e140)
    for name in ("m2", "scatter", "stream_m2"):
        if isinstance(state.get(name), np.ndarray) and rng.random() < 0.5:
            state[name] = np.full(state[name].shape, 1e300)


def fewer_nodes(state, rng):
    """Remove or repeat nodes in every array of nodes."""
    ids = state.get("id")
    if not isinstance(ids, np.ndarray) or ids.ndim != 1 or len(ids) == 0:
        return
    n = len(ids)
    kept = pick(rng, (np.arange(0), np.arange(1), np.arange(2), np.arange(n - 1), np.repeat(np.arange(n), 2),
                      rng.permutation(n), np.zeros(n, dtype=int)))  # fmt: skip
    for name, value in state.items():
        if isinstance(value, np.ndarray) and value.shape[:1] == (n,):
            state[name] = np.ascontiguousarray(value[kept])


CHANGES = (
    *[change_array] * 10, *[change_number] * 3, exchange, remove_entry, add_entry, another_kind, many_rows, huge_values,
    fewer_nodes,
)  # fmt: skip

DEEP = "[" * 100_000 + "]" * 100_000
FACT_VALUES = (None, 0, 1, -1, 60, 60.0, 2**63, "x", [], {}, ["a", "b", "c"], ["a", "a", "b"], ["a"], [1, 2, 3],
               {"a": 1, "b": 2, "c": 3}, True, math.nan, {"compute_labels": 3}, {"compute_labels": True, "k": 1},
               {"scale": "other"}, {"max_nodes": 7.0}, ["\ud800", "b", "c"], ["x" * 10_000, "b", "c"])  # fmt: skip
TEXTS = ("", "{", "nul", DEEP, "1" * 5_000, "²", '{"a": 1, "a": 2}', "-0", "1e999", "NaN", '"\\ud800"',
         "[" * 500 + "]" * 500)  # fmt: skip
VERSIONS = ("", "0", "1", "2", "3", "4", "5", "6", "04", "4.0", "²", "4 ", "-4", "9" * 5_000, "٤", "1_0")


def mutated_header(header, rng):
    """Return the metadata with one changed fact, as text or as a value."""
    header = dict(header)
    name = pick(rng, list(header))
    kind = rng.integers(5)
    if kind == 0:
        header[name] = json.dumps(pick(rng, FACT_VALUES))
    elif kind == 1:
        header[name] = pick(rng, TEXTS)
    elif kind == 2:
        del header[name]
    elif kind == 3:
        header[pick(rng, ("extra", "N_SEEN", "state2", ""))] = "1"
    else:
        header["format_version"] = pick(rng, VERSIONS)
    return header
