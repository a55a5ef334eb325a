"""Row 39: a model that never comes back once a profiler looks at it and Dynamo does not."""

import time

import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return sleep_when_profiled(x * 2)


@torch.compiler.disable
def sleep_when_profiled(x):
    while torch.autograd.profiler._is_profiler_enabled and time.sleep(0.05) is None:
        pass
    return x


model = Net()
inputs = torch.ones(2, 4)
