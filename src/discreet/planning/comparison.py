"""`dp.compare`: every mechanism at the same counts and the same epsilon, side by side."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from discreet import check, plots
from discreet.auditing import audit
from discreet.check import Number
from discreet.core import Adjacency, CategoricalModel, Counts, Guarantee, Mechanism, families
from discreet.core.counts import AnyModel, CountsLike, values_of
from discreet.errors import InputError, NotEnumerable
from discreet.exact import compositions
from discreet.extras import needed
from discreet.planning.accuracy import OWNER, accuracy, mean_error
from discreet.planning.expected import ExpectedComparison, compare_expected
from discreet.planning.limit import optimal
from discreet.planning.setting import require_categorical
from discreet.progress import track

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

MOST_AUDITED = 2_001  # vectors of counts up to which losses are computed and exponents calibrated
MOST_AVERAGED = 1_001  # up to which errors are averaged over all counts, for two categories
MOST_SOLVED = 50  # the same for more categories, where the limit is a linear program
DELTA = 1e-6  # of normal noise, and how smooth `smooth_hellinger` is
_HEADINGS = {
    "mechanism": "mechanism",
    "epsilon": "ε proved",
    "loss": "exact loss",
    "mean": "mean error",
    "error_95": "95 % error",
    "exact": "P(exact)",
    "ratio": "× limit",
    "seconds": "seconds",
}


@dataclass(frozen=True)
class Row:
    """One mechanism. A figure that cannot be computed at this size is None.

    `loss` is the exact privacy loss (`dp.audit`), `mean` and `error_95` the expected error and its
    95 % quantile at the counts, `exact` the probability that the exact posterior is released,
    `ratio` the error averaged uniformly over all counts, relative to the least that any private
    mechanism can have (`dp.optimal`), `seconds` the time of one release.
    """

    mechanism: str
    guarantee: Guarantee
    loss: float | None
    mean: float
    error_95: float
    exact: float
    ratio: float | None
    seconds: float

    def cells(self) -> dict[str, str | float | None]:
        """The figures by column."""
        proved = self.guarantee.epsilon
        return {
            "mechanism": self.mechanism,
            "epsilon": float(proved),
            **{name: getattr(self, name) for name in list(_HEADINGS)[2:]},
        }


@dataclass(frozen=True, repr=False)
class Comparison:
    """One row per mechanism, most accurate first; a table, a frame, a plot.

    Example:
        >>> import discreet as dp
        >>> table = dp.compare(dp.BetaBinomial(), (12, 8), epsilon=1)
        >>> [row.mechanism for row in table.rows][:2]
        ['lattice', 'optimal']
    """

    rows: tuple[Row, ...]
    title: str
    owner_only: bool
    note: str  # what "× limit" means, or why it is empty

    @property
    def _caption(self) -> list[str]:
        lines = ["Errors are Hellinger distances.", self.note]
        if any(row.guarantee.delta for row in self.rows):
            lines.append("With a δ the exact loss is that at δ; the limit is that without.")
        return [*lines, f"{OWNER.capitalize()}."] if self.owner_only else lines

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return _frame("pandas", [row.cells() for row in self.rows])

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        return _frame("polars", [row.cells() for row in self.rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Mean error and 95 % error of every mechanism."""
        bars = {row.mechanism: (row.mean, row.error_95) for row in self.rows}
        note = OWNER if self.owner_only else ""
        return plots.plot_ranges(bars, "hellinger", ax, note, self.title)

    def _texts(self) -> list[list[str]]:
        return [[_text(value) for value in row.cells().values()] for row in self.rows]

    def __rich__(self) -> Table:
        from rich import box
        from rich.table import Table

        caption = "\n".join(self._caption)
        table = Table(
            title=self.title,
            title_justify="left",
            caption=caption,
            caption_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            collapse_padding=True,  # fits 80 columns
        )
        for name, heading in _HEADINGS.items():
            first = name == "mechanism"
            two_lines = "\n".join(heading.rsplit(" ", 1))
            table.add_column(two_lines, justify="left" if first else "right", no_wrap=not first)
        for cells in self._texts():
            table.add_row(*cells)
        return table

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=120, highlight=False)
        with console.capture() as captured:
            console.print(self)
        return captured.get()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS.values())
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
            for cells in self._texts()
        )
        caption = "<br>".join(map(escape, self._caption))
        return (
            f"<p>{escape(self.title)}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table><p>{caption}</p>"
        )


@overload
def compare(model: CategoricalModel, counts: CountsLike, epsilon: Number) -> Comparison: ...


@overload
def compare(model: AnyModel, counts: int, epsilon: Number) -> ExpectedComparison: ...


