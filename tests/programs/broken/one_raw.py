"""One parameter is noisy, the other is not."""

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
def one_raw(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    return Beta(x, b)
