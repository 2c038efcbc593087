"""Who may ask, and how much: tokens, hosts, origins, sizes; and the headers that every answer bears."""

from __future__ import annotations

import hmac
import ipaddress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The most bytes of a body and of a query.
BODY, QUERY = 1 << 20, 4096

#: What anybody may see: no word of the data is in it.
_PUBLIC = ("/healthz", "/style.css")

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


def refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An answer that says what was wrong."""
    return JSONResponse({"error": sentence}, status, headers)


def is_loopback(host: str) -> bool:
    """Whether only this machine can come by that name or address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets in who has the token; without one, who came by a name of this machine.

    The second keeps out pages of other sites that point a name of theirs at this address.
    """

    def __init__(self, app: ASGIApp, token: str | None, sign_in: bytes) -> None:
        """``sign_in``: the page that asks for the token."""
        self._app = app
        self._token = token
        self._sign_in = sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        answer = self._turned_away(Request(scope)) or self._app
        await answer(scope, receive, dressed)

    def _turned_away(self, request: Request) -> Response | None:
        headers = request.headers
        if len(request.scope["query_string"]) > QUERY:
            return refusal(414, f"the query is longer than {QUERY:,} bytes; send rows by POST.")
        if not headers.get("content-length", "0").isdigit() or int(headers.get("content-length", "0")) > BODY:
            return refusal(413, f"the body is larger than {BODY:,} bytes; send fewer rows at a time.")
        if self._token is None and not is_loopback(_name(headers.get("host", ""))):
            return refusal(403, "come by the name localhost or a loopback address; others need a --token.")
        if request.method == "POST" and not _same_origin(headers):
            return refusal(403, "the request comes from a page of another site.")
        if self._token is None or request.url.path in _PUBLIC:
            return None
        return self._without_token(request, self._token)

    def _without_token(self, request: Request, token: str) -> Response | None:
        cookie = f"phida_token_{(request.scope.get('server') or ('', 0))[1]}"
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if (scheme.lower() == "bearer" and _same(bearer.strip(), token)) or _same(_kept(request, cookie), token):
            return None
        asked = request.method == "GET" and request.url.path == "/"
        given = parse_qs(request.url.query).get("token", [""])[0]
        if asked and _same(given, token):
            answer: Response = RedirectResponse("/", 303)  # so that the token stays in no address bar and no history
            answer.set_cookie(cookie, token, httponly=True, samesite="strict")
            return answer
        if asked and "text/html" in request.headers.get("accept", ""):
            return Response(self._sign_in, 401, media_type="text/html")
        sentence = "a token is needed; send it as Authorization: Bearer TOKEN, or open /?token=TOKEN in a browser."
        return refusal(401, sentence, {"www-authenticate": "Bearer"})


def _same(given: str, token: str) -> bool:
    """Compared in a time that tells nothing."""
    return hmac.compare_digest(given.encode(), token.encode())


def _kept(request: Request, name: str) -> str:
    try:
        morsel = SimpleCookie(request.headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _same_origin(headers: Headers) -> bool:
    """Whether a request that changes something comes from our page, or from no page at all."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")
