"""A three-layer perceptron, forward only: two GELUs that torch.compile fuses with what stands around them."""

import torch
from torch import nn

on_gpu = torch.cuda.is_available()
width, hidden = (1024, 4096) if on_gpu else (256, 1024)  # a CPU gets a smaller one, so that it takes seconds
batch = 64

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.middle = nn.Linear(hidden, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        x = nn.functional.gelu(self.up(x))
        x = nn.functional.gelu(self.middle(x))
        return self.down(x)


# profviz looks for these two names
model = MLP().eval()
inputs = torch.randn(batch, width)

if on_gpu:
    model, inputs = model.half(), inputs.half()
