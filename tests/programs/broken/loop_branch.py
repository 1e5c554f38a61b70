"""One round of the loop forgets the noise."""

from discreet.language import Bool, List, Pos, laplace, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def loop_branch(data: list[bool], eps: float) -> tuple[float, float]:
    total = sum(data)
    first = 0
    second = 0
    for i in range(2):
        if i == 0:
            first = sample(laplace(eps, total))
        else:
            second = total
    return first, second
