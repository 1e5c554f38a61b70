"""Mutants of the code of mechanisms: one number, or one operator, is another."""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


def changes(path: str) -> list[tuple[int, str]]:
    """The places of a module that can be changed, each with what it says, in words."""
    places = [node for node in ast.walk(_tree(path)) if _can(node)]
    return [(number, _words(node)) for number, node in enumerate(places)]


@contextmanager
def mutated(path: str, number: int, users: Sequence[str] = ()) -> Iterator[None]:
    """A module with one change; `users` are modules that have names of it, and are made anew."""
    tree = copy.deepcopy(_tree(path))
    node = [node for node in ast.walk(tree) if _can(node)][number]
    if isinstance(node, ast.BinOp):
        node.op = SWAPPED[type(node.op)]()
    else:
        assert isinstance(node, ast.Constant)
        assert isinstance(node.value, int)
        node.value += 1
    before = {name: import_module(name) for name in (path, *users)}
    try:
        sys.modules[path] = _module(path, tree)
        for name in users:
            sys.modules[name] = _module(name, _tree(name))
        yield
    finally:
        sys.modules.update(before)


def _can(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in SWAPPED
    return isinstance(node, ast.Constant) and type(node.value) is int and 0 < node.value < 10


def _words(node: ast.AST) -> str:
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.BinOp):
        return f"line {line}: {ast.unparse(node)} with {SWAPPED[type(node.op)].__name__}"
    return f"line {line}: {ast.unparse(node)} and one"


def _tree(path: str) -> ast.Module:
    return ast.parse(_file(path).read_text(encoding="utf-8"))


def _file(path: str) -> Path:
    spec = util.find_spec(path)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def _module(path: str, tree: ast.Module) -> ModuleType:
    spec = util.spec_from_loader(path, None, origin=str(_file(path)))
    assert spec is not None
    module = util.module_from_spec(spec)
    sys.modules[path] = module  # dataclasses look there
    exec(compile(ast.fix_missing_locations(tree), str(_file(path)), "exec"), module.__dict__)
    return module
