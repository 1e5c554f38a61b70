from __future__ import annotations

import doctest
import linecache
import re
from importlib import import_module
from pathlib import Path

import pytest

import discreet as dp

ROOT = Path(__file__).parents[1]


def test_every_public_name_loads_and_is_documented() -> None:
    for name in dp.__all__:
        value = getattr(dp, name)
        if callable(value):
            assert value.__doc__, name
    assert set(dp.__all__) == set(dir(dp))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        dp.nonsense  # noqa: B018


def test_package_docstring() -> None:
    for room in ("discreet", "discreet.making", "discreet.releasing"):
        result = doctest.testmod(import_module(room))
        assert result.attempted > 0
        assert result.failed == 0


@pytest.mark.parametrize("page", ["README.md"])  # the guide: test_guide.py
def test_code_on_the_pages_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All python blocks of a page, one after another, in one namespace."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for place, block in enumerate(blocks):
        where = f"{page}, block {place}"  # whose source Python knows, as that of a notebook cell
        linecache.cache[where] = (len(block), None, block.splitlines(keepends=True), where)
        exec(compile(block, where, "exec"), names)
