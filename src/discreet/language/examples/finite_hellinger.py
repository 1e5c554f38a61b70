"""A coin that is one of three: any finite belief has a closed bound.

Replacing a record multiplies the weights by factors between 1/9 and 9: Kantorovich's inequality.
"""

from discreet.language import (
    Bernoulli,
    Bool,
    Candidates,
    Finite,
    Law,
    List,
    Pos,
    exp_mech,
    fold,
    hellinger,
    infer,
    observe,
    private,
    ran,
    sample,
)


@private(
    data=List[Bool],
    adjacent="substitute",
    budget="sqrt(2/5)*eps",
    params={"eps": Pos, "candidates": Candidates(Finite)},
)
def finite_hellinger(data: list[bool], eps: float, candidates: list[Law]) -> Law:
    post = infer(
        fold(
            lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief),
            ran(Finite((1 / 10, 1 / 2, 9 / 10), (1, 1, 1))),
            data,
        )
    )
    return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))
