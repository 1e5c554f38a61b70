"""Exact arithmetic and exact sampling: balls, random bits, and draws decided by both."""
