# SPDX-License-Identifier: Apache-2.0
"""What MXNet itself does, in a process of its own that has MXNet and not hybridize.

    python mxnet_process.py load FOLDER     run every exported net of a folder on its input, in both kinds of arrays
    python mxnet_process.py save FOLDER NAME=SIZE...    make networks of MXNet's zoo, and write them in all of its forms
    python mxnet_process.py recurrent FOLDER    make recurrent layers, and write them; load NAME.ours.params where it is

`load` reads NAME.npz (the inputs) beside NAME-symbol.json and NAME-0000.params and writes NAME.found.npz (nd0, np0,
nd1, and so on), or the error's text in place of a first result. `save` writes NAME.npz (x, y), NAME.params of
`save_parameters`, and NAME-symbol.json with NAME-0000.params of `export`.
"""

import sys
from pathlib import Path

import mxnet as mx
import numpy


def run(block, x, numpy_arrays):
    return block((mx.np.array if numpy_arrays else mx.nd.array)(x)).asnumpy()


def load(folder):
    for file in sorted(folder.glob("*.npz")):
        name, xs = folder / file.stem, list(numpy.load(file).values())
        names = ["data"] if len(xs) == 1 else [f"data{number}" for number in range(len(xs))]
        params = Path(f"{name}-0000.params")
        found = {}
        for kind in ("nd", "np"):
            if kind == "np" and mx.__version__.startswith("1"):
                continue  # 1.x has another file for its own NumPy arrays
            (mx.npx.set_np if kind == "np" else mx.npx.reset_np)()
            try:
                net = mx.gluon.SymbolBlock.imports(
                    f"{name}-symbol.json", names, str(params) if params.exists() else None
                )
                given = [(mx.np.array if kind == "np" else mx.nd.array)(x, dtype=x.dtype) for x in xs]
                results = net(*given)
                for number, y in enumerate(results if isinstance(results, (list, tuple)) else [results]):
                    found[f"{kind}{number}"] = y.asnumpy()
            except Exception as error:  # what MXNet says is what the test shows
                found[f"{kind}0"] = str(error)
        numpy.savez(folder / f"{file.stem}.found.npz", **found)


def save(folder, sizes):
    second = mx.__version__.startswith("2")
    if second:
        mx.npx.set_np()
    for name, size in sizes.items():
        net = mx.gluon.model_zoo.vision.get_model(name, classes=10)
        net.initialize(mx.init.Xavier())
        x = numpy.random.RandomState(1).standard_normal((2, 3, size, size)).astype("f4")
        with mx.autograd.record():  # so that running statistics are no zeros and ones
            run(net, x, second)
        net.hybridize()
        y = run(net, x, second)
        numpy.savez(folder / f"{name}.npz", x=x, y=y)
        net.save_parameters(str(folder / f"{name}.params"))
        net.export(str(folder / name))


def recurrent(folder):
    second = mx.__version__.startswith("2")
    if second:
        mx.npx.set_np()
    rnn = mx.gluon.rnn
    layers = {
        "lstm": lambda: rnn.LSTM(6, 2, bidirectional=True, layout="NTC"),
        "gru": lambda: rnn.GRU(5, 2, layout="NTC"),
        "rnn": lambda: rnn.RNN(5, activation="tanh", bidirectional=True, layout="NTC"),
    }
    for name, make in layers.items():
        net = mx.gluon.nn.HybridSequential()
        net.add(make())
        net.initialize(mx.init.Uniform(0.5))
        x = numpy.random.RandomState(1).standard_normal((3, 7, 4)).astype("f4")
        y = run(net, x, second)
        net.save_parameters(str(folder / f"{name}.params"))
        arrays = {"x": x, "y": y}
        ours = folder / f"{name}.ours.params"
        if ours.exists():
            net.load_parameters(str(ours))
            arrays["ours"] = run(net, x, second)
        numpy.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    word, where, *rest = sys.argv[1:]
    if word == "load":
        load(Path(where))
    elif word == "recurrent":
        recurrent(Path(where))
    else:
        save(Path(where), {name: int(size) for name, size in (each.split("=") for each in rest)})
