"""Any number of categories, one for every entry of alpha: 2*eps in any dimension."""

from discreet.language import (
    Categorical,
    Dirichlet,
    Enum,
    Law,
    List,
    Pos,
    Vector,
    infer,
    laplace,
    observe_all,
    params,
    private,
    sample,
)


@private(
    data=List[Enum],
    adjacent="substitute",
    budget="2*eps",
    params={"alpha": Vector(Pos), "eps": Pos},
)
def dirichlet_l1(data: list[int], alpha: list[float], eps: float) -> Law:
    post = infer(observe_all(Categorical, data, prior=Dirichlet(alpha)))
    noisy = sample(laplace(eps, params(post)))
    return Dirichlet(noisy)
