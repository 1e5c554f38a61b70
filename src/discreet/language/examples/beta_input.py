"""Learn the bias of a coin from noisy records (PrivInfer section 6.1): eps.

The exponential mechanism draws a noisy record for every record; learning from them is free.
"""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Law,
    List,
    Pos,
    exp_mech,
    infer,
    observe_all,
    private,
    sample_each,
)


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def beta_input(data: list[bool], eps: float) -> Law:
    noisy = sample_each(lambda y: exp_mech(eps, lambda r: r == y, (True, False)), data)
    return infer(observe_all(Bernoulli, noisy, prior=Beta(1, 1)))
