"""The same, learning by a fold over the private records as in PrivInfer: 2*eps."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Law,
    List,
    Pos,
    fold,
    infer,
    laplace,
    observe,
    params,
    private,
    ran,
    sample,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="2*eps",
    params={"a": Pos, "b": Pos, "eps": Pos},
)
def beta_l1_fold(data: list[bool], a: float, b: float, eps: float) -> Law:
    post = infer(
        fold(
            lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief),
            ran(Beta(a, b)),
            data,
        )
    )
    ones, zeros = params(post)
    x = sample(laplace(eps, ones))
    y = sample(laplace(eps, zeros))
    return Beta(x, y)
