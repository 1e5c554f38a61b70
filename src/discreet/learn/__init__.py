"""Private models for scikit-learn. Needs the extra `learn`."""

from discreet.extras import needed

with needed("discreet.learn needs scikit-learn", "discreet[learn]"):
    import sklearn  # noqa: F401

from discreet.learn.linear_regression import PrivateLinearRegression
from discreet.learn.naive_bayes import PrivateNaiveBayes

__all__ = ["PrivateLinearRegression", "PrivateNaiveBayes"]
