"""The same noise on two values cancels in their difference."""

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
def same_draw(data: list[bool], eps: float) -> tuple[float, float]:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    noise = sample(laplace(eps, 0, grid=1))
    return a + noise, b + noise
