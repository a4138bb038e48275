"""A training step as one exported program: forward, loss, backward and the optimizer's update."""

from ttstack.frontends.torch.training.export import export_step
from ttstack.frontends.torch.training.factory import load_step

__all__ = ["export_step", "load_step"]
