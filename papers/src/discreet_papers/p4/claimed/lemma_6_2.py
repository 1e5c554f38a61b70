"""PrivInfer's lemma 6.2 for all priors: false for a = b below 0.4545."""

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
    budget="sqrt(2*(1 - pi/4))*eps",
    params={"a": Pos, "b": Pos, "eps": Pos, "candidates": Candidates(Beta)},
)
def lemma_6_2(data: list[bool], a: float, b: float, eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(a, b)))
    return sample(exp_mech(eps, lambda r: -total_variation(post, r), candidates))
