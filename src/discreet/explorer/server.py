"""The server: one process, one address, one token."""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
        inner,
        mount_path=f"/{token}",
        title="discreet",
        favicon="🔏",
        show_welcome_message=False,
        reconnect_timeout=300,  # what was released is still there after a short sleep
    )
    app.on_shutdown(computer.close)
    app.on_startup(lambda: _begin(address, announce, browser))
    for name in ("nicegui", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # a log could quote what was typed
    gate = Gate(inner, token, chosen)
    config = uvicorn.Config(gate, log_level="critical", access_log=False, server_header=False)
    uvicorn.Server(config).run([taken])


def _begin(address: str, announce: Callable[[str], None], browser: bool) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    announce(address)
    if browser:
        threading.Thread(target=_show, args=(address,), daemon=True).start()


def _show(address: str) -> None:
    """Open the address by way of a file: everybody can see what a browser was started with."""
    folder = Path(tempfile.mkdtemp(prefix="discreet-explorer-"))  # for this user only
    app.on_shutdown(lambda: shutil.rmtree(folder, ignore_errors=True))
    page = folder / "open.html"
    page.write_text(
        f'<meta http-equiv="refresh" content="0; url={address}">\n'
        f'<a href="{address}">discreet</a>\n',
        encoding="utf-8",
    )
    webbrowser.open(page.as_uri())


def _pages(computer: Computer) -> None:
    """Fields come once the page is connected: what is typed before that would be lost."""
    desk = Desk()

    @ui.page("/")
    async def design(client: Client) -> None:
        with layout.frame("/", desk):
            await client.connected()
            if not client.is_deleted:
                client.on_delete(Design(computer, desk).close)

    @ui.page("/plan")
    async def plan(client: Client) -> None:
        with layout.frame("/plan", desk):
            await client.connected()
            if not client.is_deleted:
                client.on_delete(Plan(computer, desk).close)

    @ui.page("/budget")
    async def budget(client: Client) -> None:
        with layout.frame("/budget", desk):
            await client.connected()
            Budget(desk)
