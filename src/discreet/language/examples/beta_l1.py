"""Laplace noise on both parameters of the posterior (PrivInfer section 6.2): 2*eps.

One record that is replaced moves both parameters by 1.
"""

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
def beta_l1(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(x, y)
