"""Nobody gets in without the token, from elsewhere, or under another name."""

from __future__ import annotations

from typing import Any

import pytest

from discreet.explorer.gate import Gate, new_token
from tests.explorer.browsing import settled

TOKEN, PORT = "s3cret", 8123
OWN = {"host": "127.0.0.1:8123"}
SELF = OWN | {"origin": "http://127.0.0.1:8123"}


def answered(kind: str, path: str, headers: dict[str, str]) -> int:
    """The status of a request; 101 of a websocket that gets in."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, str]:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    coded = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "path": path, "headers": coded}
    settled(Gate(app, TOKEN, PORT)(scope, receive, send))
    first = sent[0]
    if kind == "websocket":
        return 101 if first["type"] == "websocket.accept" else int(first["code"])
    names = {name for name, _ in first["headers"]}
    assert {b"referrer-policy", b"x-frame-options"} <= names
    return int(first["status"])


WELCOME = [
    ("http", f"/{TOKEN}/", OWN),
    ("http", f"/{TOKEN}/plan", SELF),
    ("http", f"/{TOKEN}/", {"host": "localhost:8123", "origin": "http://localhost:8123"}),
    ("websocket", f"/{TOKEN}/_nicegui_ws/socket.io/", SELF),
]
REFUSED = [
    ("http", "/", OWN),
    ("http", "", OWN),
    ("http", "/wrong/", OWN),
    ("http", f"/{TOKEN}x/", OWN),
    ("http", f"/{TOKEN.upper()}/", OWN),
    ("http", f"//{TOKEN}/", OWN),
    ("http", "/é/", OWN),
    ("http", f"/{TOKEN}/", {}),
    ("http", f"/{TOKEN}/", {"host": "evil.example:8123"}),
    ("http", f"/{TOKEN}/", {"host": "127.0.0.1:9999"}),
    ("http", f"/{TOKEN}/", OWN | {"origin": "http://evil.example"}),
    ("http", f"/{TOKEN}/", OWN | {"origin": "null"}),
    ("http", f"/{TOKEN}/", OWN | {"origin": "http://127.0.0.1:9999"}),
    ("websocket", "/_nicegui_ws/socket.io/", SELF),
    ("websocket", f"/{TOKEN}/_nicegui_ws/socket.io/", OWN),
    ("websocket", f"/{TOKEN}/_nicegui_ws/socket.io/", OWN | {"origin": "http://evil.example"}),
]


@pytest.mark.parametrize(("kind", "path", "headers"), WELCOME)
def test_the_page_itself_gets_in(kind: str, path: str, headers: dict[str, str]) -> None:
    assert answered(kind, path, headers) in (200, 101)


@pytest.mark.parametrize(("kind", "path", "headers"), REFUSED)
def test_nobody_else_does(kind: str, path: str, headers: dict[str, str]) -> None:
    assert answered(kind, path, headers) in (403, 4403)


def test_the_usual_port_is_left_out_of_names() -> None:
    assert Gate(None, TOKEN, 80).hosts >= {"127.0.0.1", "localhost:80"}  # type: ignore[arg-type]
    assert "127.0.0.1" not in Gate(None, TOKEN, PORT).hosts  # type: ignore[arg-type]


def test_tokens_are_long_and_new() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert all(len(new_token()) >= 22 for _ in range(10))
