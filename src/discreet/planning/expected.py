"""The mechanisms of any family side by side, by the errors to expect: from public values alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet import check
from discreet.core import Guarantee, Mechanism, families
from discreet.core.counts import AnyModel
from discreet.core.family import MechanismSpec
from discreet.errors import InputError, NotEnumerable
from discreet.report import Tabled

_HEADING = ("mechanism", "ε proved", "δ", "expected error", "in words")


@dataclass(frozen=True)
class ExpectedRow:
    """One mechanism, and what `Mechanism.expected_error` says of it."""

    mechanism: str
    guarantee: Guarantee
    expected: Any

    @property
    def error(self) -> float:
        """By which the rows are ordered, and `dp.plan` judges."""
        return float(self.expected.error)


@dataclass(frozen=True, repr=False)
class ExpectedComparison(Tabled):
    """A row for every mechanism that says what error to expect, the least error first."""

    title: str
    found: tuple[ExpectedRow, ...]

    @property
    def heading(self) -> tuple[str, ...]:
        """The names of the columns."""
        return _HEADING

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text."""
        return [
            (
                row.mechanism,
                check.show(row.guarantee.epsilon),
                check.show(row.guarantee.delta),
                f"{row.error:.3g}",
                str(row.expected).splitlines()[0],
            )
            for row in self.found
        ]

    @property
    def remarks(self) -> list[str]:
        """What the figures are from."""
        return ["From public values alone: no data enter."]


def compare_expected(model: AnyModel, n: int, epsilon: object, delta: float) -> ExpectedComparison:
    """The mechanisms of the model's family for n records, under substitution; normal noise at δ."""
    records = check.whole("counts", n, least=1)
    budget = check.epsilon(epsilon)
    specs = families.of_model(model).specs
    rows = [
        ExpectedRow(made.name, made.guarantee, made.expected_error())
        for spec in specs
        if spec.can("expected_error")
        for made in _made(spec, model, records, budget, delta)
        if made.guarantee.private
    ]
    rows.sort(key=lambda row: float(f"{row.error:.6g}"))
    title = f"{model!r}, n = {records}, {check.equation('ε', budget)}"
    return ExpectedComparison(title, tuple(rows))


def _made(
    spec: MechanismSpec, model: AnyModel, n: int, epsilon: Any, delta: float
) -> list[Mechanism]:
    """Without a δ and with one, where these are possible."""
    tolerant = any(option.name == "delta" for option in spec.options)
    made = []
    ways: list[dict[str, Any]] = [{}, {"delta": delta}] if tolerant else [{}]
    for options in ways:
        try:
            made.append(families.mechanism(spec.name, model, n, epsilon=epsilon, **options))
        except NotEnumerable:
            continue
        except InputError as error:
            if error.argument != "delta":
                raise
    return made
