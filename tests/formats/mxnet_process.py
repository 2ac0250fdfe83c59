# SPDX-License-Identifier: Apache-2.0
"""What MXNet itself does, in a process of its own that has MXNet and not hybridize.

    python mxnet_process.py load FOLDER     run every exported net of a folder on its input, in both kinds of arrays
    python mxnet_process.py save FOLDER NAME=SIZE...    make networks of MXNet's zoo, and write them in all of its forms
    python mxnet_process.py recurrent FOLDER    make recurrent layers, and write them; load NAME.ours.params where it is
    python mxnet_process.py files FOLDER    load the files of arrays that are there, and write some
    python mxnet_process.py bind FOLDER     run every expression of a folder on arrays by name, forwards and backwards
    python mxnet_process.py detect FOLDER   export heads of detectors, and write calls of their operators as symbols
    python mxnet_process.py lost FOLDER     export loops and branches, which come without attributes (2.0)

`load` reads NAME.npz (the inputs) beside NAME-symbol.json and NAME-0000.params and writes NAME.found.npz (nd0, np0,
nd1, and so on), or the error's text in place of a first result. `files` writes NAME.found.npz (dense arrays by kind of
arrays and by name, and their storage types as STYPE) of each ours.*; and theirs.*. `bind` reads NAME.npz beside NAME-symbol.json and
writes NAME.found.npz: the results y0, y1, and so on, and gradients by name. `lost` and `detect` write what `load`
reads, with the results as y0, y1, and so on. `save` writes NAME.npz (x, y), NAME.params of
`save_parameters`, and NAME-symbol.json with NAME-0000.params of `export`.
"""

import importlib.util
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


def files(folder):
    second = mx.__version__.startswith("2")
    for kind, load in (("nd", mx.nd.load), ("np", mx.npx.load)):
        (mx.npx.set_np if kind == "np" else mx.npx.reset_np)()
        for file in sorted(folder.glob(f"ours.{kind}.*") if not second else folder.glob("ours.*")):
            other = {"nd": ".np.", "np": ".nd."}[kind]
            if other in file.name or ("sparse" in file.name and kind == "np"):
                continue  # lists are read as they were saved; MXNet's NumPy arrays are dense
            arrays = load(str(file))
            if not isinstance(arrays, (list, dict)):
                arrays = {"alone": arrays}
            elif isinstance(arrays, list):
                arrays = {str(number): array for number, array in enumerate(arrays)}
            found = {name: array.asnumpy() for name, array in arrays.items()}
            stypes = {f"{name}.STYPE": numpy.array(array.stype) for name, array in arrays.items()}
            numpy.savez(folder / f"{file.name}.{kind}.found.npz", **found, **stypes)
    mx.npx.reset_np()
    x = mx.nd.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]])
    arrays = {"x": x, "csr": x.tostype("csr"), "rows": x.tostype("row_sparse")}
    arrays["no csr"] = mx.nd.sparse.zeros("csr", (2, 3))
    arrays["no rows"] = mx.nd.sparse.zeros("row_sparse", (2, 3))
    mx.nd.save(str(folder / "theirs.params"), arrays)
    mx.nd.save(str(folder / "theirs.list.params"), list(arrays.values()))
    if second:
        mx.npx.savez(str(folder / "theirs.npz"), **{name.replace(" ", "_"): array for name, array in arrays.items()})
        mx.npx.set_np()
        mx.npx.save(str(folder / "theirs.npy"), mx.np.array([[1, 2]]))


def bind(folder):
    mx.npx.reset_np()
    for file in sorted(folder.glob("*.npz")):
        symbol = mx.sym.load(str(folder / f"{file.stem}-symbol.json"))
        given = {name: mx.nd.array(x) for name, x in numpy.load(file).items()}
        buffers = {name: mx.nd.zeros(x.shape) for name, x in given.items()}
        bound = (symbol.bind if hasattr(symbol, "bind") else symbol._bind)(mx.cpu(), given, buffers)
        results = bound.forward(is_train=True)
        bound.backward([mx.nd.ones_like(y) for y in results])
        found = {f"y{number}": y.asnumpy() for number, y in enumerate(results)}
        numpy.savez(folder / f"{file.stem}.found.npz", **found, **{name: x.asnumpy() for name, x in buffers.items()})


def detect(folder):
    place = Path(__file__).parents[1] / "census" / "detectors.py"
    spec = importlib.util.spec_from_file_location("detectors", place)
    detectors = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(detectors)

    def write(name, xs, results):
        results = results if isinstance(results, (list, tuple)) else [results]
        numpy.savez(folder / f"{name}.npz", *xs, **{f"y{number}": y.asnumpy() for number, y in enumerate(results)})

    def arrays(xs):
        return [mx.nd.array(x, dtype=x.dtype) for x in xs]

    for name, (function, xs) in detectors.CALLS.items():
        names = ["data"] if len(xs) == 1 else [f"data{number}" for number in range(len(xs))]
        symbol = function(mx.sym, *map(mx.sym.var, names))
        symbol.save(str(folder / f"{name}-symbol.json"))
        write(name, xs, function(mx.nd, *arrays(xs)))
    for name, (make, shapes) in detectors.nets(mx).items():
        net, xs = make(), detectors.inputs_of(shapes)
        detectors.initialize(net, mx, arrays(xs))
        net.hybridize()
        write(name, xs, net(*arrays(xs)))
        net.export(str(folder / name))


def lost(folder):
    mx.npx.set_np()
    np, npx = mx.np, mx.npx

    class Loop(mx.gluon.HybridBlock):
        def forward(self, x, y, a, b):
            def body(data, states):
                out = np.tanh(states[1] * data[0] + states[0] - data[1])
                return [out, data[1] * states[0]], [states[1] + data[0], states[0] * data[1]]

            outputs, states = npx.foreach(body, [x, y], [a, b])
            return (*outputs, *states)

    class Branch(mx.gluon.HybridBlock):
        def forward(self, a, b):
            return npx.cond(lambda a, b: (b + a).sum() > 1, lambda a, b: [a - b, b], lambda a, b: [b * b, a], [a, b])

    draw = numpy.random.RandomState(0)
    for name, net, shapes in (
        ("loop", Loop(), [(5, 2, 3), (5, 2, 3), (2, 3), (2, 3)]), ("branch", Branch(), [(2, 3), (2, 3)]),
        ("other", Branch(), [(2, 3), (2, 3)]),
    ):  # fmt: skip
        xs = [draw.uniform(-1, 1, shape).astype("f4") + (name == "branch") - (name == "other") for shape in shapes]
        net.hybridize()
        ys = net(*map(np.array, xs))
        net.export(str(folder / name))
        numpy.savez(folder / f"{name}.npz", *xs, **{f"y{number}": y.asnumpy() for number, y in enumerate(ys)})


if __name__ == "__main__":
    word, where, *rest = sys.argv[1:]
    if word == "load":
        load(Path(where))
    elif word in ("recurrent", "files", "bind", "lost", "detect"):
        {"recurrent": recurrent, "files": files, "bind": bind, "lost": lost, "detect": detect}[word](Path(where))
    else:
        save(Path(where), {name: int(size) for name, size in (each.split("=") for each in rest)})
