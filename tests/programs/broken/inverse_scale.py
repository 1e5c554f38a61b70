"""laplace takes eps, not the scale 1/eps: for small eps this is far too little noise."""

from discreet.language import Bool, List, Pos, laplace, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def inverse_scale(data: list[bool], eps: float) -> float:
    return sample(laplace(1 / eps, sum(data)))
