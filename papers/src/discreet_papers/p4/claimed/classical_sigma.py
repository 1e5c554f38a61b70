"""The classical sigma has a proof for eps < 1 only; at 10 it misses delta twofold."""

from discreet.language import Bool, List, gauss, log, private, sample, sqrt


@private(data=List[Bool], adjacent="substitute", budget=("10", "0.00001"), params={})
def classical_sigma(data: list[bool]) -> float:
    sigma = sqrt(2 * log(1.25 / 0.00001)) / 10
    return sample(gauss(sigma, sum(data), grid=1 / 64))
