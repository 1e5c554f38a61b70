"""Programs of two lists: those that are proved, and those that must not be."""
