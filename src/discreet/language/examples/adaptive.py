"""Two stages: what is asked second depends on the noisy answer to the first."""

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
def adaptive(data: list[bool], eps: float) -> tuple[float, float]:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    first = sample(laplace(eps / 4, a))
    if first > len(data) / 2:
        second = sample(laplace(3 * eps / 4, b))
    else:
        second = sample(laplace(eps / 2, a))
    return first, second
