"""1/x is steep near 0: with this prior one record moves it by 9."""

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


@private(data=List[Bool], adjacent="substitute", budget="2*eps", params={"eps": Pos})
def inverse(data: list[bool], eps: float) -> float:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1 / 10, 1 / 10)))
    a, _ = params(post)
    return sample(laplace(eps, 1 / a, grid=1 / 16))