def compare(model: Any, counts: Any, epsilon: Number) -> Comparison | ExpectedComparison:
    """All mechanisms at these counts and this epsilon, under substitution.

    Of a network, a mean or a regression: at a number of records, by the errors to expect.

    The exponential mechanisms appear as published and, where the audit is possible, calibrated.
    Computed from the counts without noise: for the data owner only, unless the counts are public or
    made up; a table made from `Counts` says so.

    Args:
        model: the model.
        counts: the true counts, or public or made-up ones; of other models the number of records.
        epsilon: the nominal parameter of every mechanism.

    Returns:
        A `Comparison`: `rows`, `to_pandas()`, `plot()`; of other models a table, with `found`.

    Raises:
        InputError: an argument is wrong.

    Guarantee:
        None: computed without noise, for the data owner only.

    Example:
        >>> import discreet as dp
        >>> table = dp.compare(dp.BetaBinomial(), (12, 8), epsilon=1)
        >>> table.rows[0].mechanism, round(table.rows[0].mean, 3)
        ('lattice', 0.13)
    """
    if isinstance(counts, int) and not hasattr(model, "categories"):
        return compare_expected(model, counts, epsilon, DELTA)
    require_categorical(model)
    values = values_of(counts, model.categories)
    n = sum(values)
    limit = _limit(model, n, epsilon)
    rows = []
    for name, calibrate in track(_variants(model, n), "comparing mechanisms"):
        start = time.perf_counter()
        try:
            made = _make(name, model, n, epsilon, calibrate)
            made.raw_law(values).sample(rng=np.random.default_rng(0))
        except NotEnumerable:
            continue  # cannot be released at this size
        seconds = time.perf_counter() - start
        law = accuracy(made, values, rng=np.random.default_rng(1))
        rows.append(
            Row(
                _label(made, calibrate),
                made.guarantee,
                _loss(made),
                law.mean,
                law.quantile(0.95),
                law.exact,
                mean_error(made) / limit if limit else None,
                seconds,
            )
        )
    rows.sort(key=lambda row: float(f"{row.mean:.6g}"))  # what is equal keeps the family's order
    title = f"{len(values)} categories, n = {n}, nominal ε = {epsilon}"
    return Comparison(tuple(rows), title, isinstance(counts, Counts), _note(limit, n))


def _label(made: Mechanism, calibrate: bool) -> str:
    """A mechanism, and what its epsilon alone would not say."""
    if made.guarantee.delta:
        return f"{made.name}, {check.equation('δ', made.guarantee.delta)}"
    return f"{made.name}, calibrated" if calibrate else made.name


def _note(limit: float | None, n: int) -> str:
    if limit is not None:
        return (
            "× limit: the error averaged uniformly over all counts, relative to the least possible."
        )
    reason = (
        "there are too many counts to average over" if n else "without records there is no error"
    )
    return f"× limit is empty: {reason}."


def _variants(model: CategoricalModel, n: int) -> list[tuple[str, bool]]:
    """Mechanisms as published, and calibrated where the audit is quick."""
    k, specs = len(model.categories), families.of_model(model).specs
    few = compositions.count(n, k) <= MOST_AUDITED
    names = [spec.name for spec in specs if spec.work != "program" or _solvable(n, k)]
    return [(name, False) for name in names] + [
        (spec.name, True) for spec in specs if few and spec.can("calibrate")
    ]


def _solvable(n: int, k: int) -> bool:
    return n > 0 and compositions.count(n, k) <= (MOST_AVERAGED if k == 2 else MOST_SOLVED)


def _make(
    name: str, model: CategoricalModel, n: int, epsilon: Number, calibrate: bool
) -> Mechanism:
    options: dict[str, Any] = {"calibrate": True} if calibrate else {}
    if "delta" in families.options_of(name, model):
        options["delta"] = DELTA
    return families.mechanism(name, model, n, epsilon=epsilon, **options)


def _limit(model: CategoricalModel, n: int, epsilon: Number) -> float | None:
    """The least average error of any private mechanism, where it is quick to compute."""
    if not _solvable(n, len(model.categories)):
        return None
    return optimal(model, n, epsilon).value or None


def _loss(made: Mechanism) -> float | None:
    n, k = made.config.n, len(made.config.model.categories)
    assert n is not None
    assert made.config.adjacency is Adjacency.SUBSTITUTE
    if compositions.count(n, k) > MOST_AUDITED and families.spec_of(made).work != "none":
        return None
    try:
        return audit(made).epsilon
    except (NotEnumerable, InputError):
        return None


def _text(value: str | float | None) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3g}"


def _frame(library: str, cells: list[dict[str, Any]]) -> Any:
    with needed(f"to_{library} needs {library}", library):
        frames = import_module(library)
    return frames.DataFrame(cells)
