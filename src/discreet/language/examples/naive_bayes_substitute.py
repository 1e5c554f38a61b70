"""Replaced, a record leaves one class and enters another: twice the cost of one."""

from collections.abc import Sequence

from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    Enum,
    Law,
    List,
    Pos,
    Tuple,
    infer,
    laplace,
    observe_all,
    parallel,
    params,
    private,
    sample,
)


@private(
    data=List[Tuple[Enum("sick", "well"), Bool]],
    adjacent="substitute",
    budget="2*eps",
    params={"eps": Pos},
)
def naive_bayes_substitute(data: list[tuple[str, bool]], eps: float) -> Sequence[Law]:
    def table(cell: list[tuple[str, bool]]) -> Law:
        post = infer(observe_all(Bernoulli, map(lambda r: r[1], cell), prior=Beta(1, 1)))
        noisy = sample(laplace(eps, params(post)))
        return Beta(noisy[0], noisy[1])

    return parallel(table, data, (lambda r: r[0] == "sick", lambda r: r[0] == "well"))
