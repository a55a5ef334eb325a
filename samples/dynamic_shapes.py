"""Batch sizes that change: torch.compile recompiles for the second one, then for any; with dynamic=no for each.

The size is made symbolic when it is compiled again, unless that was turned off.
"""

import itertools

import torch
from torch import nn

on_gpu = torch.cuda.is_available()
width = 1024 if on_gpu else 64
SIZES = (8, 16, 24, 32)

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(width, 4 * width)
        self.last = nn.Linear(4 * width, 10)

    def forward(self, x):
        x = (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True)
        x = torch.nn.functional.gelu(self.hidden(x))
        return torch.log_softmax(self.last(x), dim=-1)


model = Classifier().eval()
inputs = (torch.randn(size, width) for size in itertools.cycle(SIZES))
