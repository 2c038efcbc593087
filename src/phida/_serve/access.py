"""Access control: tokens, hosts, origins and sizes of requests, and the headers of all responses."""

from __future__ import annotations

import hmac
import ipaddress
import re
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Largest body and query in bytes.
BODY, QUERY = 1 << 20, 4096

#: Paths without access control, which contain no data.
_PUBLIC = ("/healthz", "/style.css")

#: A Host header: a name, an IPv4 address or an IPv6 address in brackets, with an optional port.
_HOST = re.compile(r"(?P<name>[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


def refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return an error response with a message."""
    return JSONResponse({"error": sentence}, status, headers)


def is_loopback(host: str) -> bool:
    """Return whether a name or address is reachable only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Admits requests with the token, or without a configured token those to a name of this machine.

    The check of names stops pages of other sites whose domain points to this address.
    """

    def __init__(self, app: ASGIApp, token: str | None, sign_in: bytes) -> None:
        """``sign_in``: page with the form for the token."""
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
        """Return a refusal of a request, or None.

        Compare ``scope["path"]``, as routing does. ``request.url`` contains the Host header, which the client chooses.
        """
        headers, scope = request.headers, request.scope
        host = _HOST.fullmatch(headers.get("host", "none"))  # HTTP/1.0 needs no host
        if host is None:
            return refusal(400, "the Host header is not a name or address with an optional port.")
        if len(scope["query_string"]) > QUERY:
            return refusal(414, f"the query is longer than {QUERY:,} bytes; send rows by POST.")
        if self._token is None and not is_loopback(host["name"].strip("[]").lower()):
            return refusal(403, "come by the name localhost or a loopback address; others need a --token.")
        if request.method == "POST" and not _same_origin(request):
            return refusal(403, "the request comes from a page of another site.")
        if self._token is not None and scope["path"] not in _PUBLIC:
            refused = self._without_token(request, self._token)
            if refused is not None:
                return refused
        return _refused_body(request)

    def _without_token(self, request: Request, token: str) -> Response | None:
        cookie = f"phida_token_{(request.scope.get('server') or ('', 0))[1]}"
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if (scheme.lower() == "bearer" and _same(bearer.strip(), token)) or _same(_kept(request, cookie), token):
            return None
        asked = request.method == "GET" and request.scope["path"] == "/"
        given = parse_qs(request.scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if asked and _same(given, token):
            answer: Response = RedirectResponse("/", 303)  # keeps the token out of the address bar and the history
            secure = request.scope["scheme"] == "https"
            answer.set_cookie(cookie, token, secure=secure, httponly=True, samesite="strict")
            return answer
        if asked and "text/html" in request.headers.get("accept", ""):
            return Response(self._sign_in, 401, media_type="text/html")
        sentence = "a token is needed; send it as Authorization: Bearer TOKEN, or open /?token=TOKEN in a browser."
        return refusal(401, sentence, {"www-authenticate": "Bearer"})


def _same(given: str, token: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(given.encode(), token.encode())


def _kept(request: Request, name: str) -> str:
    try:
        morsel = SimpleCookie(request.headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


def _same_origin(request: Request) -> bool:
    """Return whether a request that changes state comes from our page, or from no page."""
    origin = request.headers.get("origin")
    return origin is None or origin.lower() == f"{request.scope['scheme']}://{request.headers.get('host', '')}".lower()


def _refused_body(request: Request) -> Response | None:
    """Refuse a body that is too long, unexpected or of ambiguous length."""
    length = request.headers.get("content-length")
    chunked = "transfer-encoding" in request.headers
    if length is not None and chunked:
        return refusal(400, "the request has both Content-Length and Transfer-Encoding; send one of them.")
    if length is not None and not re.fullmatch("[0-9]{1,18}", length):
        return refusal(400, "Content-Length is not a whole number.")
    if int(length or 0) > BODY:
        return refusal(413, f"the body is larger than {BODY:,} bytes; send fewer rows at a time.")
    if request.method != "POST" and (chunked or int(length or 0) > 0):
        return refusal(400, f"{request.method} takes no body; send rows by POST.")
    return None
