"""The server: one process, one address, one token."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from nicegui import app, ui

from discreet.errors import InputError
from discreet.explorer import layout
from discreet.explorer.budget import Budget
from discreet.explorer.computing import Computer
from discreet.explorer.design import Design
from discreet.explorer.gate import Gate, new_token
from discreet.explorer.plan import Plan

HOST = "127.0.0.1"


def serve(computer: Computer, port: int, browser: bool, announce: Callable[[str], None]) -> None:
    """Serve the pages until interrupted."""
    taken = _listen(port)
    chosen = taken.getsockname()[1]
    token = new_token()
    address = f"http://{HOST}:{chosen}/{token}/"
    _pages(computer, f"/{token}")
    inner = FastAPI(openapi_url=None)
    ui.run_with(
        inner, mount_path=f"/{token}", title="discreet", favicon="🔏", show_welcome_message=False
    )
    app.on_shutdown(computer.close)
    config = uvicorn.Config(
        Gate(inner, token, chosen), log_level="error", access_log=False, server_header=False
    )
    app.on_startup(lambda: announce(address))
    if browser:
        app.on_startup(lambda: webbrowser.open(address))
    uvicorn.Server(config).run([taken])


def _listen(port: int) -> socket.socket:
    """A socket on this machine only; port 0 is any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except (OSError, OverflowError):
        found.close()
        raise InputError(
            f"port {port} cannot be used: leave out --port for a free one", "port"
        ) from None
    return found


def _pages(computer: Computer, mount: str) -> None:
    @ui.page("/")
    def design() -> None:
        with layout.frame("/", mount) as dark:
            Design(computer, dark)

    @ui.page("/plan")
    def plan() -> None:
        with layout.frame("/plan", mount) as dark:
            Plan(computer, dark)

    @ui.page("/budget")
    def budget() -> None:
        with layout.frame("/budget", mount) as dark:
            Budget(dark)
