"""A record may be in both cells, and then changes both results."""

from collections.abc import Sequence

from discreet.language import Bool, List, Pos, Tuple, laplace, parallel, private, sample


@private(data=List[Tuple[Bool, Bool]], adjacent="add-remove", budget="eps", params={"eps": Pos})
def overlapping_cells(data: list[tuple[bool, bool]], eps: float) -> Sequence[float]:
    def size(cell: list[tuple[bool, bool]]) -> float:
        return sample(laplace(eps, len(cell)))

    return parallel(size, data, (lambda r: r[0], lambda r: r[1]))
