"""Half the noise costs twice as much."""

from discreet.language import Bool, List, Pos, laplace, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def half_noise(data: list[bool], eps: float) -> float:
    return sample(laplace(2 * eps, sum(data)))
