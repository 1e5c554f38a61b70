"""The mechanisms of a network, each a function with its privacy argument."""
