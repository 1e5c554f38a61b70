"""The posterior itself tells the counts."""

from discreet.language import Bernoulli, Beta, Bool, Law, List, Pos, infer, observe_all, private


@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def no_noise(data: list[bool], eps: float) -> Law:
    return infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
