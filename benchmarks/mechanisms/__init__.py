"""Mechanisms of the hardware, each alone: what the cost model's terms predict beside what was measured."""
