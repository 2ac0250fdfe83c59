"""What the programs share: weights and inputs by rules that need no random numbers, and numbers that stand for arrays."""

import math

import mxnet as mx
import numpy as np


class Rule(mx.init.Initializer):
    """Weights that follow from their shapes alone, of the size that keeps what goes through a layer as large as it was."""

    def _init_weight(self, name, arr):
        fan_in = max(1, int(np.prod(arr.shape[1:])))
        waves = np.sin(np.arange(arr.size) * 0.7371 + arr.size) * math.sqrt(2 / fan_in) * 1.4
        arr[:] = mx.nd.array(waves.reshape(arr.shape))

    _init_default = _init_weight


def numbers(shape, high=1.0):
    """An input: numbers from -high to high that follow no short period."""
    return mx.nd.array(np.sin(np.arange(int(np.prod(shape))) * 0.61803 * 7).reshape(shape) * high)


def signature(*arrays):
    """Sixteen numbers of the arrays, and their mean, spread and largest size: they stand for the whole."""
    found = []
    for array in arrays:
        flat = np.asarray(array.asnumpy() if hasattr(array, "asnumpy") else array, "float64").ravel()
        places = np.linspace(0, flat.size - 1, 16).astype(int)
        found += [flat.mean(), flat.std(), np.abs(flat).max(), *flat[places]]
    return [float(one) for one in found]


def flat(outputs):
    """The arrays of a nested result, in order."""
    if isinstance(outputs, (list, tuple)):
        return [one for part in outputs for one in flat(part)]
    return [] if outputs is None else [outputs]


def stages(net, *inputs, train=True, hybridize=True):
    """A net's output, its output hybridized, and after one step of training, as signatures."""
    found = {"output": signature(*flat(net(*inputs)))}
    if hybridize:
        net.hybridize()
        found["hybridized"] = signature(*flat(net(*inputs)))
    if train:
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
        with mx.autograd.record():
            loss = sum((one.astype("float32") ** 2).mean() for one in flat(net(*inputs)))
        loss.backward()
        trainer.step(1, ignore_stale_grad=True)
        found["trained"] = signature(loss, *flat(net(*inputs)))
    return found
