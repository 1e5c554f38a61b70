"""One room for every family of models; none imports another."""
