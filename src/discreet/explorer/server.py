"""The server: one process, one address, one token."""

from __future__ import annotations

import asyncio
import logging
import socket
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import uvicorn
from fastapi import FastAPI
from nicegui import Client, app, ui

from discreet.explorer import layout
from discreet.explorer.budget import Budget
from discreet.explorer.computing import Computer
from discreet.explorer.design import Design
from discreet.explorer.gate import HOST, Gate, new_token
from discreet.explorer.layout import Desk
from discreet.explorer.plan import Plan

THREADS = 64  # for what waits: ledgers that others use, files that are counted


def serve(
    computer: Computer, taken: socket.socket, browser: bool, announce: Callable[[str], None]
) -> None:
    """Serve the pages until interrupted."""
    chosen = taken.getsockname()[1]
    token = new_token()
    address = f"http://{HOST}:{chosen}/{token}/"
    _pages(computer)
    inner = FastAPI(openapi_url=None)
    ui.run_with(
        inner, mount_path=f"/{token}", title="discreet", favicon="🔏", show_welcome_message=False
    )
    app.on_shutdown(computer.close)
    app.on_startup(lambda: _begin(address, announce, browser))
    logging.getLogger("nicegui").setLevel(logging.CRITICAL)  # a log could quote what was typed
    gate = Gate(inner, token, chosen)
    config = uvicorn.Config(gate, log_level="critical", access_log=False, server_header=False)
    uvicorn.Server(config).run([taken])


def _begin(address: str, announce: Callable[[str], None], browser: bool) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    announce(address)
    if browser:
        webbrowser.open(address)


def _pages(computer: Computer) -> None:
    """Fields come once the page is connected: what is typed before that would be lost."""
    desk = Desk()

    @ui.page("/")
    async def design(client: Client) -> None:
        with layout.frame("/", desk):
            await client.connected()
            Design(computer, desk)

    @ui.page("/plan")
    async def plan(client: Client) -> None:
        with layout.frame("/plan", desk):
            await client.connected()
            Plan(computer, desk)

    @ui.page("/budget")
    async def budget(client: Client) -> None:
        with layout.frame("/budget", desk):
            await client.connected()
            Budget(desk)
