"""What is done to a released value is free: here it is made a proper parameter."""

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


@private(data=List[Bool], adjacent="substitute", budget="2*eps", params={"eps": Pos})
def clamped(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(max(x, 1 / 2), max(y, 1 / 2))
