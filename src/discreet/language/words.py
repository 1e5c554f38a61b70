"""The words of the language, for editors and type checkers; programs are parsed, not executed.

A word has the name that its rule goes by. Called outside of a program, only distributions do
something: they are the candidates and results of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from discreet.errors import DiscreetError
from discreet.programs import families
from discreet.programs.families import Law
from discreet.programs.signatures import SIGNATURES

T = TypeVar("T")
S = TypeVar("S")

pi = 3.141592653589793  # a program's π has 30 digits; found by its name


class Noise(Generic[T]):
    """A mechanism that was not drawn from yet."""


class Family:
    """A family of distributions; called, one of them."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.__doc__ = f"{word}({', '.join(families.FAMILIES[word])})"

    def __call__(self, *parameters: Any, **named: Any) -> Law:
        """One of them, with exact parameters."""
        names = families.FAMILIES[self.word]
        given = [*parameters, *(named[name] for name in names if name in named)]
        return families.make(self.word, *given)

    def __repr__(self) -> str:
        return self.word


Bernoulli = Family("Bernoulli")
Categorical = Family("Categorical")
Beta = Family("Beta")
Dirichlet = Family("Dirichlet")
Normal = Family("Normal")
Finite = Family("Finite")


def _only_in_programs(name: str) -> NoReturn:
    raise DiscreetError(
        f"{name} is a word of the language: it has a meaning inside a function decorated with "
        "@private(…)"
    )


def sample(mechanism: Noise[T]) -> T:
    """Draw; what comes out is public. Costs what the mechanism costs."""
    _only_in_programs("sample")


def sample_each(mechanism: Callable[[Any], Noise[T]], data: Iterable[Any]) -> Sequence[T]:
    """Draw once for every record, from a mechanism that uses this record only."""
    _only_in_programs("sample_each")


def laplace(eps: float, x: T, grid: float | None = None) -> Noise[T]:
    """Add noise with density ∝ exp(−eps·|z|), on the steps of a count or on a grid: (eps·d, 0)."""
    _only_in_programs("laplace")


def gauss(sigma: float, x: T, grid: float | None = None) -> Noise[T]:
    """Add normal noise: its exact hockey-stick δ, or the (ε, δ) of analytic_sigma."""
    _only_in_programs("gauss")


def analytic_sigma(eps: float, delta: float, distance: float) -> float:
    """The least normal noise that is (eps, delta)-private at this distance."""
    _only_in_programs("analytic_sigma")


def exp_mech(eps: float, score: Callable[[T], Any], candidates: Sequence[T]) -> Noise[T]:
    """A candidate r with weight exp(eps·score(r)/2): (eps·Δscore, 0)."""
    _only_in_programs("exp_mech")


def parallel(
    body: Callable[[Any], T], data: Iterable[Any], cells: Sequence[Callable[[Any], Any]]
) -> tuple[T, ...]:
    """The same for every cell of a public partition."""
    _only_in_programs("parallel")


def observe_all(family: Family, data: Iterable[Any], prior: Law, variance: float = 1) -> Law:
    """Learn from records that are draws of a family: Bernoulli, Categorical or Normal."""
    _only_in_programs("observe_all")


def observe(likelihood: Callable[[Any], Any], belief: Law) -> Law:
    """The belief given that a test of the unknown, or a draw given it, is true."""
    _only_in_programs("observe")


def ran(law: Law) -> Any:
    """A random variable: a prior, or a draw inside a likelihood."""
    _only_in_programs("ran")


def infer(belief: Law) -> Law:
    """The posterior."""
    _only_in_programs("infer")


def params(posterior: Law) -> tuple[float, ...]:
    """(a, b) of a Beta, the vector of a Dirichlet, (mean, variance) of a Normal."""
    _only_in_programs("params")


def mean(posterior: Law) -> float:
    """The mean of a normal posterior."""
    _only_in_programs("mean")


def hellinger(posterior: Law, other: Any) -> float:
    """The Hellinger distance to a public distribution."""
    _only_in_programs("hellinger")


def total_variation(posterior: Law, other: Any) -> float:
    """The total variation distance to a public distribution."""
    _only_in_programs("total_variation")


def kl(posterior: Law, other: Any) -> float:
    """KL(posterior ‖ other): no metric, so it has no rule as a score."""
    _only_in_programs("kl")


def fold(step: Callable[[T, Any], T], start: T, data: Iterable[Any]) -> T:
    """Go through the records: step(step(start, r₁), r₂) and so on."""
    _only_in_programs("fold")


def count(test: Callable[[Any], Any], data: Iterable[Any]) -> int:
    """How many records satisfy a test."""
    _only_in_programs("count")


def clip(x: float, low: float, high: float) -> float:
    """X, or the nearer bound."""
    _only_in_programs("clip")


def sqrt(x: float) -> float:
    """The root of a public number."""
    _only_in_programs("sqrt")


def log(x: float) -> float:
    """The logarithm of a public number."""
    _only_in_programs("log")


def exp(x: float) -> float:
    """The exponential of a public number."""
    _only_in_programs("exp")


WORDS: dict[int, str] = {
    id(word): name
    for name, word in list(globals().items())
    if isinstance(word, Family) or (callable(word) and name in SIGNATURES)
}
BUILTINS = ("map", "sum", "len", "range", "min", "max", "abs")
