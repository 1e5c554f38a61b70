"""The constant of Beta(1, 1) is too small for Jeffreys' prior (PrivInfer's lemma 6.1)."""

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
def jeffreys(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1 / 2, 1 / 2)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
