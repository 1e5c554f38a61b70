"""Studies: comparisons and simulations over many settings."""
