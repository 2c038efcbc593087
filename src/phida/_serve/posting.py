"""Rows from other programs: ``POST /learn``."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from phida._serve import asking
from phida._serve.access import refusal
from phida._serve.asking import BadRequestError
from phida._serve.learning import ENDED, FAILED, PAUSED, Learning
from phida._streams.batch import DataError
from phida._streams.columns import check_width

#: Requests that are learned or waiting; further ones are asked to retry.
WAITING = 8


class Posting:
    """Handles one request at a time. Either all rows of a request are learned, or none."""

    def __init__(self, learning: Learning) -> None:
        self._learning = learning
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def learn(self, request: Request) -> Response:
        """Learn the rows of an NDJSON body, and respond with the number and cluster id of each."""
        found = await asking.values_in_lines(request)
        progress = self._learning.progress
        if progress.state in (ENDED, FAILED):
            raise BadRequestError(503, progress.note)
        if progress.state == PAUSED:
            return _later("learning is paused; send these rows again later.")
        if self._waiting >= WAITING:
            return _later(f"{WAITING} requests are waiting; send these rows again later.")
        self._waiting += 1
        try:
            async with self._turn:
                first, ids = await run_in_threadpool(self._learn, found)
        finally:
            self._waiting -= 1
        lines = (f'{{"row": {row}, "cluster": {id}}}\n' for row, id in enumerate(ids.tolist(), first))
        return Response("".join(lines), media_type="application/x-ndjson")

    def _learn(self, found: list[Any]) -> tuple[int, NDArray[np.int64]]:
        """Learn rows, and return the number of the first one and the cluster ids of all."""
        learning = self._learning
        with learning.lock:
            names, features = self._features(found[0])
            rows = asking.rows(_by_name(found, names), features, text=False)
            try:
                taken = learning.learn(names, features, rows)
            except DataError as error:
                raise BadRequestError(400, str(error)) from error
            return int(taken.batch.numbers[0]), taken.labels(ids=True)

    def _features(self, first: Any) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Return the model's feature names, if any, and names for messages; the first row of all defines them."""
        model, selection = self._learning.model, self._learning.selection
        if model.names is not None:
            return model.names, model.names
        if model.fitted:
            return None, tuple(f"feature {j}" for j in range(model.model.features.width))
        if isinstance(first, dict):
            columns = list(first)
            try:
                check_width("row 0", len(columns))
                names = tuple(columns[at] for at in selection.features(columns))
            except DataError as error:
                raise BadRequestError(400, str(error)) from error
            return names, names
        if selection.columns or selection.exclude:
            raise BadRequestError(400, "row 0 must be an object, because features are chosen by name.")
        if not isinstance(first, list) or not first:
            raise BadRequestError(400, "row 0 must be an object with a number for each feature, or a list of numbers.")
        try:
            check_width("row 0", len(first))
        except DataError as error:
            raise BadRequestError(400, str(error)) from error
        return None, tuple(f"feature {j}" for j in range(len(first)))


def _by_name(found: list[Any], names: tuple[str, ...] | None) -> list[Any]:
    """Return objects with only their features; other keys are ignored."""
    if names is None:
        return found
    for i, row in enumerate(found):
        if isinstance(row, dict):
            missing = next((name for name in names if name not in row), None)
            if missing is not None:
                raise BadRequestError(400, f"row {i} has no {missing!r}.")
    return [{name: row[name] for name in names} if isinstance(row, dict) else row for row in found]


def _later(sentence: str) -> Response:
    return refusal(429, sentence, {"retry-after": "1"})
