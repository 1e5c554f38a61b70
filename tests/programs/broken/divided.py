"""x/0.5 moves by twice as much as x, not by half as much."""

from discreet.language import Bool, List, Pos, laplace, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps/2", params={"eps": Pos})
def divided(data: list[bool], eps: float) -> float:
    return sample(laplace(eps, sum(data) / 0.5))
