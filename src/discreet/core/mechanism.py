"""A mechanism is a value: a law for every input, a public post-processing, and a guarantee."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core.adjacency import Adjacency
from discreet.core.counts import AVERAGED, CountsLike
from discreet.core.documents import VERSION, encode
from discreet.core.guarantee import Guarantee
from discreet.core.law import Law, Outcome, Value
from discreet.errors import InputError
from discreet.exact import Ints


@dataclass(frozen=True)
class Config:
    """Everything public that defines a mechanism; `dp.mechanism` rebuilds it from this.

    `options` are resolved: nothing is left to a default, which a later version may choose better.
    `asked` are those that were asked for, where these left something open, and what documents of
    version 1 say.
    """

    mechanism: str
    model: Any  # a `Model`: the mechanism knows of which family
    n: int | None
    epsilon: Fraction
    adjacency: Adjacency
    options: tuple[tuple[str, Any], ...] = ()
    asked: tuple[tuple[str, Any], ...] | None = field(default=None, compare=False)

    def document(self, version: int = VERSION) -> dict[str, Any]:
        """As JSON can hold it, as documents of a version have it."""
        options = self.options if self.asked is None or version > 1 else self.asked
        return {
            "model": dict(self.model.to_document()),
            "mechanism": self.mechanism,
            "n": self.n,
            "epsilon": str(self.epsilon),
            "adjacency": self.adjacency.value,
            "options": {name: encode(value) for name, value in options},
        }

    @property
    def label(self) -> str:
        """The mechanism, and whether it is calibrated."""
        calibrated = ", calibrated" if dict(self.options).get("calibrate") else ""
        return f"{self.mechanism}{calibrated}"

    @property
    def heading(self) -> str:
        """Mechanism and n, and what is counted if a unit may have several records."""
        number = "n private" if self.n is None else f"n = {self.n}"
        return ", ".join(filter(None, (self.label, number, self.counted)))

    @property
    def counted(self) -> str:
        """What the counts are of, where that is not every record."""
        options = dict(self.options)
        unit = options.get("unit", "record")
        if options.get("per_unit") == "average":
            return f"every {unit} weighs one"
        most = options.get("max_per_unit", 1)
        one = f"{most} records" if most > 1 else "one record"
        return "" if unit == "record" else f"at most {one} of every {unit}"

    @property
    def title(self) -> str:
        """What stands above a figure: mechanism, n and ε."""
        return f"{self.heading}, {check.equation('ε', self.epsilon)}"

    @property
    def parts(self) -> int:
        """How many steps of the noise one record is, or one unit if each weighs one."""
        return AVERAGED if dict(self.options).get("per_unit") == "average" else 1

    def __str__(self) -> str:
        settings = {"n": self.n, "epsilon": check.show(self.epsilon), **dict(self.options)}
        if self.n is None:
            settings["n"] = "private"
        text = ", ".join(f"{name}={_plain(value)}" for name, value in settings.items())
        return f"{self.mechanism}({text}, adjacency={self.adjacency.value})"


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return "given"  # a whole matrix or vector
    return check.show(value) if isinstance(value, Fraction) else value


def _anything(raw: Outcome) -> bool:
    return True


@dataclass(frozen=True, repr=False)
class Mechanism:
    """From counts to a released vector of counts.

    `raw_law` is what the sampler draws from and the auditor reads; `postprocess` is public and
    deterministic; `law` is the law of released counts of categories, of other models `raw_law`. If
    every unit weighs one, both are of counts in parts of 1/3600 of it.

    Args:
        config: everything public that defines it.
        guarantee: what is promised, and why.
        make_raw_law: from a vector of counts to the law of the raw output.
        make_law: from a vector of counts to the law of what is released.
        make_released: from rows of raw output to rows of what is released.
        length: how many numbers are released: the model's size, if None.
        possible: whether whole numbers can be a raw output, which is the same for all data.

    Guarantee:
        `guarantee`: (ε, δ), adjacency, unit and basis, of the raw output and all made from it.

    Example:
        >>> import discreet as dp
        >>> mechanism = dp.mechanism("ehds", dp.BetaBinomial(), n=9, epsilon=1)
        >>> mechanism.name, mechanism.law((4, 5)).support.shape
        ('ehds', (10, 2))
    """

    config: Config
    guarantee: Guarantee
    make_raw_law: Callable[[Outcome], Law] = field(compare=False)
    make_law: Callable[[Outcome], Law] = field(compare=False)
    make_released: Callable[[Ints], NDArray[Any]] = field(compare=False)
    length: int | None = field(default=None, kw_only=True)
    possible: Callable[[Outcome], bool] = field(default=_anything, compare=False, kw_only=True)

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self.config.mechanism

    def domain(self, counts: CountsLike) -> Outcome:
        """The counts in category order, if the mechanism is defined for them."""
        values: Outcome = self.config.model.to_vector(counts)
        if self.config.n is not None and self.config.model.n_records(values) != self.config.n:
            raise InputError(f"counts must sum to the declared n = {self.config.n}", "counts")
        return values

    def raw_law(self, counts: CountsLike) -> Law:
        """The law of the raw output, before post-processing."""
        return self.make_raw_law(self.domain(counts))

    def law(self, counts: CountsLike) -> Law:
        """The law of the released counts."""
        return self.make_law(self.domain(counts))

    def expected_error(self, n: int | None = None) -> Any:
        """What error to expect of a release, from public values: of continuous models only.

        Args:
            n: a guess at the number of records, where it is private.
        """
        from discreet.core.families import spec_of

        size = self.config.n if n is None else check.whole("n", n)
        if size is None:
            raise InputError("n must be given where it is private", "n")
        return spec_of(self).expected_error(self, size)

    def postprocess(self, raw: Sequence[int] | NDArray[Any]) -> Value:
        """The released counts that a raw output leads to."""
        values = list(raw) if isinstance(raw, (Sequence, np.ndarray)) else []
        if values and all(
            type(x) is not bool and isinstance(x, (int, np.integer)) and abs(int(x)) < 2**63
            for x in values
        ):
            if not self.possible(tuple(map(int, values))):
                raise InputError("raw must be an output that the mechanism can give", "raw")
            released = self.make_released(np.array([values], dtype=np.int64))
            if released.shape[1] == (self.length or self.config.model.size):
                return tuple(released[0].tolist())
        raise InputError("raw must be the whole numbers of a raw output", "raw")

    def __repr__(self) -> str:
        return f"<{self.config}: {self.guarantee}>"


def require_categories(mechanism: Mechanism) -> None:
    """Refuse mechanisms for other counts than those of categories."""
    if not hasattr(mechanism.config.model, "categories"):
        raise InputError(
            f"mechanism must be one for counts of categories, got {mechanism.name!r} for "
            f"{mechanism.config.model!r}",
            "mechanism",
        )


def unchanged(raw: Ints) -> Ints:
    """The raw output is released as it is."""
    return raw


def in_whole(parts: int, released: Callable[[Ints], Ints], raw: Ints) -> NDArray[Any]:
    """What is released of counts in parts of one: exact fractions, whole where they are."""
    counts = released(raw)
    if parts == 1:
        return counts
    rows = [
        [Fraction(x, parts) if x % parts else x // parts for x in row] for row in counts.tolist()
    ]
    return np.array(rows, dtype=object).reshape(counts.shape)


def drawn_from(n: int | None, raw: Outcome) -> bool:
    """Whether it can be noise: where n = 0 is public nothing is drawn, and all is 0."""
    return n != 0 or not any(raw)


def summing_to(n: int, raw: Outcome) -> bool:
    """Whether noise that keeps the total can lead to it."""
    return sum(raw) == n and drawn_from(n, raw)


def counting(n: int | None, raw: Outcome) -> bool:
    """Whether these are counts of n records."""
    return min(raw) >= 0 and sum(raw) == n
