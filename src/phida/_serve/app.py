"""Routes of the server: the page, its events, and the API."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from phida._serve import asking, explaining
from phida._serve.access import Guard, refusal
from phida._serve.asking import BadRequestError
from phida._serve.events import EventStream
from phida._serve.feed import Feed
from phida._serve.learning import FAILED, Learning
from phida._serve.metrics import CONTENT_TYPE, metrics
from phida._serve.moment import Moment
from phida._serve.painting import Painter
from phida._serve.posting import Posting

_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def application(learning: Learning, painter: Painter, feed: Feed, token: str | None = None) -> Starlette:
    """Return the application, with access control."""
    page = _page()
    desk = _Desk(learning, painter, feed)
    routes = [
        Route("/events", EventStream(feed)),
        Route("/state", desk.state),
        Route("/predict", desk.predict, methods=["GET", "POST"]),
        Route("/explain", desk.explain),
        *([Route("/learn", Posting(learning).learn, methods=["POST"])] if learning.takes_posts else []),
        Route("/pause", desk.pause, methods=["POST"]),
        Route("/resume", desk.resume, methods=["POST"]),
        Route("/healthz", desk.health),
        Route("/metrics", desk.metrics),
        *(Route(path, partial(_file, content, kind)) for path, (content, kind) in page.items()),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        feed.attach()
        yield

    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, token=token, sign_in=page["/sign_in.html"][0])],
        exception_handlers={
            HTTPException: _refused,
            BadRequestError: lambda request, error: refusal(error.status, str(error)),
            explaining.UnknownError: lambda request, error: refusal(404, error.args[0]),
            ClientDisconnect: lambda request, error: refusal(400, "the body was cut short."),
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False  # the target of such a redirect would contain the client's Host header
    return app


class _Desk:
    """Handlers of the API."""

    def __init__(self, learning: Learning, painter: Painter, feed: Feed) -> None:
        self._learning = learning
        self._painter = painter
        self._feed = feed

    async def state(self, request: Request) -> Response:
        """Return the latest snapshot, or an earlier one from the trail."""
        number = asking.whole_number_if_any(request, "at")
        if number is not None:
            text = self._feed.trail.at(number)
            if text is None:
                raise BadRequestError(404, f"snapshot {number} was not kept; of older snapshots, fewer are kept.")
            return Response(text, media_type="application/json")
        if self._feed.latest is None:
            raise BadRequestError(503, "there is no snapshot yet; try again in a moment.")
        return Response(self._feed.latest.text, media_type="application/json")

    async def predict(self, request: Request) -> Response:
        """Predict the cluster of each row with the latest snapshot."""
        moment = self._moment()
        if request.method == "POST":
            rows = await asking.rows_in_body(request, moment.features)
        else:
            rows = asking.row_in_query(request, moment.features)
        labels = await run_in_threadpool(moment.model.predict, rows)
        answer = {
            "samples": moment.model.n_samples_seen_,
            "labels": labels.tolist(),
            "clusters": moment.model.cluster_ids_[labels].tolist(),
        }
        return JSONResponse(answer)

    async def explain(self, request: Request) -> Response:
        """Explain a cluster compared with another one, or a node."""
        kind, moment = request.query_params.get("kind"), self._moment()
        if kind == "cluster":
            a = asking.cluster_name(request, "a")
            b = asking.cluster_name(request, "b") if "b" in request.query_params else None
            return JSONResponse(await run_in_threadpool(explaining.cluster, moment, a, b))
        if kind == "node":
            return JSONResponse(await run_in_threadpool(explaining.node, moment, asking.whole_number(request, "a")))
        raise BadRequestError(400, "the query needs kind=cluster or kind=node.")

    async def pause(self, request: Request) -> Response:
        """Pause learning."""
        self._learning.pause()
        return self._changed()

    async def resume(self, request: Request) -> Response:
        """Resume learning."""
        self._learning.resume()
        return self._changed()

    async def health(self, request: Request) -> Response:
        """Return the health of the server."""
        progress = self._learning.progress
        if progress.state == FAILED:
            return refusal(503, progress.note)
        if not self._painter.at_work:
            return refusal(503, "the page is not drawn any more; the server's messages tell why.")
        return JSONResponse({"status": "ok", "state": progress.state})

    async def metrics(self, request: Request) -> Response:
        """Return metrics for Prometheus."""
        if self._feed.latest is None:
            raise BadRequestError(503, "there are no metrics yet; try again in a moment.")
        facts: dict[str, Any] = self._feed.latest.facts
        return Response(metrics(facts, self._feed.n_listeners, self._painter.seconds), media_type=CONTENT_TYPE)

    def _changed(self) -> Response:
        self._painter.hurry()
        return JSONResponse({"state": self._learning.progress.state})

    def _moment(self) -> Moment:
        if self._painter.moment is None:
            raise BadRequestError(503, "no rows have been learned yet; try again in a moment.")
        return self._painter.moment


def _page() -> dict[str, tuple[bytes, str]]:
    """Return the static files of the page and their types, by path."""
    found = {}
    for file in (files("phida._serve") / "page").iterdir():
        kind = _TYPES.get(file.name[file.name.rfind(".") :])
        if kind is not None:
            found[f"/{file.name}"] = (file.read_bytes(), kind)
    return {"/": found["/index.html"], **found}


async def _file(content: bytes, kind: str, request: Request) -> Response:
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {404: f"there is nothing at {request.scope['path'][:80]}.", 405: "the method is not for this address."}
    return refusal(error.status_code, sentences.get(error.status_code, error.detail), dict(error.headers or {}))


async def _broken(request: Request, error: Exception) -> Response:
    logging.getLogger("phida.serve").error("%s failed", request.scope["path"], exc_info=error)
    return refusal(500, "something broke; the server's messages tell what.")
