"""Small random programs of the language, with the budget that the checker says they need."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from unittest import mock

from discreet.exact import balls
from discreet.language import Bool, Enum, List, Real, Tuple
from discreet.programs import checking, costs
from discreet.programs.abstract import Scenario
from discreet.programs.budgets import read_budget
from discreet.programs.costs import Budget, Cost
from discreet.programs.diagnostics import ProgramError
from discreet.programs.program import Program
from discreet.programs.proving import Prover
from discreet.programs.syntax import Span
from tests.programs.making import made

KINDS = {
    "bool": List[Bool],
    "enum": List[Enum("a", "b", "c")],
    "real": List[Real],
    "pair": List[Tuple[Enum("a", "b"), Bool]],
}
FACTORS = ("2", "3", "1/2", "3/2", "-1", "-2")
RATES = ("eps", "2 * eps", "eps / 2", "3 * eps / 2", "eps / 4")


@dataclass(frozen=True)
class Made:
    """A random program, and whether its budget is exactly what the checker says it spends."""

    program: Program
    kind: str
    exact: bool


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kind = self.random.choice(list(KINDS))
        self.adjacent = self.random.choice(("substitute", "add-remove"))
        self.lines: list[str] = []
        self.draws = 0
        self.released: list[str] = []

    def of(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        """True that often."""
        return self.random.random() < share

    # ---- private numbers ---------------------------------------------------------------------

    def test(self) -> str:
        """Of one record r."""
        if self.kind == "bool":
            return self.of("r", "not r", "r == True", "r or False")
        if self.kind == "enum":
            return self.of('r == "a"', 'r != "b"', 'r == "a" or r == "c"', 'not r == "c"')
        return self.of(
            "r[1]", 'r[0] == "a"', 'r[0] == "b" and r[1]', "not r[1]", '(r[0] == "a") == r[1]'
        )

    def counted(self) -> str:
        """A number of a whole list that has steps, so that noise needs no grid."""
        test = self.test()
        one, two = self.of("1", "2", "3/2"), self.of("0", "-1", "1/2")
        options = [
            f"count(lambda r: {test}, data)",
            f"sum(map(lambda r: {test}, data))",
            f"sum(map(lambda r: {one} if {test} else {two}, data))",
            f"fold(lambda s, r: s + ({test}), {two}, data)",
            "len(data)",
        ]
        if self.kind == "bool":
            options += ["sum(data)", f"fold(lambda s, r: s + {one} * r, 0, data)"]
        if self.kind in ("bool", "pair"):
            record = "data" if self.kind == "bool" else "map(lambda r: r[1], data)"
            post = f"infer(observe_all(Bernoulli, {record}, prior=Beta({one}, 1)))"
            options += [f"params({post})[0]", f"params({post})[1]"]
        if self.kind == "enum":
            post = "infer(observe_all(Categorical, data, prior=Dirichlet((1, 1, 2))))"
            options += [f"params({post})[{self.of('0', '1', '2')}]"]
        return self.random.choice(options)

    def product(self) -> str:
        """Of flags, of which one never changes."""
        factor = self.of("y[0]", "(not y[0])", "(3 * (not y[0]) - 2)", "(2 - y[0])", "(not y[1])")
        pairs = f"map(lambda r: ({self.of('True', 'False', 'not r')}, r), data)"
        return f"fold(lambda s, y: s + y[1] * {factor}, 0, {pairs})"

    def record(self) -> str:
        """A bounded number of one real record r."""
        low, high = self.of("0", "-1", "1/2"), self.of("1", "2", "3/2")
        inner = f"clip({self.of('r', 'r', '2 * r', 'r + 1', '-r', 'r / 10')}, {low}, {high})"
        return self.of(inner, f"clip(abs({inner}), 0, 1)", f"{self.of('2', '-1')} * {inner}")

    def measured(self) -> str:
        """A number of real records, which needs a grid."""
        function = self.record()
        options = [
            f"sum(map(lambda r: {function}, data))",
            f"fold(lambda s, r: s + {function}, 0, data)",
            f"fold(lambda s, r: max(s, {function}), 0, data)",
            f"clip(sum(map(lambda r: {function}, data)), 0, {self.of('1', '2')})",
            "len(data)",
        ]
        if self.adjacent == "substitute":
            post = f"observe_all(Normal, map(lambda r: {function}, data), prior=Normal(0, 1), "
            options += [f"mean(infer({post}variance={self.of('1', '2', '1/2')})))"]
        return self.random.choice(options)

    def number(self, depth: int = 2) -> tuple[str, bool]:
        """A private number, and whether noise on it needs a grid."""
        if self.kind == "bool" and self.chance(0.1):
            return self.product(), True
        if depth == 0 or self.chance(0.35):
            return (self.measured(), True) if self.kind == "real" else (self.counted(), False)
        x, grid = self.number(depth - 1)
        how = self.random.randrange(9)
        if how == 0:
            y, other = self.number(depth - 1)
            return f"({x} {self.of('+', '-')} {y})", grid or other
        if how <= 2:
            return f"{self.of(*FACTORS)} * ({x})", grid
        if how == 3:
            return f"({x}) / {self.of('2', '0.5', '-4', '3')}", grid
        if how == 4:
            return f"({x} {self.of('+', '-')} {self.public()})", grid
        if how == 5:
            return f"clip({x}, {self.of('0', '-1')}, {self.of('1', '2', '5/2')})", True
        if how == 6:
            return f"abs({x})", True
        if how == 7:
            y, _ = self.number(depth - 1)
            return f"{self.of('min', 'max')}({x}, {y})", True
        return f"{self.of('min', 'max')}({x}, {self.public()})", True

    def public(self) -> str:
        """A public number."""
        options = ["1", "2", "1/2", "-3", *self.released[:1]]
        return self.random.choice(options + (["len(data)"] if self.adjacent[0] == "s" else []))

    # ---- draws -------------------------------------------------------------------------------

    def mechanism(self) -> str:
        """Noise on a private number."""
        rate = self.of(*RATES)
        x, grid = self.number()
        if self.chance(0.2):
            score = self.of(f"-abs({x} - c)", f"2 * abs({x} - c)", f"min({x}, c)")
            return f"exp_mech({rate}, lambda c: {score}, {self.of('(0, 1)', '(0, 1, 2, 2)')})"
        step = f", grid={self.of('1', '1/2', '1/4', '1/3')}" if grid or self.chance(0.1) else ""
        return f"laplace({rate}, {x}{step})"

    def draw(self) -> None:
        """A line, or some, that release one value more."""
        name = f"x{self.draws}"
        self.draws += 1
        how = self.random.randrange(12)
        if how == 0 and self.released:
            self.lines.append(f"if {self.released[-1]} > {self.of('0', '1', '2')}:")
            self.lines.append(f"    {name} = sample({self.mechanism()})")
            self.lines.append("else:")
            self.lines.append(f"    {name} = sample({self.mechanism()})")
        elif how == 1:
            self.lines.append(f"{name} = 0")
            self.lines.append(f"for i in range({self.of('1', '2')}):")
            factor = self.of("", "(i + 1) * ")
            self.lines.append(
                f"    {name} = {name} + sample({factor_of(self.mechanism(), factor)})"
            )
        elif how == 2 and self.kind != "real":
            self.partitioned(name)
        elif how == 3 and self.adjacent == "substitute":
            self.each(name)
        elif how == 4:
            self.lines.append(f"def noisy{name}(z):")
            self.lines.append(f"    return sample(laplace({self.of(*RATES)}, z, grid=1/2))")
            self.lines.append(f"{name} = noisy{name}({self.number(1)[0]})")
        elif how == 5:
            self.lines.append(f"{name} = [sample({self.mechanism()}) for i in range(2)]")
        elif how == 6 and self.kind in ("bool", "enum"):
            self.vector(name)
        else:
            self.lines.append(f"{name} = sample({self.mechanism()})")
        if how not in (2, 3, 5, 6):
            self.released.append(name)

    def partitioned(self, name: str) -> None:
        """Parallel over a partition; now and then its cells overlap."""
        test = self.test()
        other = f"not ({test})" if self.chance(0.85) else self.test()
        x = self.of("len(c)", f"count(lambda r: {self.test()}, c)", "2 * len(c)")
        cells = f"(lambda r: {test}, lambda r: {other})"
        body = f"lambda c: sample(laplace({self.of(*RATES)}, {x}))"
        self.lines.append(f"{name} = parallel({body}, data, {cells})")

    def each(self, name: str) -> None:
        """A draw for every record."""
        rate = self.of(*RATES)
        if self.kind == "real":
            inner = f"laplace({rate}, {self.record()}, grid=1/2)"
        elif self.chance(0.5):
            inner = f"laplace({rate}, {self.of('1', '3', '1/2')} * ({self.test()}))"
        else:
            inner = f"exp_mech({rate}, lambda c: c == ({self.test()}), (True, False))"
        self.lines.append(f"{name} = sample_each(lambda r: {inner}, data)")

    def vector(self, name: str) -> None:
        """All parameters of a posterior at once."""
        post = "Bernoulli, data, prior=Beta(1, 1)"
        if self.kind == "enum":
            post = "Categorical, data, prior=Dirichlet((1, 1, 1))"
        x = f"params(infer(observe_all({post})))"
        self.lines.append(f"{name} = sample(laplace({self.of(*RATES)}, {x}))")

    def written(self) -> str:
        """The whole body."""
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            self.draw()
        names = [f"x{i}" for i in range(self.draws)]
        if self.draws == 1 and self.released and self.chance(0.4):
            x = names[0]
            names = [self.of(f"max({x}, 0)", f"abs({x})", f"clip({x}, 0, 2)", f"2 * {x} + 1")]
        self.lines.append(f"return {', '.join(names)}")
        return "\n".join(self.lines)


def factor_of(mechanism: str, factor: str) -> str:
    """The same mechanism with another rate."""
    word, rest = mechanism.split("(", 1)
    return f"{word}({factor}{rest}"


def spends(program: Program) -> Fraction | None:
    """ε at eps = 1 that the checker finds over all paths, rounded up; None if it has no bound."""
    found: list[Fraction] = []

    def note(
        spent: list[Cost], _: Budget, scenarios: tuple[Scenario, ...], __: Prover, ___: Span
    ) -> None:
        with balls.precision(128):
            for epsilon in costs.total(spent, scenarios)[0]:
                for n in (1, 2, 3):
                    value = epsilon.ball({"eps": Fraction(1), "n": Fraction(n)})
                    exact = epsilon.value
                    top = balls.fraction(value.upper()) if exact is None else exact
                    found.append(top.limit_denominator(1000) if _near(top) else top)

    with mock.patch.object(checking, "require_within", note):
        try:
            program.prove()
        except ProgramError:
            return None
    return max(found, default=None)


def _near(value: Fraction) -> bool:
    return abs(value.limit_denominator(1000) - value) < Fraction(1, 10**20)


def generated(start: int, count: int, word: str = "") -> Iterator[Made]:
    """Programs by their seeds, of these only those with a word in them."""
    for seed in range(start, start + count):
        writer = Writer(seed)
        text = writer.written()
        if word not in text:
            continue
        program = made(text, KINDS[writer.kind], writer.adjacent, "1000000*eps")
        needed = spends(program)
        if needed is None or needed <= 0:
            yield Made(program, writer.kind, False)
            continue
        share = writer.random.choice((1, 1, 1, Fraction(3, 4), 2))
        names = ["eps", "n"] if writer.adjacent == "substitute" else ["eps"]
        budget = read_budget(f"{needed * share}*eps", names)
        yield Made(replace(program, budget=budget), writer.kind, share == 1)
