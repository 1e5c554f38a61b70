"""Laplace noise on the mean (PrivInfer section 6.2): V/(v + V)*eps for every n.

The grid is a 1024th of how far one record moves the mean, so nothing is lost by rounding.
"""

from discreet.language import (
    Law,
    List,
    Normal,
    Pos,
    Real,
    clip,
    infer,
    laplace,
    observe_all,
    params,
    private,
    sample,
)


@private(
    data=List[Real],
    adjacent="substitute",
    budget="V/(v + V)*eps",
    params={"v": Pos, "V": Pos, "eps": Pos},
)
def normal_mean(data: list[float], v: float, V: float, eps: float) -> Law:  # noqa: N803
    clipped = map(lambda x: clip(x, 0, 1), data)
    post = infer(observe_all(Normal, clipped, prior=Normal(0, V), variance=v))
    center, spread = params(post)
    noisy = sample(laplace(eps, center, grid=V / (v + len(data) * V) / 1024))
    return Normal(noisy, spread)
