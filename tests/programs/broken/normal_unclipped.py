"""Without bounds one record may move the mean by any amount."""

from discreet.language import (
    Law,
    List,
    Normal,
    Pos,
    Real,
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
def normal_unclipped(data: list[float], v: float, V: float, eps: float) -> Law:  # noqa: N803
    post = infer(observe_all(Normal, data, prior=Normal(0, V), variance=v))
    center, spread = params(post)
    noisy = sample(laplace(eps, center, grid=V / (v + len(data) * V) / 1024))
    return Normal(noisy, spread)
