"""`dp.plan`: the least epsilon that reaches a target, or what a given epsilon buys."""

from discreet.planning.plans import Plan, plan

__all__ = ["Plan", "plan"]
