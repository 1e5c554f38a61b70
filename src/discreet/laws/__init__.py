"""The laws that mechanisms draw from: independent noise, noise that keeps a total, exponential."""
