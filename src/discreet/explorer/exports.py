"""A release as a command, a script and a notebook: run again, the ledger returns what it stored."""

from __future__ import annotations

import json
import shlex
from typing import Any

from discreet.explorer.orders import Order

AGAIN = "# with this request_id the ledger returns the stored release: nothing is paid twice"


def command_line(order: Order) -> str:
    """The same on the command line."""
    words = ["discreet", "release", order.data]
    options: dict[str, object] = {
        "column": order.column,
        "categories": order.categories,
        "prior": order.prior,
        "epsilon": order.epsilon,
        "mechanism": order.mechanism,
        "adjacency": order.adjacency,
        "unknown": order.unknown,
        "where": order.where,
        "unit": order.unit,
        "max-per-unit": order.max_per_unit,
        "table": order.table,
        "ledger": None if _secret(order.ledger) else order.ledger,
        "dataset": order.dataset,
        "request-id": order.request_id,
        "out": "release.json",
        "plot": "release.png",
    }
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", str(value)]
    return shlex.join(words)


def shell_script(order: Order) -> str:
    """The command, with a word on what it does."""
    secret = "# set DISCREET_LEDGER to the URL of the ledger\n" if _secret(order.ledger) else ""
    return f"#!/bin/sh\n{AGAIN}\n{secret}{command_line(order)}\n"


def script(order: Order) -> str:
    """The same in Python."""
    return "\n\n".join(_cells(order)) + "\n"


def notebook(order: Order) -> str:
    """The same as a Jupyter notebook."""
    sources = ("%matplotlib inline", *_cells(order), "release.plot().figure")
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{place}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for place, source in enumerate(sources)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _cells(order: Order) -> tuple[str, ...]:
    model = order.model
    prior = "jeffreys" if order.prior == "jeffreys" else [str(x) for x in model.prior]
    shown = repr(prior) if isinstance(prior, str) else f"[Fraction(x) for x in {prior!r}]"
    rules = {
        "unknown": order.unknown,
        "where": order.where,
        "unit": order.unit,
        "max_per_unit": order.max_per_unit,
        "table": order.table,
    }
    given = ", ".join(f"{name}={value!r}" for name, value in rules.items() if value is not None)
    secret = _secret(order.ledger)
    ledger = 'os.environ["DISCREET_LEDGER"]' if secret else repr(order.ledger)
    return (
        ("import os\n" if secret else "")
        + "from fractions import Fraction\n\nimport discreet as dp",
        f"model = dp.DirichletMultinomial({list(model.categories)!r}, prior={shown})\n"
        f"counts = model.count({order.data!r}, {order.column!r}, {given})",
        f"ledger = dp.Ledger.open({ledger})\n{AGAIN}\n"
        "release = dp.release(\n"
        f"    counts,\n    model,\n    epsilon=Fraction({str(order.epsilon)!r}),\n"
        f"    mechanism={order.mechanism!r},\n    adjacency={order.adjacency!r},\n"
        f"    ledger=ledger,\n    dataset={order.dataset!r},\n"
        f"    request_id={order.request_id!r},\n)",
        "print(release.guarantee)\nprint(release.summary())",
    )


def _secret(ledger: str) -> bool:
    """Whether a ledger is named by a URL, which may have a password: no file is to hold it."""
    return "://" in ledger
