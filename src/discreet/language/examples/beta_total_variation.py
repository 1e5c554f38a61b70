"""The total variation distance is a metric too: 1/2 for the prior Beta(1, 1)."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Candidates,
    Law,
    List,
    Pos,
    exp_mech,
    infer,
    observe_all,
    private,
    sample,
    total_variation,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="eps/2",
    params={"eps": Pos, "candidates": Candidates(Beta)},
)
def beta_total_variation(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    return sample(exp_mech(eps, lambda r: -total_variation(post, r), candidates))
