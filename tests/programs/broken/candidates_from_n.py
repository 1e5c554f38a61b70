"""Under add-remove the list of candidates shows how many records there are."""

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
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


@private(data=List[Bool], adjacent="add-remove", budget="eps", params={"eps": Pos})
def candidates_from_n(data: list[bool], eps: float) -> Law:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    grid = [Beta(1 + i, 1 + i) for i in range(len(data) + 1)]
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), grid))
