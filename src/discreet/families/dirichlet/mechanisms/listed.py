"""`dp.MECHANISMS`: the functions that make mechanisms for counts of categories, by name."""

from discreet.core.family import Deferred
from discreet.families.dirichlet import FAMILY

MECHANISMS = {
    spec.name: spec.make.load() if isinstance(spec.make, Deferred) else spec.make
    for spec in FAMILY.specs
}
