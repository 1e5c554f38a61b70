"""What the checker knows of expressions: distances instead of values."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from discreet.core import Adjacency
from discreet.programs import declared, operators, rounds, rules, syntax
from discreet.programs.abstract import (
    Abstract,
    Closure,
    FamilyName,
    Hidden,
    Items,
    Private,
    Public,
    RecordList,
    Scenario,
    Vector,
    is_public,
)
from discreet.programs.costs import Cost, spent
from discreet.programs.describing import describe
from discreet.programs.diagnostics import Diagnostic, ProgramError
from discreet.programs.families import FAMILIES
from discreet.programs.operators import AFTER
from discreet.programs.paths import Path
from discreet.programs.proving import Prover
from discreet.programs.signatures import SIGNATURES
from discreet.programs.symbolic import ZERO, Expression, number

MOST_BITS = 2_000  # of a number that is written down
# Operations on a distance of laws, which a run knows as a ball. With factors of at most 2^64 and
# other public numbers of at most 1000 bits (which a run makes sure of) they magnify it by at most
# 2^6400 and add at most 2^7500, and a ball can be refined to 2^-65536: so every question is
# settled, whatever the data, and no run fails for some data only.
MOST_DEPTH = 100


@dataclass(frozen=True)
class Step:
    """One line of the derivation."""

    span: syntax.Span
    conclusion: str
    total: str = ""


# what is often called, and what to write instead
_INSTEAD = {
    "count": "count(lambda r: r == x, data)",
    "filter": "count(lambda r: r == x, data)",
    "mean": "sum(map(lambda x: clip(x, low, high), data)) / len(data)",
    "average": "sum(map(lambda x: clip(x, low, high), data)) / len(data)",
    "sum": "sum(map(lambda x: clip(x, low, high), data))",
    "normal": "sample(gauss(sigma, x))",
    "gauss": "sample(gauss(sigma, x))",
    "laplace": "sample(laplace(eps, x))",
    "sqrt": "sqrt(x), from discreet.language",
    "log": "log(x), from discreet.language",
    "exp": "exp(x), from discreet.language",
    "sorted": "exp_mech(eps, score, candidates)",
    "median": "exp_mech(eps, score, candidates)",
}


def _hint(name: str, word: str) -> str:
    """What was probably meant."""
    words = [*SIGNATURES, *FAMILIES]
    if name in words:
        return f"{name} was given another meaning in this file or notebook; "
    if word in _INSTEAD:
        return f"write {_INSTEAD[word]}; "
    near = difflib.get_close_matches(word, words, n=1)
    return f"did you mean {near[0]}? " if near else ""


class Expressions(ABC):
    """One run along one path: what was spent, and what expressions are worth."""

    def __init__(
        self,
        adjacency: Adjacency,
        scenarios: tuple[Scenario, ...],
        prover: Prover,
        path: Path,
        length: Expression | None,
    ) -> None:
        self.adjacency, self.scenarios, self.prover = adjacency, scenarios, prover
        self.path, self.length = path, length
        self.costs: list[Cost] = []
        self.steps: list[Step] = []
        self.folding: tuple[int, int] | None = None  # identities of its belief and its record
        self.returned: syntax.Statement | None = None

    def error(
        self,
        node: syntax.Node | syntax.Statement,
        message: str,
        reason: str = "",
        fix: str = "",
        kind: str = "distance",
    ) -> ProgramError:
        """With the place and what was spent so far."""
        lines = tuple(spent(self.costs, self.scenarios))
        return ProgramError(Diagnostic(node.span, message, reason, fix, kind, costs=lines))

    def zero(self) -> tuple[Expression, ...]:
        """No distance in any scenario."""
        return (ZERO,) * len(self.scenarios)

    def identity(self) -> int:
        """A number that no other value has."""
        self.prover.fresh("value", declared.Number())
        return len(self.prover.symbols)

    def everywhere(self, distance: Expression) -> tuple[Expression, ...]:
        """The same distance in every scenario."""
        return (distance,) * len(self.scenarios)

    @abstractmethod
    def block(
        self, body: tuple[syntax.Statement, ...], names: dict[str, Abstract]
    ) -> Abstract | None:
        """Run statements; the value of a return, if one is met."""

    @abstractmethod
    def inner(
        self, adjacency: Adjacency, scenarios: tuple[Scenario, ...], length: Expression | None
    ) -> Expressions:
        """A checker of a part of the data, on the same path."""

    def test(self, node: syntax.Node, names: Mapping[str, Abstract]) -> bool:
        """Which way to go; only public values decide."""
        try:
            value = self.value(node, names)
        except ProgramError as error:
            if error.diagnostic.kind != "comparison":
                raise
            raise self._private_test(node, error.diagnostic.message) from None
        if isinstance(value, Public):
            if isinstance(value.literal, bool):
                return value.literal
            return self.path.choose()
        raise self._private_test(node, getattr(value, "why", "") or describe(value))

    def _private_test(self, node: syntax.Node, why: str) -> ProgramError:
        return self.error(
            node,
            "a branch on a private value",
            f"which way the program goes would show it ({why})",
            "release the value with noise first, and branch on the released one; of one record "
            "write a product: (r[0] == x) * clip(r[1], low, high)",
            "private",
        )

    def value(self, node: syntax.Node, names: Mapping[str, Abstract]) -> Abstract:
        """What is known of an expression."""
        if isinstance(node, syntax.Number):
            return Public(number(node.value))
        if isinstance(node, syntax.Literal):
            sort = "flag" if isinstance(node.value, bool) else "category"
            return Public(literal=node.value, sort=sort)
        if isinstance(node, syntax.Missing):
            return Public(sort="nothing")
        if isinstance(node, syntax.Word):
            return self.family(node)
        if isinstance(node, syntax.Name):
            return self.named(node, names)
        if isinstance(node, syntax.Group):
            return Items(tuple(self.value(item, names) for item in node.items))
        if isinstance(node, syntax.Unary):
            return operators.unary(self, node, self.value(node.operand, names))
        if isinstance(node, syntax.Binary):
            left, right = self.value(node.left, names), self.value(node.right, names)
            return self.of_size(node, operators.binary(self, node, left, right))
        if isinstance(node, syntax.Choice):
            return self.value(node.then if self.test(node.test, names) else node.otherwise, names)
        if isinstance(node, syntax.Index):
            return self.index(node, names)
        if isinstance(node, syntax.Lambda):
            return Closure(node, dict(names))
        if isinstance(node, syntax.Each):
            return rounds.each(self, node, names)
        if isinstance(node, syntax.Apply):
            function = self.value(node.function, names)
            arguments = tuple(self.value(argument, names) for argument in node.arguments)
            return self.apply(node, function, arguments)
        if isinstance(node, syntax.Unknown):
            return self.unknown(node, names)
        return self.of_size(node, rules.call(self, node, names))

    def of_size(self, node: syntax.Node, found: Abstract) -> Abstract:
        """Refuse numbers of very many digits, and distances that go through too much."""
        known: tuple[Expression | None, ...] = ()
        if isinstance(found, Public):
            known = (found.number,)
        elif isinstance(found, Private):
            known = found.distances or ()
        for number_ in (x for x in known if x is not None):
            parts = [coefficient for _, coefficient in number_.terms]
            if any(max(c.numerator, c.denominator).bit_length() > MOST_BITS for c in parts):
                raise self.error(
                    node,
                    "a number in the program has very many digits",
                    fix="compute with numbers of ordinary size",
                    kind="value",
                )
        if isinstance(found, Private) and found.depth > MOST_DEPTH:
            raise self.error(
                node,
                f"a distance of laws goes through more than {MOST_DEPTH} operations",
                fix="compute with it in fewer steps",
                kind="unknown",
            )
        return found

    def family(self, node: syntax.Word) -> FamilyName:
        """A family of distributions; other words are called."""
        if node.name in FAMILIES:
            return FamilyName(node.name)
        fix = f"call it: {node.name}(…), inside lambda x: {node.name}(…) where a function is needed"
        raise self.error(node, f"{node.name} is not a value", fix=fix, kind="syntax")

    def named(self, node: syntax.Name, names: Mapping[str, Abstract]) -> Abstract:
        """A variable."""
        if node.name in names:
            value = names[node.name]
            if isinstance(value, Hidden):
                raise self.error(
                    node,
                    f"{value.name} is private and may not be used here",
                    "a function of one record, or of one cell, may use nothing else that is "
                    "private, nor what a loop changes: one record would change all the noise",
                    "use only the function's own argument, or release the value first",
                    "private",
                )
            return value
        raise self.error(
            node,
            f"{node.name} may have no value here",
            fix="give it a value on every path",
            kind="syntax",
        )

    def unbounded(self, node: syntax.Node, what: str, fix: str) -> Private:
        """A private number that nothing is known of."""
        reason = f"{what} has no known bound"
        return Private(None, reason=reason, fix=fix, origin=node.span, inexact=True)

    def failing(self, node: syntax.Node, what: str, kind: str = "distance") -> ProgramError:
        """Refuse a value that some data do not have, or that no run could decide.

        Whether a run fails would show the data, even if nothing is made of the value.
        """
        reason = "it has no bound, and for some data no value"
        return self.error(node, f"{what} has no rule", reason, AFTER, kind)

    def index(self, node: syntax.Index, names: Mapping[str, Abstract]) -> Abstract:
        """x[i] with a known i."""
        value, place = self.value(node.value, names), self.value(node.place, names)
        if isinstance(value, RecordList):
            raise self.error(
                node,
                "a single private record is no function of the whole list",
                fix="write sum(map(f, data)) or sample_each(f, data)",
                kind="syntax",
            )
        if not isinstance(place, Public):
            raise self.error(
                node.place,
                "a private place in a list would show it",
                fix="index by a number",
                kind="private",
            )
        known = None if place.number is None else place.number.value
        if isinstance(value, Public) and value.sort in ("list", "vector"):
            if value.note is not None and value.sort == "list":
                return Public(sort="law", note=value.note)
            return Public()
        items = value.items if isinstance(value, Items) else None
        if isinstance(value, Vector):
            items = value.parts
        if items is None or known is None or known.denominator > 1 or not 0 <= known < len(items):
            raise self.error(
                node,
                f"there is no such place in {describe(value)}",
                fix="index a tuple by a number from 0 on",
                kind="syntax",
            )
        return items[int(known)]

    def unknown(self, node: syntax.Unknown, names: Mapping[str, Abstract]) -> Abstract:
        """Something without a rule."""
        owner, _, word = node.name.rpartition(".")
        private = any(not is_public(self.value(part, names)) for part in node.arguments) or (
            owner in names and not is_public(names[owner])
        )
        on = "private data" if private else "public values"
        hint = _hint(node.name, word)
        raise self.error(
            node,
            f"{node.name} is an unknown function, used on {on}",
            "nothing is known of what it does to two neighbouring data sets"
            if private
            else "only the constructs of discreet.language are checked and run",
            f"{hint}use the functions of discreet.language; after the release, any function may be "
            "used",
            "distance" if private else "syntax",
        )

    def apply(
        self, node: syntax.Node, function: Abstract, arguments: tuple[Abstract, ...]
    ) -> Abstract:
        """A function of the program."""
        if not isinstance(function, Closure):
            raise self.error(node, f"{describe(function)} is no function", kind="syntax")
        if len(function.node.parameters) != len(arguments):
            raise self.error(
                node,
                f"the function takes {len(function.node.parameters)} arguments, not "
                f"{len(arguments)}",
                kind="syntax",
            )
        names = dict(function.names)
        names |= dict(zip(function.node.parameters, arguments, strict=True))
        found = self.block(function.node.body, names)
        assert found is not None
        return found

    def require_positive(self, node: syntax.Node, value: Abstract, what: str) -> Expression:
        """A public number above 0 for all values of the parameters."""
        if isinstance(value, Public) and value.number is None:
            raise self.error(
                node,
                f"{what} must be made of parameters and numbers by + - * / and whole powers",
                "roots, logarithms and exponentials of parameters, and released numbers, have no "
                "known value here",
                "write analytic_sigma(eps, delta, distance)"
                if what == "sigma"
                else "declare it as a parameter, or write a number: eps/0.46326",
                "value",
            )
        if not isinstance(value, Public):
            raise self.error(
                node,
                f"{what} must be a public number made of parameters",
                f"it is {describe(value)}",
                "use the declared parameters and numbers",
                "private",
            )
        assert value.number is not None
        answer = self.prover.positive(value.number)
        if not answer.holds:
            raise self.error(
                node,
                f"{what} must be positive, and {value.number} may not be",
                fix="declare the parameter as Pos, or write a positive number",
                kind="value",
            )
        return value.number
