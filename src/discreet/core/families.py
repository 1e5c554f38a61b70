"""Which families there are: ours, and those of other packages, loaded on first use."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, cast

from discreet import check
from discreet.core.family import Deferred, Family, MechanismSpec
from discreet.core.mechanism import Mechanism
from discreet.errors import InputError

ENTRY_POINTS = "discreet.families"  # a package names its families there: kind = "module:FAMILY"
_OURS = {
    "DirichletMultinomial": "discreet.families.dirichlet:FAMILY",
    "BayesNet": "discreet.families.network:FAMILY",
    "NormalMean": "discreet.families.normal:FAMILY",
    "LinearRegression": "discreet.families.regression:FAMILY",
    "Program": "discreet.programs.family:FAMILY",
}
_loaded: dict[str, Family] = {}


def register(family: Family) -> None:
    """Make a family known in this process, as an entry point does in all.

    Raises:
        InputError: its kind is that of another family.
    """
    if not isinstance(family, Family):
        raise InputError(f"family must be a Family, got {check.brief(family)}", "family")
    if family.kind in _OURS or _loaded.get(family.kind, family) != family:
        raise InputError(f"family must have a kind of its own, got {family.kind!r}", "family")
    _loaded[family.kind] = family


def find(kind: object) -> Family | None:
    """The family of a kind; None if nobody has one."""
    if not isinstance(kind, str):
        return None
    if kind not in _loaded:
        if kind in _OURS:
            _loaded[kind] = _found(Deferred(_OURS[kind]).load(), kind)
        else:
            for point in entry_points(group=ENTRY_POINTS, name=kind):
                try:
                    _loaded[kind] = _found(point.load(), kind)
                except (ImportError, AttributeError) as error:
                    raise InputError(
                        f"the entry point of family {kind!r}, {point.value}, cannot be loaded: "
                        f"{error}"
                    ) from None
    return _loaded.get(kind)


def _found(family: Any, kind: str) -> Family:
    if not isinstance(family, Family) or family.kind != kind:
        raise InputError(f"the entry point of family {kind!r} must be a Family of that kind")
    return family


def of_model(model: object) -> Family:
    """The family of a model; what is none is named by its type only, as it may be the counts."""
    family = find(getattr(type(model), "kind", None))
    if family is None or not isinstance(model, cast("type", family.model.load())):
        raise InputError(
            f"model must be a DirichletMultinomial or another model, got {check.brief(model)}",
            "model",
        )
    return family


def of_document(document: Any) -> Family:
    """The family that wrote the model of a document."""
    kind = document["model"].get("kind")
    family = find(kind)
    if family is None:
        raise InputError(
            f"model is of kind {check.brief(kind)}, which no installed package has", "model"
        )
    return family


def spec_of(mechanism: Mechanism) -> MechanismSpec:
    """What a mechanism can do."""
    return of_model(mechanism.config.model).spec(mechanism.name)


def known() -> list[str]:
    """All kinds, of other packages too."""
    others = (point.name for point in entry_points(group=ENTRY_POINTS))
    return list(dict.fromkeys((*_OURS, *_loaded, *others)))
