"""Jeffreys' prior Beta(1/2, 1/2) needs more: 0.60282*eps.

PrivInfer's lemma 6.1 claims sqrt(1 - pi/4) for all priors; it holds from Beta(1, 1) on.
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
    budget="0.60282*eps",
    params={"eps": Pos, "candidates": Candidates(Beta)},
)
def beta_hellinger_jeffreys(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1 / 2, 1 / 2)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
