"""Programs with the types that P4 claims for them, and that do not hold."""
