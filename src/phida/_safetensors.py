"""The safetensors container: a JSON header and arrays as raw numbers. The parser checks everything."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

#: Types of the format that models use, and those of NumPy.
_TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}

#: Maximum number of digits of an integer: far more than those of models, and fewer than Python's limit can be.
_MOST_DIGITS = 600


def packed(arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """Return the content of a file. The same arrays and metadata give the same bytes."""
    # The widest numbers come first, which aligns every array.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    parts, end = [], 0
    for name in order:
        array = arrays[name].astype(arrays[name].dtype.newbyteorder("<"), copy=False)
        parts.append(array.tobytes())
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": _NAMES[array.dtype.str], "shape": list(array.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the arrays begin at a multiple of 8
    return b"".join((len(text).to_bytes(8, "little"), text, *parts))


def metadata_of(content: bytes) -> dict[str, str]:
    """Return the metadata of a file; raise a ``ValueError`` with the reason if it is invalid."""
    found = _header(content)[0].get("__metadata__", {})
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise ValueError("the metadata is not text")
    return found


def arrays_of(content: bytes) -> Arrays:
    """Return the arrays of a file by name; raise a ``ValueError`` with the reason if it is invalid."""
    header, begin = _header(content)
    header.pop("__metadata__", None)
    entries = sorted((_entry(name, entry) for name, entry in header.items()), key=lambda entry: entry[3:])
    arrays, end = {}, 0
    for name, dtype, shape, first, last in entries:
        if first != end or last - first != math.prod(shape) * dtype.itemsize or begin + last > len(content):
            raise ValueError(f"{name!r} is not where it should be")
        # a copy, which is aligned
        arrays[name] = np.frombuffer(content[begin + first : begin + last], dtype).reshape(shape)
        end = last
    if begin + end != len(content):
        raise ValueError("something follows the arrays")
    return arrays


def parsed(text: str) -> Any:
    """Parse JSON. A repeated name is an error, since parsers choose differently."""
    return json.loads(text, object_pairs_hook=_without_duplicates, parse_int=_integer)


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:  # Python's own error advises to raise its limit
        raise ValueError(f"a number has {len(digits):,} digits; at most {_MOST_DIGITS:,} are read")
    return int(digits)


def _header(content: bytes) -> tuple[dict[str, Any], int]:
    """Return the header and its end."""
    end = 8 + int.from_bytes(content[:8], "little")
    if end > len(content):
        raise ValueError("the header is longer than the file")
    header = parsed(content[8:end].decode())
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header, end


def _entry(name: str, entry: Any) -> tuple[str, np.dtype[Any], list[int], int, int]:
    """Return type, shape and place of an array."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{name!r} is not described as an array")
    dtype, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _TYPES:
        raise ValueError(f"{name!r} has an unknown type")
    if not (_are_counts(shape) and len(shape) <= 2 and _are_counts(place) and len(place) == 2):
        raise ValueError(f"{name!r} has no valid shape and place")
    return name, np.dtype(_TYPES[dtype]), shape, *place


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**63 for value in values)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{twice!r} is there twice")
    return found
