"""A draw from a Beta posterior is not private: densities near 0 and 1 tell too much."""

from discreet.language import Bernoulli, Beta, Bool, List, Pos, infer, observe_all, private, sample


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def posterior_sample(data: list[bool], eps: float) -> float:
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    return sample(post)  # type: ignore[arg-type]
