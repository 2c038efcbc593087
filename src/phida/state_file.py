"""Models on disk: one safetensors file, with no code in it. ``docs/state_file.md`` describes the format.

A file is written under another name first and then put in place, so that what is there is complete at any instant.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

FORMAT = "phida-state"
VERSION = 3

State = Mapping[str, Any]
"""What a learner is made from: arrays and plain numbers by name."""


class StateFileError(ValueError):
    """A file that holds no model, or none that can be read here."""


def write(path: str | os.PathLike[str], state: State, facts: Mapping[str, Any]) -> None:
    """Write a learner's state and what else is to be known of it; the file that was there stays until this is whole."""
    replace(path, content(state, facts))


def content(state: State, facts: Mapping[str, Any]) -> bytes:
    """What :func:`write` writes."""
    arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in state.items() if name not in arrays}
    header = {"format": FORMAT, "format_version": str(VERSION)}
    header |= {name: json.dumps(value) for name, value in {**facts, "state": numbers}.items()}
    header["sha256"] = _digest(header, arrays)
    return _in_one_order(save(arrays, header))


def _in_one_order(content: bytes) -> bytes:
    """A safetensors file with the names in its header sorted; the writer's order differs from call to call."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # the arrays begin at a multiple of 8
    return b"".join((len(header).to_bytes(8, "little"), header, memoryview(content)[end:]))


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Put a file in place of another, whole or not at all, even if the machine stops on the way."""
    target = Path(path)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state and the facts of a file, its format, version and digest verified."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {os.fspath(path)}.")
    try:
        with safe_open(path, "numpy") as file:
            header = dict(file.metadata() or {})
            _check_kind(path, header)
            names = file.keys()
            arrays = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, TypeError, AttributeError) as error:
        raise StateFileError(f"{os.fspath(path)} is damaged, not complete, or no model at all ({error}).") from error
    return _parsed(os.fspath(path), header, arrays)


def read_bytes(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state and the facts of a file's content, verified likewise."""
    name = "this content"
    try:
        arrays = load(content)
        end_of_header = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:end_of_header]).get("__metadata__", {})
    except (SafetensorError, TypeError, ValueError, KeyError) as error:
        raise StateFileError(f"{name} is damaged, not complete, or no model at all ({error}).") from error
    _check_kind(name, header)
    return _parsed(name, header, arrays)


def _parsed(
    name: str, header: dict[str, str], arrays: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    if header.pop("sha256", "") != _digest(header, arrays):
        raise StateFileError(f"{name} is damaged: its digest does not match. Take an older copy.")
    try:
        facts = {name: json.loads(text) for name, text in header.items() if name != "format"}
        return {**facts.pop("state"), **arrays}, facts
    except (ValueError, KeyError, TypeError) as error:
        raise StateFileError(f"{name} lacks what a model needs ({error!r}).") from error


def _check_kind(path: str | os.PathLike[str], header: Mapping[str, str]) -> None:
    if header.get("format") != FORMAT:
        raise StateFileError(f"{os.fspath(path)} is a safetensors file, but holds no model of phida.")
    version = header.get("format_version", "")
    if not version.isdigit() or int(version) < 1:
        raise StateFileError(f"{os.fspath(path)} has no valid format version ({version!r}).")
    if int(version) > VERSION:
        raise StateFileError(
            f"{os.fspath(path)} has format version {version}, written by phida {header.get('library_version', '?')}; "
            f"this phida reads up to {VERSION}. Upgrade it."
        )


def _digest(header: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of everything but itself, in an order that does not depend on the file's."""
    sums = hashlib.sha256(json.dumps(sorted(header.items())).encode())
    for name in sorted(arrays):
        array = arrays[name]
        sums.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sums.update(np.ascontiguousarray(array).data if array.size else b"")
    return sums.hexdigest()


def _sync_folder(folder: Path) -> None:
    """A renamed file is safe only once its folder is written too; not every system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
