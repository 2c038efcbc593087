"""Models on disk: one safetensors file without code. ``docs/state_file.md`` describes the format.

A file is written under another name first and then renamed, so that it is complete at any moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._safetensors import arrays_of, metadata_of, packed, parsed
from phida.errors import StateFileError

FORMAT = "phida-state"
VERSION = 5

#: Contents of a file besides its format and digest, each as JSON.
FACTS = ("library_version", "params", "feature_names", "n_seen", "stream_position", "state")

#: Optional content: the preparation of rows from files.
OPTIONAL_FACTS = ("preparation",)

State = Mapping[str, Any]
"""State of a learner: arrays and plain numbers by name."""


def write(path: str | os.PathLike[str], state: State, facts: Mapping[str, Any]) -> None:
    """Write a learner's state and the facts about it; an earlier file stays until the new one is complete."""
    replace(path, content(state, facts))


def content(state: State, facts: Mapping[str, Any]) -> bytes:
    """Return the content of the file that :func:`write` writes."""
    arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in state.items() if name not in arrays}
    header = {"format": FORMAT, "format_version": str(VERSION)}
    header |= {name: json.dumps(value) for name, value in {**facts, "state": numbers}.items()}
    header["sha256"] = _digest(header, arrays)
    return packed(arrays, header)


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file atomically, even if the machine stops during the write."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; models are saved to files.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"folder {target.parent} does not exist; create it first.")
    if target.exists() and not target.is_file():  # renaming would replace a device or a pipe
        raise OSError(f"{os.fspath(path)} is a device or a pipe; models are saved to files.")
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # a failing write does not name its file
            error.filename = os.fspath(target)
        raise
    _sync_folder(target.parent)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the state and the facts of a file after a check of its format, version and digest."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)} is a folder; a model is a file.")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"file {os.fspath(path)} does not exist.")
    return read_bytes(Path(path).read_bytes(), os.fspath(path))


def read_bytes(content: bytes, name: str = "this content") -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the state and the facts of a file's content, checked likewise."""
    try:
        header = metadata_of(content)
        _check_kind(name, header)
        arrays = arrays_of(content)
    except StateFileError:
        raise
    except (ValueError, RecursionError) as error:
        if not _looks_like_safetensors(content):
            raise StateFileError(f"{name} is not a phida model; phida fit and phida stream write models.") from error
        raise StateFileError(f"{name} is damaged, incomplete, or not a phida model ({_line(error)}).") from error
    if header.pop("sha256", "") != _digest(header, arrays):
        raise StateFileError(f"{name} is damaged: its digest does not match. Restore an older copy.")
    try:
        state, facts = _parsed(header, arrays)
    except (ValueError, RecursionError) as error:
        raise StateFileError(f"{name} does not hold a valid model ({_line(error)}).") from error
    return state, facts


def _looks_like_safetensors(content: bytes) -> bool:
    """Return whether content begins like a safetensors file: with the length of a JSON object, and its brace."""
    return len(content) < 9 or content[8:9] == b"{"


def _parsed(header: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    if missing := [name for name in FACTS if name not in header]:
        raise ValueError(f"it lacks {missing[0]!r}")
    if unknown := sorted(header.keys() - {"format", "format_version", *FACTS, *OPTIONAL_FACTS}):
        raise ValueError(f"its header has {unknown[0]!r}, which is not known")
    facts = {name: _fact(name, header[name]) for name in (*FACTS, *OPTIONAL_FACTS) if name in header}
    facts["format_version"] = VERSION
    state = facts.pop("state")
    if not isinstance(state, dict):
        raise ValueError("'state' is not an object of numbers by name")
    if state.get("format") != VERSION:
        raise ValueError("'format' of its state is not its 'format_version'")
    if twice := sorted(state.keys() & arrays.keys()):
        raise ValueError(f"{twice[0]!r} is there twice, as a number and as an array")
    return {**state, **arrays}, facts


def _fact(name: str, text: str) -> Any:
    try:
        return parsed(text)
    except RecursionError as error:
        raise ValueError(f"{name!r} is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{name!r} is not valid JSON: {error}") from error


def _line(error: BaseException) -> str:
    """Return the message of an error, cut if a hostile file made it long."""
    text = str(error)
    return text if len(text) <= 300 else f"{text[:300]} ..."


def _check_kind(name: str, header: Mapping[str, str]) -> None:
    if header.get("format") != FORMAT:
        raise StateFileError(f"{name} is a safetensors file, but not a phida model.")
    version = header.get("format_version", "")
    if not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise StateFileError(f"{name} has no valid 'format_version' ({version[:40]!r}).")
    if int(version) != VERSION:
        advice = "Upgrade phida." if int(version) > VERSION else "Fit a new model."
        raise StateFileError(
            f"{name} has format version {version}, written by phida {header.get('library_version', '?')[:40]}; "
            f"this phida reads version {VERSION}. {advice}"
        )


def _digest(header: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of everything but itself, in an order independent of the file's."""
    sums = hashlib.sha256(json.dumps(sorted(header.items())).encode())
    for name in sorted(arrays):
        array = arrays[name]
        sums.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sums.update(np.ascontiguousarray(array).data if array.size else b"")
    return sums.hexdigest()


def _sync_folder(folder: Path) -> None:
    """Flush a folder, which makes a rename durable; some systems cannot."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
