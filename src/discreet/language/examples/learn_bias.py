"""The same with PrivInfer's learnBias: a fold that observes record after record."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Law,
    List,
    Pos,
    exp_mech,
    fold,
    infer,
    observe,
    private,
    ran,
    sample_each,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="eps",
    params={"a": Pos, "b": Pos, "eps": Pos},
)
def learn_bias(data: list[bool], a: float, b: float, eps: float) -> Law:
    noisy = sample_each(lambda y: exp_mech(eps, lambda r: r == y, (True, False)), data)
    return infer(
        fold(
            lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief),
            ran(Beta(a, b)),
            noisy,
        )
    )
