"""A prior that is chosen from the data moves with them."""

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
def prior_from_data(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1 + sum(data), 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(x, y)
