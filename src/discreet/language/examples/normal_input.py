"""Learn a mean from records with normal noise (PrivInfer section 6.1): (eps, delta).

Records are clipped to [0, 1], so that one record moves its own value by 1 at most.
"""

from discreet.language import (
    Between,
    Law,
    List,
    Normal,
    Pos,
    Real,
    analytic_sigma,
    clip,
    gauss,
    infer,
    observe_all,
    private,
    sample_each,
)


@private(
    data=List[Real],
    adjacent="substitute",
    budget=("eps", "delta"),
    params={"eps": Pos, "delta": Between(0, 0.5)},
)
def normal_input(data: list[float], eps: float, delta: float) -> Law:
    sigma = analytic_sigma(eps, delta, 1)
    noisy = sample_each(lambda y: gauss(sigma, clip(y, 0, 1), grid=1 / 16), data)
    return infer(observe_all(Normal, noisy, prior=Normal(0, 1), variance=1))
