"""A replaced record moves two counts: the l1 distance is 2, not 1."""

from discreet.language import (
    Categorical,
    Dirichlet,
    Enum,
    Law,
    List,
    Pos,
    infer,
    laplace,
    observe_all,
    params,
    private,
    sample,
)


@private(
    data=List[Enum("cured", "improved", "unchanged")],
    adjacent="substitute",
    budget="eps",
    params={"eps": Pos},
)
def dirichlet_one(data: list[str], eps: float) -> Law:
    post = infer(observe_all(Categorical, data, prior=Dirichlet((1, 1, 1))))
    return Dirichlet(sample(laplace(eps, params(post))))
