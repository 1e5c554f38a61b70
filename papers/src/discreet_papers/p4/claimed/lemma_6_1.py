"""PrivInfer's lemma 6.1 for all priors: too small as soon as one parameter is below 1."""

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
    params={"a": Pos, "b": Pos, "eps": Pos, "candidates": Candidates(Beta)},
)
def lemma_6_1(data: list[bool], a: float, b: float, eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(a, b)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
