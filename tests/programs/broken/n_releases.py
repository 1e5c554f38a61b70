"""A release for every record, paid for only once."""

from discreet.language import Bool, List, Pos, laplace, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def n_releases(data: list[bool], eps: float) -> float:
    total = sum(data)
    x = 0.0
    for _ in range(len(data)):
        x = x + sample(laplace(eps, total))
    return x
