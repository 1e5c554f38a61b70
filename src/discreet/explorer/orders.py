"""A release that is planned: what it costs in words, and how it is carried out."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet import check, text_input
from discreet.core import Adjacency, Guarantee
from discreet.core.families import mechanism as make
from discreet.errors import InputError
from discreet.explorer.settings import whole_number
from discreet.families.dirichlet.model import DirichletMultinomial
from discreet.ledger import Ledger
from discreet.ledger.accounts import DOUBLED
from discreet.ledger.amounts import decimal
from discreet.releases.published import AnyRelease
from discreet.releases.releasing import release

# mechanisms whose guarantee is the epsilon that is asked for
SAFE = ("lattice", "optimal", "ls_hist", "ls_dim", "ehd", "ehds", "randomized_response")
UNKNOWN = {"error": "refuse them", "drop": "leave them out"}
ADJACENCIES = {
    "substitute": "replacing one (n is public)",
    "add-remove": "adding or removing one",
}


@dataclass(frozen=True)
class Order:
    """What is released, from where, and who pays. The file is not opened before `carry_out`."""

    data: str
    column: str
    categories: str
    prior: str
    epsilon: Fraction
    mechanism: str
    adjacency: str
    unknown: str
    where: str | None
    unit: str | None
    max_per_unit: int | None
    table: str | None
    ledger: str
    dataset: str
    request_id: str = field(default_factory=lambda: f"explorer-{uuid.uuid4().hex[:12]}")

    @property
    def model(self) -> DirichletMultinomial:
        """Of the declared categories."""
        return text_input.model_of(self.categories, self.prior)

    @property
    def guarantee(self) -> Guarantee:
        """What the release will promise; it does not depend on the number of records."""
        public = None if self.adjacency == Adjacency.ADD_REMOVE.value else 2
        unit: dict[str, Any] = {}
        if self.unit is not None:
            unit = {"unit": self.unit, "max_per_unit": self.max_per_unit}
        made = make(
            self.mechanism,
            self.model,
            public,
            epsilon=self.epsilon,
            adjacency=self.adjacency,
            **unit,
        )
        return made.guarantee

    def in_words(self) -> list[str]:
        """What it costs, for the one who has to confirm it; refused if the budget is too small."""
        found = Ledger.existing(self.ledger).quote(self.dataset, self.guarantee)
        cost, left = decimal(found.cost.epsilon), decimal(found.account.remaining().epsilon)
        whom = f"one {self.guarantee.unit}"
        said = [
            f"The release of {self.column!r} spends ε = {cost} of the {left} left of "
            f"{self.dataset!r}; {decimal(found.after.remaining().epsilon)} will be left."
        ]
        if (self.guarantee.adjacency, found.account.adjacency) == DOUBLED:
            said.append(
                "It counts twice because the budget of the data set is kept for replacing one."
            )
        if found.new:
            said.append(f"It would be the first release from {self.dataset!r}.")
        change = Adjacency(self.adjacency).change
        factor = math.exp(min(float(self.epsilon), 700.0))
        said += [
            f"Whatever somebody believes about {whom}, the release changes the odds by a factor of "
            f"at most {factor:.3g}: {change} {whom} is what is protected.",
            "It cannot be undone: what is spent stays spent, also if nobody likes the result.",
        ]
        if self.adjacency == Adjacency.SUBSTITUTE.value:
            said.append("The number of records becomes public.")
        return said

    def afterwards(self, made: AnyRelease) -> list[str]:
        """What a release that was carried out has cost, and what is left."""
        said = [f"It cost {made.guarantee}."]
        if made.n_source == "sum of the counts":
            said.append("The number of records is made public.")
        left = Ledger.existing(self.ledger).remaining(self.dataset)
        return [*said, f"Left for {self.dataset}: {left}."]

    def carry_out(self) -> AnyRelease:
        """Count, pay, draw. Only what was paid for comes back."""
        ledger = Ledger.existing(self.ledger)
        counts = self.model.count(
            self.data,
            self.column,
            unknown=self.unknown,
            where=self.where,
            unit=self.unit,
            max_per_unit=self.max_per_unit,
            table=self.table,
        )
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


def read_order(given: Mapping[str, object]) -> Order:
    """From what was typed; a sentence where it makes no sense. The file is not opened."""
    texts = {name: str(value or "").strip() for name, value in given.items()}
    for name in ("data", "column", "categories", "epsilon", "ledger", "dataset"):
        if not texts[name]:
            raise InputError(f"{name} must be given", name)
    if bool(texts["unit"]) != bool(texts["max_per_unit"]):
        raise InputError(
            "unit and max_per_unit belong together: the column that tells whose record it is, and "
            "how many records of one are kept",
            "unit",
        )
    most = None
    if texts["max_per_unit"]:
        most = whole_number("max_per_unit", texts["max_per_unit"])
    found = Order(
        place("data", texts["data"]),
        texts["column"],
        texts["categories"],
        ",".join(texts["prior"].replace(",", " ").split()) or "1",
        check.epsilon(check.text_number("epsilon", texts["epsilon"])),
        check.choice("mechanism", texts["mechanism"], SAFE),
        check.choice("adjacency", texts["adjacency"], tuple(ADJACENCIES)),
        check.choice("unknown", texts["unknown"], tuple(UNKNOWN)),
        texts["where"] or None,
        texts["unit"] or None,
        most,
        texts["table"] or None,
        place("ledger", texts["ledger"]),
        texts["dataset"],
    )
    _ = found.guarantee  # a combination that does not exist is refused here
    return found


def place(argument: str, text: str) -> str:
    """A URL as it is, a file by its whole name, so that it is found from anywhere."""
    try:
        return text if "://" in text else str(Path(text).expanduser().absolute())
    except (RuntimeError, ValueError, OSError):
        raise InputError(f"{argument} {check.brief(text)} is no name of a file", argument) from None
