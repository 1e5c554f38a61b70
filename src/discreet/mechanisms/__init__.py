"""Mechanisms: each one short function with its law, its sensitivity and its privacy argument.

P0 to P4 are the documents that docs/findings.md lists.
"""

P0 = (
    "Exploring the Design Space of Differentially Private Bayesian Inference "
    "under Hellinger Distance"
)
