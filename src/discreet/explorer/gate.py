"""Who gets in: requests to this machine's own address, from the page itself, with the token.

The explorer can spend budget, so neither another user of the machine nor a web page that is open
in the same browser may talk to it. The token is the first part of every path, websockets too, and
no cookie carries it to servers on other ports. A page elsewhere cannot name the host as its own
(Host is checked, against rebinding) nor send from another origin (Origin is checked).
"""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from discreet.errors import InputError

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

HOST = "127.0.0.1"
HEADERS = (
    (b"referrer-policy", b"no-referrer"),  # the token does not leave with a link
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (
        b"content-security-policy",  # NiceGUI's own scripts are inline; nothing is from elsewhere
        b"default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        b"style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'; "
        b"base-uri 'none'; object-src 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def new_token() -> str:
    """128 bits nobody guesses."""
    return secrets.token_urlsafe(16)


def listen(port: int) -> socket.socket:
    """A socket on this machine only; port 0 is any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()
    except (OSError, OverflowError):
        found.close()
        raise InputError(
            f"port {port} cannot be used: leave out --port for a free one", "port"
        ) from None
    return found


class Gate:
    """Lets in what has the token, and nothing else."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self.token = app, token
        names = (HOST, "localhost")
        self.hosts = {f"{name}:{port}" for name in names} | set(names if port == 80 else ())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif not self._welcome(scope):
            await _refuse(scope, receive, send)
        elif scope["type"] == "http":
            await self.app(scope, receive, _careful(send))
        else:
            await self.app(scope, receive, send)

    def _welcome(self, scope: Scope) -> bool:
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value.decode("latin-1"))
        host, origin = headers.get(b"host", []), headers.get(b"origin", [])
        own = len(host) == 1 and host[0] in self.hosts
        from_here = origin == [f"http://{host[0]}"] if own and origin else own
        if scope["type"] == "websocket":
            from_here = from_here and bool(origin)
        first = scope["path"].split("/")[1:2]
        given = first[0] if first else ""
        known = hmac.compare_digest(given.encode(), self.token.encode())
        return own and from_here and known


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """The same answer for every reason."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4403})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    body = b"Open the whole address that discreet explore printed; it has a token.\n"
    await send({"type": "http.response.body", "body": body})


def _careful(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in HEADERS[:-1]}
            kept = [(n, v) for n, v in message.get("headers", ()) if n.lower() not in own]
            message["headers"] = [*kept, *HEADERS[:-1]]
        await send(message)

    return sending
