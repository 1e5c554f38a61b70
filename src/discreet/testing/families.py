"""Rules for a family as a whole."""

from __future__ import annotations

import inspect
import json
import pickle
from fractions import Fraction

from discreet.core import Deferred, Family, families
from discreet.core.counts import Records
from discreet.errors import InputError


def is_registered(family: Family) -> None:
    """It is found by its kind, and by its models."""
    assert families.find(family.kind) is family, (
        f"families.find({family.kind!r}) must be this family: name it in an entry point "
        f"{families.ENTRY_POINTS!r}, or call families.register"
    )
    for example in family.examples():
        assert families.of_model(example.model) is family


def has_examples_with_records(family: Family) -> None:
    """There is one, and none is without records."""
    examples = family.examples()
    assert examples, "examples must return at least one"
    for example in examples:
        model = example.model.for_counts(example.data)
        vector = model.to_vector(example.data)
        assert isinstance(vector, tuple), "to_vector must return a tuple"
        assert all(type(value) is int for value in vector), "to_vector must return whole numbers"
        assert model.n_records(vector) > 0, "an example must have records"
        nobody = (0,) * len(vector)
        assert model.n_records(nobody) == 0, "n_records must be the number of these very records"


def hides_what_was_counted(family: Family) -> None:
    """What `count` returned may be printed in a notebook, or stand in the text of an error."""
    for example in family.examples():
        if isinstance(example.data, Records):
            vector = example.model.for_counts(example.data).to_vector(example.data)
            private = ", ".join(map(str, vector))
            assert private not in repr(example.data) + str(example.data), (
                "counts must not show their values when they are printed"
            )


def can_load_what_is_deferred(family: Family) -> None:
    """Every "package.module:name" is there."""
    for part in (family, *family.specs):
        for name, value in vars(part).items():
            if isinstance(value, Deferred):
                assert callable(value.load()), f"{name} must be callable"


def lists_the_options_of_its_functions(family: Family) -> None:
    """Names and defaults of a spec's options are those of the keyword arguments of `make`."""
    if family.remake is not None:
        return
    for spec in family.specs:
        make = spec.make.load() if isinstance(spec.make, Deferred) else spec.make
        taken = inspect.signature(make).parameters.values()
        defaults = {p.name: p.default for p in taken if p.kind is p.KEYWORD_ONLY}
        assert ("adjacency" in defaults) == (len(spec.adjacencies) > 1), (
            f"make of {spec.name} must take adjacency, keyword-only, exactly if it has several"
        )
        for name in ("adjacency", "calibrate"):  # which `dp.mechanism` gives
            defaults.pop(name, None)
        listed = {option.name: option.default for option in spec.options}
        assert listed == defaults, (
            f"options of {spec.name} are {listed}, the keyword-only ones of its make {defaults}"
        )


def writes_and_reads_its_models(family: Family) -> None:
    """A model's document is JSON, names its kind, and leads back to the model."""
    for example in family.examples():
        model = example.model.for_counts(example.data)
        written = model.to_document()
        assert written["kind"] == family.kind == type(model).kind
        document = json.loads(json.dumps({"model": dict(written)}, allow_nan=False))
        again = family.read(document)
        assert dict(again.to_document()) == document["model"]
        assert again == model, "a model must equal the one that is read from its document"
        assert hash(again) == hash(model), "and have its hash"
        assert pickle.loads(pickle.dumps(model)) == model  # noqa: S301 - our own
    for option in family.settings:
        if option.kind in ("number", "whole") and isinstance(option.default, (int, Fraction)):
            try:
                model = family.model(**{option.name: option.default + 1})
            except InputError:
                continue  # it has bounds
            again = family.read({"model": json.loads(json.dumps(dict(model.to_document())))})
            assert again == model, f"the document of a model must have its {option.name}"


RULES = (
    is_registered,
    has_examples_with_records,
    hides_what_was_counted,
    can_load_what_is_deferred,
    lists_the_options_of_its_functions,
    writes_and_reads_its_models,
)
