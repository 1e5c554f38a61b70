"""The sensitivity falls with n: V/(v + n*V)*eps, which PrivInfer's bound does not use."""

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
    budget="V/(v + n*V)*eps",
    params={"v": Pos, "V": Pos, "eps": Pos},
)
def normal_mean_tight(data: list[float], v: float, V: float, eps: float) -> Law:  # noqa: N803
    clipped = map(lambda x: clip(x, 0, 1), data)
    post = infer(observe_all(Normal, clipped, prior=Normal(0, V), variance=v))
    center, spread = params(post)
    noisy = sample(laplace(eps, center, grid=V / (v + len(data) * V) / 1024))
    return Normal(noisy, spread)
