"""What breaks torch.compile's graph, one construct of each kind; seen with torch 2.13.

The comment at a line says what becomes of it: `breaks` ends the graph there, `skipped` has the whole function run
eager (and ends the graph of whoever called it), `traced` is what people take for a break and no longer is one.
"""

import json
import logging
import threading

import numpy as np
import torch
from torch import nn

on_gpu = torch.cuda.is_available()
width, batch = (2048, 256) if on_gpu else (64, 16)

torch.manual_seed(0)
journal = logging.getLogger("sample")
lock = threading.Lock()


def value_in_a_condition(x):
    if x.abs().max().item() > 0:  # breaks: the value is needed in Python
        x = x + 1
    return x


def output(x):
    x = x * 2
    print("", end="")  # breaks: Python's own output can't be part of a graph
    return x


def branch_on_data(x):
    if x.std() > 0.5:  # breaks: which way to go is known only once the numbers are
        x = x - 1
    return x


def builtin(x):
    x = x * 2
    size = len(bytes(4))  # breaks: a builtin that Dynamo has no counterpart of
    return x / size


def numpy_generator(x):
    x = x + 1
    noise = np.random.default_rng(0).random()  # breaks: NumPy that PyTorch does not have, here for two reasons
    return x * (1 + noise)


def numpy_function(x):
    return x + float(np.sqrt(np.float64(4.0)))  # traced: most of NumPy is


def library(x):
    x = x * 2
    scale = json.loads("0.5")  # breaks: another library, deep inside of it
    return x * scale


def tensor_attribute(x):
    x = x * 1
    x.data = x.data.clamp(-3, 3)  # breaks: a tensor is changed through an attribute
    return x


class Rounding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class TalkingRounding(Rounding):
    @staticmethod
    def forward(ctx, x):
        print("", end="")  # breaks: custom autograd functions are traced, what they print is not
        return x.round()


def autograd_functions(x):
    x = Rounding.apply(x)  # traced: a custom autograd function
    return TalkingRounding.apply(x)


def helper(x):
    x = x + 1
    print("", end="")  # breaks: once a call, and still this one line
    return x * 0.5


def helper_three_times(x):
    x = helper(x)
    x = helper(x)
    return helper(x)


class Inlined(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        x = torch.tanh(x)
        self.last = x.detach()  # traced: an attribute of a module is set when the graph is done
        print("", end="")  # breaks: in a module that is inlined into the one that calls it
        return x * 2


def asked_for(x):
    x = x + 1
    torch._dynamo.graph_break()  # breaks: as asked
    return x * 2


def loop(x):
    for _ in range(2):
        print("", end="")  # skipped: in a loop no graph can be resumed
        x = x + 1
    return x


def logging_call(x):
    x = x * 2
    journal.info("a step")  # breaks: logging
    return x


def with_lock(x):
    x = x + 1
    with lock:  # skipped: a context manager that Dynamo can't enter
        x = x * 2
    return x


class Breaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (nn.Linear(width, width) for _ in range(2))
        self.inlined = Inlined()

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = value_in_a_condition(x)
        x = output(x)
        x = branch_on_data(x)
        x = builtin(x)
        x = numpy_generator(x)
        x = numpy_function(x)
        x = library(x)
        x = tensor_attribute(x)
        x = autograd_functions(x)
        x = helper_three_times(x)
        x = self.inlined(x)
        x = asked_for(x)
        x = loop(x)
        x = logging_call(x)
        x = with_lock(x)
        return torch.softmax(self.second(x), dim=-1)


model = Breaks().eval()
inputs = torch.randn(batch, width)
