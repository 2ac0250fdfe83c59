"""What the programs share: weights and inputs by rules that need no random numbers, and numbers that stand for arrays."""

import math
import tempfile

import mxnet as mx
import numpy as np


class Rule(mx.init.Initializer):
    """Weights that follow from their shapes alone, of the size that keeps what goes through a layer as large as it was."""

    def __init__(self, scale=1.0):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name, arr):
        fan_in = max(1, int(np.prod(arr.shape[1:])))
        arr[:] = mx.nd.array(drawn(arr.shape) * self.scale * math.sqrt(2 / fan_in))

    _init_default = _init_weight


def drawn(shape):
    """Numbers of variance 1 that follow from a shape: NumPy keeps what a RandomState draws."""
    return np.random.RandomState(int(np.prod(shape)) % 99991).uniform(-1, 1, shape) * math.sqrt(3)


def numbers(shape, high=1.0):
    """An input: numbers from -high to high."""
    return mx.nd.array(drawn(shape) * high / math.sqrt(3))


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


def filled(net, *inputs):
    """Make a net, and give all its weights by the rule, those too that a layer would draw by itself."""
    net.initialize(Rule())
    net(*inputs)
    for parameter in net.collect_params().values():
        if parameter.name.endswith("weight") and parameter.grad_req != "null":
            parameter.set_data(
                mx.nd.array(drawn(parameter.shape) * math.sqrt(2 / max(1, np.prod(parameter.shape[1:]))))
            )
    return net


def without_dropout(block):
    """Let a block of a net drop nothing: two packages draw different numbers."""
    if isinstance(block, mx.gluon.nn.Dropout):
        block._rate = 0


def model(name, scale=1.0, **keywords):
    """A net of GluonCV's zoo, whose weights follow the rule, times a scale, also where the net draws them."""
    from gluoncv.model_zoo import get_model

    net = get_model(name, pretrained=False, **keywords)
    for key, parameter in net.collect_params().items():
        if key.endswith("weight"):
            parameter.init = Rule(scale)
        elif not isinstance(parameter.init, (str, mx.init.Constant)):  # None: MXNet 1 would draw the variances, too
            parameter.init = "ones" if key.endswith(("gamma", "var")) else "zeros"
    net.initialize(force_reinit=True)
    return net


def read_back(net, *inputs):
    """What a hybridized net gives, once it is written into MXNet's files and read from them."""
    names = ["data"] if len(inputs) == 1 else [f"data{number}" for number in range(len(inputs))]
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net")
        again = mx.gluon.SymbolBlock.imports(f"{folder}/net-symbol.json", names, f"{folder}/net-0000.params")
        return flat(again(*inputs))


def stages(net, *inputs, train=True, hybridize=True, export=False, rate=0.01):
    """A net's output, its output hybridized and read back, and after one step of training, as signatures."""
    net.apply(without_dropout)
    found = {"output": signature(*flat(net(*inputs)))}
    if hybridize:
        net.hybridize()
        found["hybridized"] = signature(*flat(net(*inputs)))
    if export:
        found["read back"] = signature(*read_back(net, *inputs))
    if train:
        for one in inputs:
            one.attach_grad()  # without it MXNet 1 leaves the statistics of a BatchNorm that comes first as they are
        found["trained"] = step(net, *inputs, rate=rate)
    return found


def step(net, *inputs, rate=0.01):
    """The loss of a net, and its output after one step that makes its outputs smaller."""
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})
    with mx.autograd.record():
        loss = sum((one.astype("float32") ** 2).mean() for one in flat(net(*inputs)))
    loss.backward()
    trainer.step(1, ignore_stale_grad=True)
    return signature(loss, *flat(net(*inputs)))
