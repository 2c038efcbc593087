"""Values of any type as text. The text depends on the value alone, never on other rows."""

from __future__ import annotations

import json
from typing import Any


def text_of(value: object) -> str | None:
    """Return text unchanged, valid UTF-8 bytes as text, and other values as JSON; invalid bytes are escaped."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, bool | int | float | dict | list):
        value = json.dumps(value, ensure_ascii=False, default=text_of)
    text = str(value)
    # JSON can escape half surrogates, which UTF-8 cannot encode.
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def texts_of_column(column: Any) -> Any:
    """Return a column of pyarrow as text."""
    import pyarrow as pa

    kind, is_a = column.type, pa.types
    if is_a.is_dictionary(kind):
        return texts_of_column(column.cast(kind.value_type))
    is_view = kind == getattr(pa, "string_view", pa.string)()  # pyarrow 15 has no views
    is_number = is_a.is_boolean(kind) or is_a.is_integer(kind) or is_a.is_floating(kind)
    if is_view or is_number or is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_temporal(kind):
        try:
            return column.cast(pa.large_string())
        except pa.ArrowNotImplementedError:
            pass
    return pa.array([text_of(value) for value in column.to_pylist()], pa.large_string())
