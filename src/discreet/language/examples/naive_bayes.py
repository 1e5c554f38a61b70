"""The table of a naive Bayes classifier: every record is in one class only.

Each class is a cell of a public partition, so both together cost what one costs.
"""

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
    adjacent="add-remove",
    budget="eps",
    params={"eps": Pos},
)
def naive_bayes(data: list[tuple[str, bool]], eps: float) -> Sequence[Law]:
    def table(cell: list[tuple[str, bool]]) -> Law:
        post = infer(observe_all(Bernoulli, map(lambda r: r[1], cell), prior=Beta(1, 1)))
        a, b = params(post)
        x = sample(laplace(eps, a))
        y = sample(laplace(eps, b))
        return Beta(x, y)

    return parallel(table, data, (lambda r: r[0] == "sick", lambda r: r[0] == "well"))
