"""Progress bars appear on a terminal only, and stack."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

import pytest

from discreet import progress


class Terminal(io.StringIO):
    """A terminal that keeps what was written."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    return found


def test_bars_stack_and_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_on = terminal(monkeypatch)
    seen = []
    for i in progress.track([1, 2], "outer"):
        for j in progress.track(range(2), "inner"):
            seen.append((i, j))
            [shown] = progress._display
            assert [task.description for task in shown.tasks] == ["outer", "inner"]
    assert seen == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert progress._display == []
    assert "outer" in shown_on.getvalue()


def test_an_error_leaves_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_on = terminal(monkeypatch)
    with suppress(ZeroDivisionError):
        for _ in progress.track(range(3), "work"):
            raise ZeroDivisionError
    assert progress._display == []
    assert "work" in shown_on.getvalue()


def test_nothing_is_shown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert list(progress.track(range(3), "work")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
