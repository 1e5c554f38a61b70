"""The most accurate private mechanism: losses, the optimal remap, the linear program."""
