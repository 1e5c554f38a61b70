"""Which way the program goes shows the data."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
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
def private_branch(data: list[bool], eps: float) -> float:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    if a > b:
        x = sample(laplace(eps, a)) + 1000
    else:
        x = sample(laplace(eps, a))
    return x
