# SPDX-License-Identifier: Apache-2.0
"""Classes that override `hybrid_forward`, run on MXNet 1.9.1 or on us: `python overriding_programs.py` prints JSON."""

import json
import sys

import numpy


def wave(shape, start):
    """Numbers between 0.1 and 0.9 that depend on the shape alone."""
    size = int(numpy.prod(shape))
    return (0.5 + 0.4 * numpy.sin(numpy.arange(start, start + size) * 1.7)).reshape(shape).astype("float32")


def layers(gluon):
    """Classes of MXNet's layers, arguments, and shapes of inputs.

    Without those of which MXNet 2 says otherwise than 1.9 (GroupNorm, KLDivLoss, PoissonNLLLoss), and those that MXNet
    cannot hybridize (SDMLLoss).
    """
    nn, rnn, loss, contrib = gluon.nn, gluon.rnn, gluon.loss, gluon.contrib
    vectors, images = (2, 4), (2, 4, 6, 6)
    pair = (vectors, vectors)
    table = [
        (nn.Dense, (3, "relu"), (vectors,)), (nn.Conv1D, (3, 3), ((2, 4, 6),)), (nn.Conv2D, (3, 3, 2, 1), (images,)),
        (nn.Conv2DTranspose, (3, 3, 2, 1), (images,)), (nn.Conv3D, (2, 2), ((1, 2, 3, 3, 3),)),
        (nn.BatchNorm, (), (images,)), (nn.LayerNorm, (), (vectors,)),
        (nn.InstanceNorm, (), (images,)), (nn.Embedding, (1, 3), (vectors,)), (nn.PReLU, (), (vectors,)),
        (nn.LeakyReLU, (0.2,), (vectors,)), (nn.ELU, (), (vectors,)), (nn.SELU, (), (vectors,)),
        (nn.GELU, (), (vectors,)), (nn.Swish, (), (vectors,)), (nn.Activation, ("tanh",), (vectors,)),
        (nn.Dropout, (0.5,), (vectors,)), (nn.Flatten, (), (images,)), (nn.MaxPool2D, (), (images,)),
        (nn.AvgPool1D, (), ((2, 4, 6),)), (nn.GlobalAvgPool2D, (), (images,)), (nn.GlobalMaxPool2D, (), (images,)),
        (nn.ReflectionPad2D, (1,), (images,)), (contrib.nn.PixelShuffle2D, (2,), ((1, 8, 3, 3),)),
        (contrib.nn.Identity, (), (vectors,)), (contrib.cnn.DeformableConvolution, (3, (3, 3)), (images,)),
        (loss.L1Loss, (), pair), (loss.L2Loss, (), pair), (loss.HuberLoss, (), pair), (loss.HingeLoss, (), pair),
        (loss.SquaredHingeLoss, (), pair), (loss.LogisticLoss, (), pair),
        (loss.SigmoidBCELoss, (), pair), (loss.TripletLoss, (), (*pair, vectors)),
        (rnn.RNN, (3, 2), ((3, 2, 4),)), (rnn.LSTM, (3,), ((3, 2, 4),)), (rnn.GRU, (3,), ((3, 2, 4),)),
        (rnn.RNNCell, (4,), (vectors, [vectors])), (rnn.LSTMCell, (4,), (vectors, [vectors] * 2)),
        (rnn.GRUCell, (4,), (vectors, [vectors])), (contrib.rnn.LSTMPCell, (3, 4), (vectors, [(2, 4), (2, 3)])),
        (contrib.rnn.Conv2DLSTMCell, ((4, 6, 6), 2, 3, 3, 1), (images, [(2, 2, 6, 6)] * 2)),
        (contrib.rnn.Conv1DGRUCell, ((4, 6), 2, 3, 3, 1), ((2, 4, 6), [(2, 2, 6)])),
    ]  # fmt: skip
    return {kind.__name__: (kind, args, shapes) for kind, args, shapes in table}


def doubled(base):
    class Doubled(base):
        def hybrid_forward(self, F, x, *args, **weights):
            changed = {name: value if name.startswith("running") else value * 2 for name, value in weights.items()}
            return super().hybrid_forward(F, x, *args, **changed)

    return Doubled


def positional(base):
    """Of layers with one input, their weights in the order of their definition in MXNet."""
    order = ("gamma", "beta", "running_mean", "running_var", "alpha", "weight", "offset_weight",
             "deformable_conv_weight", "i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias", "offset_bias",
             "deformable_conv_bias", "bias")  # fmt: skip

    class Positional(base):
        def hybrid_forward(self, F, x, *args, **weights):
            if "l0_i2h_weight" in weights:
                return super().hybrid_forward(F, x, *args, **weights)
            return super().hybrid_forward(F, x, *args, *[weights[name] for name in order if name in weights])

    return Positional


def both(base):
    class Both(base):
        def forward(self, x, *args):
            result = super().forward(x, *args)
            return (result[0] * 10, result[1]) if isinstance(result, (list, tuple)) else result * 10

        def hybrid_forward(self, F, x, *args, **weights):
            result = super().hybrid_forward(F, x, *args, **weights)
            return (result[0] + 1, result[1]) if isinstance(result, (list, tuple)) else result + 1

    return Both


def arrays(mx, shape, start=1):
    if isinstance(shape, list):
        return [arrays(mx, one, start + 3 + k) for k, one in enumerate(shape)]
    return mx.nd.array(wave(shape, start))


def flat(result):
    return (
        [x for part in result for x in flat(part)] if isinstance(result, (list, tuple)) else [result.asnumpy().tolist()]
    )


def results(mx):
    """The results of all classes by name, imperatively and hybridized."""
    found = {}
    for name, (base, args, shapes) in layers(mx.gluon).items():
        for change in (doubled, positional, both):
            for hybridized in (False, True):
                block = change(base)(*args)
                block.initialize()
                inputs = [arrays(mx, shape, k) for k, shape in enumerate(shapes)]
                if name == "Embedding":
                    inputs = [inputs[0] * 0]
                block(*inputs)
                own = block._reg_params if hasattr(block, "_reg_params") else block._parameters
                for k, (_, parameter) in enumerate(sorted(own.items())):
                    parameter.set_data(mx.nd.array(wave(parameter.shape, 5 * k)))
                if hybridized:
                    block.hybridize()
                found[f"{name} {change.__name__} {hybridized}"] = flat(block(*inputs))
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["mx"]:
        import mxnet
    else:
        import hybridize as mxnet
    print(json.dumps(results(mxnet)))
