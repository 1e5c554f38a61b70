"""With a public number of records the distance is smaller: 0.33895*eps at n = 100."""

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
    budget="0.33895*eps",
    params={"eps": Pos, "candidates": Candidates(Beta)},
    n=100,
)
def beta_hellinger_100(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
