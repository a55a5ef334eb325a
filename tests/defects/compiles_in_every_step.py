"""Row 39: each step has another size, so something compiles in every one of them, under the profiler too."""

import itertools

import torch

torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1_000_000

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
inputs = (torch.ones(size, 4) for size in itertools.count(2))
