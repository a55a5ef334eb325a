"""Row 35: three ways for a graph to break, one of them only in the second call."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        x = x * 2
        print("", end="")
        x = x + 1
        if x.sum() > 0:
            x = x.relu()
        return self.inner(x, self.calls > 0)

    def inner(self, x, second):
        x = x.sin()
        if second:
            torch._dynamo.graph_break()
        return x.cos()


model = Net()
inputs = torch.ones(4)
