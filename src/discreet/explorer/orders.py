"""A release that is planned: what it costs in words, how it is made, here and elsewhere."""

from __future__ import annotations

import json
import math
import shlex
import uuid
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet import check
from discreet.core import Adjacency, Mechanism
from discreet.errors import InputError
from discreet.explorer.previews import number
from discreet.ledger import Account, Ledger
from discreet.making import mechanism as make
from discreet.models.dirichlet import DirichletMultinomial
from discreet.releases import Release
from discreet.releasing import release

SAFE = ("lattice", "ls_hist", "ls_dim", "ehd", "ehds")  # whose guarantee is the epsilon asked for
UNKNOWN = {"error": "refuse them", "drop": "leave them out"}


@dataclass(frozen=True)
class Order:
    """What is released, from where, and who pays. The file is not opened before `carry_out`."""

    data: str
    column: str
    categories: tuple[str, ...]
    prior: str
    epsilon: Fraction
    mechanism: str
    adjacency: str
    unknown: str
    ledger: str
    dataset: str
    request_id: str = field(default_factory=lambda: f"explorer-{uuid.uuid4().hex[:12]}")

    @property
    def model(self) -> DirichletMultinomial:
        """Of the declared categories."""
        return DirichletMultinomial(self.categories, _prior(self.prior))

    def made(self, n: int) -> Mechanism:
        """The mechanism at a made-up number of records."""
        public = None if self.adjacency == Adjacency.ADD_REMOVE.value else n
        return make(
            self.mechanism, self.model, public, epsilon=self.epsilon, adjacency=self.adjacency
        )

    def account(self) -> Account | None:
        """The budget that pays; None if the data set is new and gets the ledger's usual one."""
        found = [a for a in opened(self.ledger).datasets() if a.dataset == self.dataset]
        return found[0] if found else None

    def in_words(self) -> list[str]:
        """What it costs, for the one who has to confirm it."""
        account = self.account()
        whose = "record" if account is None else account.unit
        change = Adjacency.of(self.adjacency).change
        left = "" if account is None else f" of the {_amount(account.remaining().epsilon)} left"
        factor = math.exp(float(self.epsilon))
        return [
            f"The release of {self.column!r} spends ε = {check.show(self.epsilon)}{left} of "
            f"{self.dataset!r}.",
            f"Whatever somebody believes about one {whose}, the release changes the odds by a "
            f"factor of at most {factor:.3g} ({change} one {whose} is what is protected).",
            "It cannot be undone: what is spent stays spent, also if nobody likes the result.",
        ]

    def carry_out(self) -> Release:
        """Count, pay, draw. Only what was paid for comes back."""
        ledger = opened(self.ledger)
        counts = self.model.count(self.data, self.column, unknown=self.unknown)
        return release(
            counts,
            self.model,
            self.epsilon,
            self.mechanism,
            adjacency=self.adjacency,
            ledger=ledger,
            dataset=self.dataset,
            request_id=self.request_id,
        )

    # ---- elsewhere -----------------------------------------------------------------------------

    def command_line(self) -> str:
        """The same on the command line; with its request id the ledger returns what was stored."""
        words = ["discreet", "release", self.data]
        for name, value in (
            ("column", self.column),
            ("categories", ",".join(self.categories)),
            ("prior", self.prior),
            ("epsilon", str(self.epsilon)),
            ("mechanism", self.mechanism),
            ("adjacency", self.adjacency),
            ("unknown", self.unknown),
            ("ledger", self.ledger),
            ("dataset", self.dataset),
            ("request-id", self.request_id),
            ("out", "release.json"),
        ):
            words += [f"--{name}", value]
        return shlex.join(words)

    def script(self) -> str:
        """The same in Python."""
        return "\n".join(("\n\n".join(self._cells()), ""))

    def notebook(self) -> str:
        """The same as a Jupyter notebook."""
        cells: list[dict[str, Any]] = [
            {
                "cell_type": "code",
                "execution_count": None,
                "id": f"cell-{place}",
                "metadata": {},
                "outputs": [],
                "source": source,
            }
            for place, source in enumerate((*self._cells(), "release.plot().figure"))
        ]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        found = {
            "cells": cells,
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        return json.dumps(found, indent=1, ensure_ascii=False)

    def _cells(self) -> tuple[str, ...]:
        prior = _prior(self.prior)
        written: Any = prior if isinstance(prior, str) else [str(x) for x in self.model.prior]
        shown = repr(written) if isinstance(written, str) else f"[Fraction(x) for x in {written!r}]"
        return (
            "from fractions import Fraction\n\nimport discreet as dp",
            f"model = dp.DirichletMultinomial({list(self.categories)!r}, prior={shown})\n"
            f"counts = model.count({self.data!r}, {self.column!r}, unknown={self.unknown!r})",
            f"ledger = dp.Ledger.open({self.ledger!r})\n"
            "# with this request_id the ledger returns the stored release: nothing is paid twice\n"
            "release = dp.release(\n"
            f"    counts, model, Fraction({str(self.epsilon)!r}), {self.mechanism!r},\n"
            f"    adjacency={self.adjacency!r}, ledger=ledger, dataset={self.dataset!r},\n"
            f"    request_id={self.request_id!r},\n"
            ")",
            "print(release.guarantee)\nprint(release.summary())",
        )


def read_order(
    data: object,
    column: object,
    categories: object,
    prior: object,
    epsilon: object,
    mechanism: object,
    adjacency: object,
    unknown: object,
    ledger: object,
    dataset: object,
) -> Order:
    """From what was typed; a sentence where it makes no sense. The file is not opened."""
    texts = {"data": data, "column": column, "ledger": ledger, "dataset": dataset}
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{name} must be given", name)
    labels = tuple(part.strip() for part in str(categories or "").split(",") if part.strip())
    if len(labels) < 2:
        raise InputError("categories must be two or more, separated by commas", "categories")
    chosen = check.epsilon(number("epsilon", str(epsilon)))
    found = Order(
        str(Path(str(data).strip()).expanduser()),
        str(column).strip(),
        labels,
        str(prior or "1").strip(),
        chosen,
        check.choice("mechanism", mechanism, SAFE),
        check.choice("adjacency", adjacency, ("substitute", "add-remove")),
        check.choice("unknown", unknown, tuple(UNKNOWN)),
        _place(str(ledger).strip()),
        str(dataset).strip(),
    )
    found.made(2)  # a combination that does not exist is refused here
    return found


def _place(ledger: str) -> str:
    return ledger if "://" in ledger else str(Path(ledger).expanduser())


def _prior(text: str) -> Any:
    if text == "jeffreys":
        return text
    numbers = [number("prior", part) for part in text.replace(",", " ").split()]
    return numbers[0] if len(numbers) == 1 else numbers


def opened(place: str) -> Ledger:
    """A ledger that is there: the explorer makes none."""
    if "://" not in place and not Path(place).is_file():
        raise InputError(
            f"ledger {check.brief(place)} does not exist; make it with: discreet ledger init "
            "PLACE --budget EPSILON",
            "ledger",
        )
    return Ledger.open(place)


def _amount(epsilon: Any) -> str:
    return f"{float(epsilon):.6g}"
