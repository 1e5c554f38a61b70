"""The mechanisms of a regression, each a function with its privacy argument."""
