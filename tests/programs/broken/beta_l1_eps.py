"""Both parameters move by 1, so this costs 2*eps, not eps."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Law,
    List,
    Pos,
    infer,
    laplace,
    observe_all,
    params,
    private,
    sample,
)


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def beta_l1_eps(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(x, y)
