"""Private models for scikit-learn. Needs the extra `learn`."""

try:
    from discreet.learn.linear_regression import PrivateLinearRegression
    from discreet.learn.naive_bayes import PrivateNaiveBayes
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    raise ImportError("discreet.learn needs scikit-learn: pip install 'discreet[learn]'") from None

__all__ = ["PrivateLinearRegression", "PrivateNaiveBayes"]
