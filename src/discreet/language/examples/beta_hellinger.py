"""A posterior near the true one, by Hellinger distance (PrivInfer section 6.3).

With the prior Beta(1, 1) neighbouring posteriors are at most sqrt(1 - pi/4) apart.
"""

from discreet.language import (
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
    params={"eps": Pos, "candidates": Candidates(Beta)},
)
def beta_hellinger(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
