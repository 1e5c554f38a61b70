"""Nothing is known of a function from elsewhere: it may do anything to the data."""

from discreet.language import Bool, List, Pos, laplace, private, sample


def scaled(x: float) -> float:
    """Any function of Python."""
    return x * 1000


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def unknown_function(data: list[bool], eps: float) -> float:
    return sample(laplace(eps, scaled(sum(data))))
