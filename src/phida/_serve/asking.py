"""Parsing of requests: rows to predict, ids to explain."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request

from phida import _validation
from phida._serve.access import BODY
from phida._streams.values import is_number

#: Maximum number of rows of one request.
ROWS = 10_000

#: Seconds in which a body must arrive.
_PATIENCE = 10.0


class BadRequestError(Exception):
    """An invalid request, with the HTTP status and message of the response."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def whole_number(request: Request, name: str) -> int:
    """Return an integer parameter of the query."""
    text = request.query_params.get(name, "")
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise BadRequestError(400, f"the query needs an integer, {name}=...")
    return int(text)


def whole_number_if_any(request: Request, name: str) -> int | None:
    """Return an integer parameter of the query, or None."""
    return whole_number(request, name) if name in request.query_params else None


def cluster_name(request: Request, name: str) -> str:
    """Return a parameter of the query that names a cluster: an id, or an id and a number (``3.2``)."""
    text = request.query_params.get(name, "")
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,6})?", text):
        raise BadRequestError(400, f"the query needs the id of a cluster, {name}=...")
    return text


def row_in_query(request: Request, features: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the row in a query: ``x=1,2,3``, or one number for each feature's name."""
    asked = dict(request.query_params)
    if "x" in asked and "x" not in features:
        values: list[Any] = asked["x"].split(",")
    else:
        return rows([asked], features, text=True)
    return rows([values], features, text=True)


async def rows_in_body(request: Request, features: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the rows of a JSON body: a list of rows, or an object with a list ``rows``."""
    try:
        found = json.loads(await _body(request))
    except (ValueError, RecursionError):
        raise BadRequestError(400, "the body is not JSON; send a list of rows.") from None
    if isinstance(found, dict):
        found = found.get("rows")
    if not isinstance(found, list) or not found:
        raise BadRequestError(400, 'send rows as [[1, 2], [3, 4]] or {"rows": [{"a": 1, "b": 2}]}.')
    return rows(found, features, text=False)


async def values_in_lines(request: Request) -> list[Any]:
    """Return the JSON values of an NDJSON body, one per line."""
    found = []
    for line in (await _body(request)).splitlines():
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            raise BadRequestError(400, f"row {len(found)} is not JSON; send one row per line.") from None
    if not found:
        raise BadRequestError(400, 'the body has no rows; send lines such as {"a": 1, "b": 2} or [1, 2].')
    return found


def rows(found: list[Any], features: tuple[str, ...], *, text: bool) -> NDArray[np.float64]:
    """Return lists or objects as a matrix, or raise an error that names the row."""
    if len(found) > ROWS:
        raise BadRequestError(413, f"{len(found):,} rows are too many; send at most {ROWS:,} at a time.")
    # Rows are checked before the matrix is allocated: with rows of the right width, its size is limited by that of the
    # body.
    return np.array([_row(row, features, i, text) for i, row in enumerate(found)], np.float64)


def _row(row: Any, features: tuple[str, ...], i: int, text: bool) -> list[float]:
    if isinstance(row, dict):
        if row.keys() != set(features):
            raise BadRequestError(400, f"row {i} must have these features and no others: {', '.join(features)[:300]}.")
        row = [row[name] for name in features]
    if not isinstance(row, list) or len(row) != len(features):
        raise BadRequestError(400, f"row {i} must be a list of {len(features)} numbers, or an object of features.")
    values = []
    for name, value in zip(features, row, strict=True):
        try:
            number = is_number(value) if text else isinstance(value, int | float) and not isinstance(value, bool)
            if not number:
                raise ValueError
            values.append(float(value))
            if not abs(values[-1]) <= _validation.LARGEST:
                raise ValueError
        except (ValueError, OverflowError):
            raise BadRequestError(
                400, f"in row {i}, {name} is not a finite number within ±{_validation.LARGEST:g}."
            ) from None
    return values


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE):
            async for part in request.stream():
                body += part
                if len(body) > BODY:
                    raise BadRequestError(413, f"the body is larger than {BODY:,} bytes; send fewer rows at a time.")
    except TimeoutError:
        raise BadRequestError(408, f"the body did not arrive within {_PATIENCE:g} seconds.") from None
    return bytes(body)
