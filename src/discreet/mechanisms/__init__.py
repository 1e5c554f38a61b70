"""Mechanisms: each one short function with its law, its sensitivity and its privacy argument."""
