"""What the pages share."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("nicegui", reason="the explorer needs NiceGUI")

from discreet.explorer import layout
from tests.explorer.browsing import settled


def test_who_waits_long_sees_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "PATIENCE", 0.01)
    shown: list[str] = []

    async def waited() -> int:
        async with layout.meanwhile(lambda: shown.append("…")):
            while len(shown) < 3:
                await asyncio.sleep(0.01)
        seen = len(shown)
        await asyncio.sleep(0.1)
        return seen

    assert settled(waited()) == len(shown)


def test_who_does_not_wait_sees_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "PATIENCE", 60.0)
    shown: list[str] = []

    async def waited() -> None:
        async with layout.meanwhile(lambda: shown.append("…")):
            await asyncio.sleep(0)

    settled(waited())
    assert not shown
