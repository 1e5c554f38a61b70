"""Programs that are not private, each for a reason of its own."""
