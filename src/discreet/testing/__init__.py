"""The contract of a family of models, for tests of one's own: as our families are tested.

>>> from discreet.families.normal import FAMILY
>>> from discreet.testing import checks
>>> len(checks(FAMILY)) > 50
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from discreet.core.family import Family, available
from discreet.errors import InputError
from discreet.testing import families, mechanisms, releases
from discreet.testing.cases import Case, cases

__all__ = ["Check", "check_family", "checks"]


@dataclass(frozen=True)
class Check:
    """One rule of the contract, for one mechanism, adjacency and example: call it to check."""

    name: str
    run: Callable[[], None] = field(repr=False)

    def __call__(self) -> None:
        """Raise an error if the rule is broken."""
        self.run()

    def __str__(self) -> str:
        return self.name


def check_family(family: Family) -> list[str]:
    """Check that a family keeps the contract, with all its mechanisms and adjacencies.

    Sampler against law, with a wrong law that has to be rejected; guarantee against exact audit,
    with a louder mechanism that has to be found out; documents, pickles, simulations, posteriors,
    ledger, tables, plots, and what has to be refused. It is run on the family's `examples`, and
    takes some seconds. What is random is seeded; each statistical rule has a false-alarm rate of
    1e-6.

    Args:
        family: the family, registered by an entry point or `discreet.core.families.register`.

    Returns:
        The names of the rules that were checked.

    Raises:
        AssertionError: rules are broken; the text has a line for each.
        InputError: it is no family, or has no examples.

    Example:
        In a test with pytest, where every rule is a test of its own::

            @pytest.mark.parametrize("check", checks(FAMILY), ids=str)
            def test_contract(check):
                check()
    """
    done, broken = [], []
    for check in checks(family):
        try:
            check()
        except Exception as error:
            broken.append(f"{check}: {type(error).__name__}: {error}")
        done.append(check.name)
    if broken:
        raise AssertionError("\n".join(broken))
    return done


def checks(family: Family) -> list[Check]:
    """The rules of `check_family`, one by one: for tests with pytest.

    Args:
        family: the family, registered.

    Returns:
        Checks with a name, each of which is called without arguments.

    Raises:
        InputError: it is no family, or has no examples.

    Example:
        >>> from discreet.families.normal import FAMILY
        >>> print(checks(FAMILY)[0])
        NormalMean: is registered
    """
    if not isinstance(family, Family):
        raise InputError(f"family must be a Family, got {type(family).__name__}", "family")
    if not __debug__:
        raise InputError("family cannot be checked under python -O, which leaves assertions out")
    if not available(family.examples):
        raise InputError("family must have examples to be checked on", "family")
    whole = [_check(rule, family.kind, family) for rule in families.RULES]
    each = [
        _check(rule, str(case), case)
        for case in cases(family)
        for rule in (*mechanisms.RULES, *releases.RULES)
        if case.spec.can(mechanisms.ABOUT.get(rule, "make"))
    ]
    return whole + each


def _check(rule: Callable[..., None], where: str, subject: Family | Case) -> Check:
    what = rule.__name__.replace("_", " ")
    return Check(f"{where}: {what}", partial(rule, subject))
