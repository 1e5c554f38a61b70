"""The square of a Hellinger distance may move by more than the distance itself.

With Jeffreys' prior and two records H moves by 0.5147 at most, and H**2 by 0.5445.
"""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    List,
    Pos,
    hellinger,
    infer,
    laplace,
    observe_all,
    private,
    sample,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="0.51473*eps",
    params={"eps": Pos},
    n=2,
)
def squared_hellinger(data: list[bool], eps: float) -> float:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1 / 2, 1 / 2)))
    return sample(laplace(eps, hellinger(post, Beta(20, 1 / 2)) ** 2, grid=0.51473 / 1024))
