"""Three things that break torch.compile's graph: item(), print, and a branch that depends on data."""

import torch
from torch import nn

on_gpu = torch.cuda.is_available()
width, batch = (2048, 256) if on_gpu else (256, 32)

torch.manual_seed(0)


class Breaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (nn.Linear(width, width) for _ in range(3))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = torch.relu(self.first(x))
        scale = x.abs().max().item()  # the value is needed in Python: the graph ends here
        x = x / max(scale, 1.0)
        x = self.norm(self.second(x))
        print("", end="")  # Python's own output can't be part of a graph
        if x.std() > 0.5:  # which way to go is known only once the numbers are
            x = x * 2
        return torch.softmax(self.third(x), dim=-1)


model = Breaks().eval()
inputs = torch.randn(batch, width)
