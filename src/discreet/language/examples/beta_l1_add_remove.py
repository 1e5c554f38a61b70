"""Under add-remove one record moves only one of both parameters: eps, not 2*eps."""

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


@private(data=List[Bool], adjacent="add-remove", budget="eps", params={"eps": Pos})
def beta_l1_add_remove(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(x, y)
