"""Mechanisms: each one short function with its law, its sensitivity and its privacy argument.

P0 to P4 and errata E1 to E21, here and in all other rooms, are those of docs/bibliography.md.
"""

P0 = (
    "Exploring the Design Space of Differentially Private Bayesian Inference "
    "under Hellinger Distance"
)
