"""A mean from a public grid of posteriors, by Hellinger distance, for every n.

One record in [0, 1] moves the posterior by at most sqrt(1 - exp(-1/16)), at n = 1.
"""

from discreet.language import (
    Law,
    List,
    Normal,
    Pos,
    Real,
    clip,
    exp_mech,
    hellinger,
    infer,
    observe_all,
    private,
    sample,
)


@private(
    data=List[Real],
    adjacent="substitute",
    budget="sqrt(1 - exp(-1/16))*eps",
    params={"eps": Pos},
)
def normal_hellinger(data: list[float], eps: float) -> Law:
    clipped = map(lambda x: clip(x, 0, 1), data)
    post = infer(observe_all(Normal, clipped, prior=Normal(0, 1), variance=1))
    spread = 1 / (1 + len(data))
    grid = [Normal(i / 20, spread) for i in range(21)]
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), grid))
