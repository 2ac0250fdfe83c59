"""Functions of arrays and their gradients, beside PyTorch's."""

import numpy
import torch

from hybridize import autograd
from hybridize.array import np


def with_gradients(function, xs):
    """The result of a function of arrays, and the gradients of a weighted sum of it."""
    xs = [np.array(x, dtype=x.dtype) for x in xs]
    for x in xs:
        x.attach_grad()
    with autograd.record():
        y = function(*xs)
        total = (y * np.cos(np.arange(y.size, dtype=y.dtype).reshape(y.shape))).sum()
    total.backward()
    return [y.asnumpy(), *(x.grad.asnumpy() for x in xs)]


def of_torch(function, xs):
    """The same of a function of PyTorch's tensors."""
    xs = [torch.tensor(x, requires_grad=True) for x in xs]
    y = function(*xs)
    (y * torch.cos(torch.arange(y.numel(), dtype=y.dtype).reshape(y.shape))).sum().backward()
    return [y.detach().numpy(), *(x.grad.numpy() for x in xs)]


def same(found, wanted, rtol=2e-5, atol=2e-6):
    for ours, theirs in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
