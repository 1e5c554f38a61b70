"""Replaced, a record leaves one cell and enters another: 2*eps, not eps."""

from collections.abc import Sequence

from discreet.language import Enum, List, Pos, laplace, parallel, private, sample


@private(data=List[Enum("sick", "well")], adjacent="substitute", budget="eps", params={"eps": Pos})
def parallel_substitute(data: list[str], eps: float) -> Sequence[float]:
    def size(cell: list[str]) -> float:
        return sample(laplace(eps, len(cell)))

    return parallel(size, data, (lambda r: r == "sick", lambda r: r == "well"))
