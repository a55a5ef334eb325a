"""profviz shows a PyTorch engineer what torch.compile did to a model, and why."""

__version__ = "0.1.0"
