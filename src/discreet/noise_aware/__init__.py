"""Tables of counts behind noisy ones: what families share of their noise-aware posteriors."""
