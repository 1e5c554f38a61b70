"""The weight of a candidate is exp(eps*score/2): doubled, the 2 is lost."""

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
def without_two(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    return sample(exp_mech(2 * eps, lambda r: -hellinger(post, r), candidates))
