"""A language whose programs come with a privacy proof.

    from discreet.language import *

    @private(data=List[Bool], adjacent="substitute", budget="2*eps", params={"eps": Pos})
    def beta_l1(data, eps):
        post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
        a, b = params(post)
        x = sample(laplace(eps, a))
        y = sample(laplace(eps, b))
        return Beta(x, y)

`beta_l1.check()` proves it, `.explain()` shows the derivation, `.run(data, eps=1)` draws a release,
`.audit()` goes through all small data sets. Python never executes the body: it is parsed, and the
parsed program is what is proved, run and audited.
"""

from discreet.language.declarations import (
    AtLeast,
    Between,
    Bool,
    Candidates,
    Enum,
    List,
    Nat,
    Pos,
    Real,
    Tuple,
    Vector,
)
from discreet.language.decorator import PrivateProgram, private
from discreet.language.words import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Finite,
    Normal,
    analytic_sigma,
    clip,
    count,
    exp,
    exp_mech,
    fold,
    gauss,
    hellinger,
    infer,
    kl,
    laplace,
    log,
    mean,
    observe,
    observe_all,
    parallel,
    params,
    pi,
    ran,
    sample,
    sample_each,
    sqrt,
    total_variation,
)
from discreet.programs.families import Law

__all__ = [
    "AtLeast",
    "Bernoulli",
    "Beta",
    "Between",
    "Bool",
    "Candidates",
    "Categorical",
    "Dirichlet",
    "Enum",
    "Finite",
    "Law",
    "List",
    "Nat",
    "Normal",
    "Pos",
    "PrivateProgram",
    "Real",
    "Tuple",
    "Vector",
    "analytic_sigma",
    "clip",
    "count",
    "exp",
    "exp_mech",
    "fold",
    "gauss",
    "hellinger",
    "infer",
    "kl",
    "laplace",
    "log",
    "mean",
    "observe",
    "observe_all",
    "parallel",
    "params",
    "pi",
    "private",
    "ran",
    "sample",
    "sample_each",
    "sqrt",
    "total_variation",
]
