"""Posteriors that several families share: Dirichlet laws, their mixtures, normal laws."""
