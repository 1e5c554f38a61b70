"""The mean of normal records."""
