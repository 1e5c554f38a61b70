"""Under add-remove the number of records is private, and here it is released."""

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
def public_n(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, _ = params(post)
    x = sample(laplace(eps, a))
    return Beta(x, len(data) + 2 - x)
