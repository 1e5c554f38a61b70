"""Three categories by Hellinger distance: the same constant as for two."""

from discreet.language import (
    Candidates,
    Categorical,
    Dirichlet,
    Enum,
    Law,
    List,
    Pos,
    exp_mech,
    hellinger,
    infer,
    observe_all,
    private,
    sample,
)


@private(
    data=List[Enum("cured", "improved", "unchanged")],
    adjacent="substitute",
    budget="sqrt(1 - pi/4)*eps",
    params={"eps": Pos, "candidates": Candidates(Dirichlet)},
)
def dirichlet_hellinger(data: list[str], eps: float, candidates: list[Law]) -> Law:
    post = infer(observe_all(Categorical, data, prior=Dirichlet((1, 1, 1))))
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
