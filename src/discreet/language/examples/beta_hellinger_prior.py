"""Any prior from Beta(1, 1) on: the declared lower bounds are enough."""

from discreet.language import (
    AtLeast,
    Bernoulli,
    Beta,
    Bool,
    Candidates,
    Law,
    List,
    Pos,
    exp_mech,
    hellinger,
    infer,
    observe_all,
    private,
    sample,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="sqrt(1 - pi/4)*eps",
    params={"a": AtLeast(1), "b": AtLeast(1), "eps": Pos, "candidates": Candidates(Beta)},
)
def beta_hellinger_prior(
    data: list[bool], a: float, b: float, eps: float, candidates: list[Law]
) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(a, b)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
