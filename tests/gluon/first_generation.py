"""Programs on names, prefixes, sharing and files of MXNet 1, and its errors; it runs on MXNet 1.9.1 and on hybridize.

.mxnet/1.9.1/bin/python tests/gluon/first_generation.py > tests/gluon/first_generation.json
"""

import json
import os
import sys
import tempfile
import warnings

import numpy

CLASSES = (
    ValueError, RuntimeError, TypeError, AssertionError, KeyError, NotImplementedError, UserWarning, OSError, IndexError,
    AttributeError,
)  # fmt: skip


def nets(mx):
    """The classes of the programs."""
    gluon, nn = mx.gluon, mx.gluon.nn

    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.d = nn.Dense(2, in_units=4)
                self.m = nn.HybridSequential()
                self.m.add(nn.Dense(3, in_units=2), nn.Dense(3, in_units=3, prefix="own_"))
                self.t = nn.HybridSequential(prefix="")
                with self.t.name_scope():
                    self.t.add(nn.Dense(3, in_units=3), nn.BatchNorm(in_channels=3))
                self.s = nn.HybridSequential(prefix="stage_")
                with self.s.name_scope():
                    self.s.add(nn.Dense(4, in_units=3, activation="relu"))
                self.scale = self.params.get("scale", shape=(4,), init="ones")
                self.half = self.params.get_constant("half", mx.nd.array([0.5]))

        def hybrid_forward(self, F, x, scale, half):
            return F.broadcast_mul(F.broadcast_mul(self.s(self.t(self.m(self.d(x)))), scale.reshape((1, -1))), half)

    class Prediction(Net):
        def hybrid_forward(self, F, x, scale, half):
            return super().hybrid_forward(F, x, scale, half) * 2

    class Outside(gluon.HybridBlock):
        """Its parts are made outside of its scope, so nothing is shared."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.d = nn.Dense(2, in_units=4)

        def hybrid_forward(self, F, x):
            return self.d(x)

    class Python(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.d = nn.Dense(4, in_units=4)
                self.r = gluon.rnn.LSTM(3, 2, input_size=4, bidirectional=True)

        def forward(self, x):
            return self.r(self.d(x).reshape((1, -1, 4)))

    class Translator(gluon.HybridBlock):
        """An encoder and a decoder that share the embedding, as GluonNLP's."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.source = nn.Embedding(5, 4, prefix="embed_")
                self.target = nn.Embedding(5, 4, prefix="target_", params=self.source.params)
                self.output = nn.Dense(5, in_units=4, flatten=False, use_bias=False, params=self.source.params)

        def hybrid_forward(self, F, x):
            return self.output(self.source(x) + self.target(x))

    return Net, Prediction, Outside, Python, Translator


def shared(a, b):
    """Whose parameter each of `b` is: the path of `a`, or its own."""
    theirs = {id(p): path for path, p in a._collect_params_with_prefix().items()}
    return {path: theirs.get(id(p), "") for path, p in b._collect_params_with_prefix().items()}


def described(net):
    """What a net tells of its names."""
    blocks = []
    net.apply(lambda block: blocks.append([type(block).__name__, block.prefix, block.name, block.params.prefix]))
    return {
        "keys": list(net.collect_params().keys()),
        "names": [p.name for p in net.collect_params().values()],
        "own": sorted(net.params.keys()),
        "prefix": net.collect_params().prefix,
        "blocks": blocks,
        "paths": sorted(net._collect_params_with_prefix()),
        "own paths": sorted(net._reg_params),
    }


def in_order(names):
    """Names in order, where layers that run over all steps have them in the order of their packed parameters."""
    if isinstance(names, dict):
        return {key: value if key == "blocks" else in_order(value) for key, value in names.items()}
    return sorted(names) if isinstance(names, list) else names


def layers(mx):
    """Layers that have parameters, each with a prefix."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn
    yield from (nn.Dense(2, in_units=2, activation="relu", prefix="a_"), nn.Embedding(2, 2, prefix="a_"))
    yield from (nn.Conv2D(2, 3, in_channels=2, prefix="a_"), nn.Conv1DTranspose(2, 3, in_channels=2, prefix="a_"))
    yield from (nn.BatchNorm(in_channels=2, prefix="a_"), nn.LayerNorm(in_channels=2, prefix="a_"))
    yield from (nn.InstanceNorm(in_channels=2, prefix="a_"), nn.GroupNorm(1, prefix="a_"), nn.PReLU(prefix="a_"))
    yield from (kind(2, input_size=2, prefix="a_") for kind in (rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell))
    yield from (kind(2, 2, input_size=2, prefix="a_", bidirectional=True) for kind in (rnn.RNN, rnn.LSTM, rnn.GRU))
    for kind in (rnn.SequentialRNNCell, rnn.HybridSequentialRNNCell):
        cells = kind(prefix="cells_")
        with cells.name_scope():
            cells.add(rnn.LSTMCell(2, input_size=2))
            cells.add(rnn.ResidualCell(rnn.GRUCell(2, input_size=2)))
            cells.add(rnn.BidirectionalCell(rnn.GRUCell(2, input_size=2), rnn.GRUCell(2, input_size=2)))
        yield cells


def names(mx):
    """Names, prefixes and keys."""
    net, _, _, python, translator = nets(mx)
    nn = mx.gluon.nn
    yield "a net with a prefix", lambda: described(net(prefix="net_"))
    yield "of Python", lambda: in_order(described(python(prefix="p_")))
    yield "shared inside", lambda: described(translator(prefix="t_"))
    for index, layer in enumerate(layers(mx)):
        yield f"{index} {type(layer).__name__}", lambda layer=layer: in_order(list(layer.collect_params().keys()))
    yield "select", lambda: list(net(prefix="net_").collect_params("net_dense0_.*|.*gamma").keys())
    yield "select by paths selects nothing", lambda: list(net(prefix="net_").collect_params("d\\.weight").keys())

    def counted():
        with mx.name.NameManager():
            return [described(net()), described(net()), nn.Dense(1).name, nn.Dense(1).name]

    def prefixed():
        with mx.name.Prefix("all_"):
            return [nn.Dense(1).name, nn.Dense(1, prefix="b_").name, described(net())]

    yield "counted", counted
    yield "a prefix of all", prefixed

    def of_symbols(prefix, outer):
        """Symbols that are made in a block's scope, and a block of such, as feature extractors are."""
        with mx.name.NameManager():
            block = net(prefix=prefix)
        with mx.name.NameManager(), mx.name.Prefix("outer_") if outer else mx.name.NameManager(), block.name_scope():
            y = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
            y = mx.sym.BatchNorm(mx.sym.relu(y) + 1, name="bn")
            with mx.name.Prefix("inner_"):
                y = mx.sym.tanh(mx.sym.FullyConnected(y, num_hidden=2, no_bias=True))
            with net(prefix="other_").name_scope():
                y = mx.sym.tanh(mx.sym.exp(y), name="last")
            outputs = mx.sym.Group([block.d(y), mx.sym.sin(y), mx.sym.sin(y, name="s")])
        part = mx.gluon.SymbolBlock(outputs, mx.sym.var("data"))
        return [
            sorted(outputs.list_arguments()), outputs.list_outputs(), sorted(outputs.list_auxiliary_states()),
            sorted(part.collect_params().keys()), sorted(part._collect_params_with_prefix()), part.prefix, mx.sym.sin(y, name="after").name,
        ]  # fmt: skip

    for prefix in ("net_", ""):
        for outer in (False, True):
            yield f"symbols {prefix!r} {outer}", lambda prefix=prefix, outer=outer: of_symbols(prefix, outer)

    def sequential(kind, prefix, inside):
        part = kind(prefix=prefix)
        if inside:
            with part.name_scope():
                part.add(nn.Dense(2, in_units=2), nn.Dense(2, in_units=2))
        else:
            part.add(nn.Dense(2, in_units=2, prefix="one_"), nn.Dense(2, in_units=2, prefix="two_"))
        return list(part.collect_params().keys())

    for kind in (nn.Sequential, nn.HybridSequential):
        for prefix in ("a_", "noline"):
            for inside in (True, False):
                yield (
                    f"{kind.__name__} {prefix} {inside}",
                    lambda kind=kind, prefix=prefix, inside=inside: sequential(kind, prefix, inside),
                )

    def hinted():
        class Word(nn.Dense):
            def _alias(self):
                return "word"

        with mx.name.NameManager():
            return [Word(2).name, list(Word(2, in_units=2, prefix="w_").collect_params().keys())]

    yield "a hint of one's own", hinted


def sharing(mx):
    """Which parameters are shared."""
    net, prediction, outside, python, translator = nets(mx)
    nn = mx.gluon.nn

    def pair(first, second, which, **kwargs):
        with mx.name.NameManager():
            a = first()
            return shared(a, second(params=which(a), **kwargs))

    collected, own = (lambda a: a.collect_params()), (lambda a: a.params)
    for title, first, second in (
        ("the same", net, net),
        ("a prediction", net, prediction),
        ("of Python", python, python),
        ("an encoder and a decoder", translator, translator),
        ("parts outside of the scope", outside, outside),
    ):
        yield f"{title}, all", lambda first=first, second=second: pair(first, second, collected)
        yield f"{title}, a prefix", lambda first=first, second=second: pair(first, second, collected, prefix="x_")
        yield f"{title}, its own", lambda first=first, second=second: pair(first, second, own)
    yield "a part of them", lambda: pair(net, net, lambda a: a.collect_params(".*dense0.*|.*gamma"))
    yield "a child's", lambda: pair(net, lambda params: nn.Dense(2, in_units=4, params=params), lambda a: a.d.params)
    yield "of the parent", lambda: pair(net, lambda params: nn.Dense(2, in_units=4, params=params), collected)

    def third():
        with mx.name.NameManager():
            a = net()
            b = net(params=a.collect_params())
            return shared(a, net(params=b.collect_params()))

    yield "of what is shared", third

    def in_a_parent():
        with mx.name.NameManager():
            a = net()
            outer = nn.HybridSequential(prefix="outer_", params=a.collect_params())
            with outer.name_scope():
                outer.add(nn.Dense(2, in_units=4), nn.HybridSequential(prefix="s_"))
            return [shared(a, outer), outer[0].weight.name, outer.prefix, outer[1].prefix, outer[1].params.prefix]

    yield "a container", in_a_parent

    def trained():
        """Steps of `a` and `b` in turn, which have one set of numbers."""
        a = net(prefix="n_")
        b = prediction(prefix="n_", params=a.collect_params())
        values = numpy.random.RandomState(0)
        a.initialize()
        for path, p in sorted(a._collect_params_with_prefix().items()):
            if path != "half":
                p.set_data(mx.nd.array(values.rand(*p.shape) + 0.1))
        x = mx.nd.array(values.rand(6, 4))
        results = []
        for hybrid in (False, True):
            if hybrid:
                a.hybridize()
                b.hybridize()
            trainer = mx.gluon.Trainer(a.collect_params(), "sgd", {"learning_rate": 0.01})
            for one in (a, b, a):
                with mx.autograd.record():
                    loss = (one(x) ** 2).mean()
                loss.backward()
                trainer.step(1)
                results.append(float(loss.asnumpy().reshape(-1)[0]))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.params")
                b.save_parameters(path)
                other = prediction(prefix="m_")
                other.load_parameters(path)
                results.append(round(float(abs(other(x) - b(x)).max().asnumpy().reshape(-1)[0]), 4))
        return results

    yield "trained", trained


def files(mx):
    """The names in files, and what reads them."""
    net, _, _, python, translator = nets(mx)

    def saved(kind, write, **kwargs):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.params")
            one = kind(prefix="n_", **kwargs)
            one.initialize()
            write(one, path)
            return sorted(mx.nd.load(path))

    for kind in (net, python, translator):
        title = kind.__name__
        yield (
            f"{title} collected",
            lambda kind=kind: saved(kind, lambda one, path: one.collect_params().save(path)),
        )
        yield (
            f"{title} stripped",
            lambda kind=kind: saved(kind, lambda one, path: one.collect_params().save(path, strip_prefix="n_")),
        )
        yield f"{title} save_params", lambda kind=kind: saved(kind, lambda one, path: one.save_params(path))
        yield f"{title} save_parameters", lambda kind=kind: saved(kind, lambda one, path: one.save_parameters(path))
        yield (
            f"{title} once",
            lambda kind=kind: saved(kind, lambda one, path: one.save_parameters(path, deduplicate=True)),
        )

    def both(write, read, kind=net, prefix="m_"):
        """The largest difference of what is read and written."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.params")
            one, other = kind(prefix="n_"), kind(prefix=prefix)
            one.initialize(mx.init.Normal(1.0))
            write(one, path)
            read(other, path)
            theirs = other._collect_params_with_prefix()
            pairs = [(p, theirs[path]) for path, p in one._collect_params_with_prefix().items()]
            return max(float(abs(p.data().asnumpy() - q.data().asnumpy()).max()) for p, q in pairs)

    class Renamed(mx.gluon.HybridBlock):
        """It has other names in files, as GluonNLP's attention has."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.d = mx.gluon.nn.Dense(2, in_units=2)
            self.key_weight = self.params.get("key_weight", shape=(2, 2))

        def _collect_params_with_prefix(self, prefix=""):
            if prefix:
                prefix += "."
            named = {prefix + "proj_" + name.replace("_", "."): p for name, p in self._reg_params.items()}
            for name, child in self._children.items():
                named.update(child._collect_params_with_prefix(prefix + name))
            return named

        def hybrid_forward(self, F, x, key_weight):
            return F.dot(self.d(x), key_weight)

    class Outer(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.r = mx.gluon.rnn.GRU(2, input_size=2)
                self.a = Renamed()
                self.b = Renamed(params=self.a.collect_params())

        def hybrid_forward(self, F, x):
            return self.b(self.a(self.r(x)))

    for kind in (Renamed, Outer):
        title = kind.__name__
        yield f"{title} save_parameters", lambda kind=kind: saved(kind, lambda one, path: one.save_parameters(path))
        yield (
            f"{title} once",
            lambda kind=kind: saved(kind, lambda one, path: one.save_parameters(path, deduplicate=True)),
        )
        for deduplicate in (False, True):
            yield (
                f"{title} load_parameters {deduplicate}",
                lambda kind=kind, deduplicate=deduplicate: both(
                    lambda one, path: one.save_parameters(path, deduplicate=deduplicate),
                    lambda other, path: other.load_parameters(path),
                    kind,
                ),
            )

    for kind in (net, python, translator):
        title = kind.__name__
        yield (
            f"{title} restored",
            lambda kind=kind: both(
                lambda one, path: one.collect_params().save(path, strip_prefix="n_"),
                lambda other, path: other.collect_params().load(path, restore_prefix="m_"),
                kind,
            ),
        )
        yield (
            f"{title} by name",
            lambda kind=kind: both(
                lambda one, path: one.collect_params().save(path),
                lambda other, path: other.collect_params().load(path, ctx=mx.cpu()),
                kind,
                "n_",
            ),
        )
        yield (
            f"{title} load_params",
            lambda kind=kind: both(
                lambda one, path: one.save_params(path), lambda other, path: other.load_params(path), kind
            ),
        )
        yield (
            f"{title} load_parameters of the old",
            lambda kind=kind: both(
                lambda one, path: one.save_params(path), lambda other, path: other.load_parameters(path), kind
            ),
        )
        yield (
            f"{title} load_parameters",
            lambda kind=kind: both(
                lambda one, path: one.save_parameters(path), lambda other, path: other.load_parameters(path), kind
            ),
        )


def dicts(mx):
    """Dicts of parameters and parameters by themselves."""
    gluon = mx.gluon

    def got():
        params = gluon.ParameterDict("p_")
        w = params.get("w", shape=(2, 0), allow_deferred_init=True)
        again = params.get("w", shape=(2, 3))
        c = params.get_constant("c", mx.nd.array([1.0, 2.0]))
        return [w is again, list(w.shape), w.name, list(params.keys()), params.get_constant("c") is c, list(params)]

    def inherited():
        above = gluon.ParameterDict("p_")
        w = above.get("w", shape=(2,))
        below = gluon.ParameterDict("p_", shared=above)
        other = gluon.ParameterDict("q_", shared=above)
        return [below.get("w") is w, other.get("w", shape=(2,)) is w, list(below.keys()), list(other.keys())]

    def updated():
        one, other = gluon.ParameterDict("a_"), gluon.ParameterDict("b_")
        w = other.get("w", shape=(2,))
        one.update(other)
        one.update(other)
        return [list(one.keys()), one["b_w"] is w, "b_w" in one, "a_w" in one]

    def every():
        params = gluon.ParameterDict("p_")
        params.get("w", shape=(2,))
        params.get("b", shape=(2,))
        params.setattr("lr_mult", 3.0)
        params.setattr("grad_req", "add")
        params.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
        params["p_b"].reset_ctx([mx.cpu(0), mx.cpu(2)])
        contexts = sorted(map(str, params.list_ctx()))
        params.reset_ctx(mx.cpu(0))
        with mx.autograd.record():
            y = params["p_w"].data() * 2
        y.backward()
        before = params["p_w"].grad().asnumpy().tolist()
        params.zero_grad()
        return [
            [p.lr_mult for p in params.values()],
            [p.grad_req for p in params.values()],
            contexts,
            sorted(map(str, params.list_ctx())),
            before,
            params["p_w"].grad().asnumpy().tolist(),
            params["p_w"]._reduce().asnumpy().tolist(),
            params["p_w"].var().name,
            params["p_w"].var() is params["p_w"].var(),
            params["p_w"].var().list_arguments(),
        ]

    def replaced():
        """A parameter in the place of another, as AWD-LSTM's weight drop has it."""

        class Twice(gluon.Parameter):
            def __init__(self, p):
                super().__init__(
                    p.name, p.grad_req, p._shape, p.dtype, p.lr_mult, p.wd_mult, p.init, p._allow_deferred_init,
                    p._differentiable,
                )  # fmt: skip
                self._deferred_init = p._deferred_init
                for name in ("_data", "_grad", "_var", "_ctx_list", "_ctx_map", "_trainer"):
                    setattr(self, name, getattr(p, name))

            def data(self, ctx=None):
                return self._check_and_get(self._data, ctx) * 2

        results = []
        for layer, name, x in (
            (gluon.nn.Dense(1, in_units=2, use_bias=False), "weight", mx.nd.array([[1.0, 2.0]])),
            (gluon.rnn.LSTM(1, input_size=2), "l0_h2h_weight", mx.nd.array([[[0.1, -0.2]], [[0.3, 0.2]]])),
            (gluon.rnn.GRU(1, 2, input_size=2), "l1_i2h_weight", mx.nd.array([[[0.1, -0.2]], [[0.3, 0.2]]])),
        ):
            old = layer._reg_params[name]
            new = Twice(old)
            layer._params._params[old.name] = new
            layer._reg_params[name] = new
            super(gluon.Block, layer).__setattr__(name, new)
            layer.initialize(mx.init.One())
            for hybrid in (False, True):
                layer.hybridize(hybrid)
                results.append([round(float(value), 5) for value in layer(x).asnumpy().reshape(-1)])
            results.append([new in layer.collect_params().values(), old in layer.collect_params().values()])
        return results

    def loaded():
        w = gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True)
        w._load_init(mx.nd.ones((2, 3)), mx.cpu())
        first = [list(w.shape), w.data().asnumpy().tolist()]
        w._load_init(mx.nd.zeros((2, 3), dtype="float64"), None, cast_dtype=True)
        return [*first, w.data().asnumpy().tolist(), str(w.data().dtype) == str(w.dtype)]

    def sparse():
        w = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", grad_stype="row_sparse", init="ones")
        w.initialize()
        gluon.Trainer([w], "sgd")
        rows = mx.nd.array([1, 3, 1], dtype="int64")
        results = [
            w._stype,
            [one.asnumpy().tolist() for one in (w.row_sparse_data(rows), *w.list_row_sparse_data(rows))],
        ]
        with mx.autograd.record():
            y = mx.nd.Embedding(rows, w.row_sparse_data(rows), input_dim=4, output_dim=2, sparse_grad=True)
        y.backward()
        return [*results, y.asnumpy().tolist(), w.list_grad()[0].asnumpy().tolist()]

    for function in (got, inherited, updated, every, replaced, loaded, sparse):
        yield function.__name__, function


def mistakes(mx):
    """Programs that MXNet 1 refuses."""
    gluon, nd, nn = mx.gluon, mx.nd, mx.gluon.nn
    cpu = mx.cpu()
    net, _, _, _, _ = nets(mx)

    def initialized(**kwargs):
        w = gluon.Parameter("w", shape=(2,), **kwargs)
        w.initialize()
        return w

    def initialized_dense(prefix="e_", units=2):
        dense = nn.Dense(units, in_units=2, prefix=prefix)
        dense.initialize()
        return dense

    def deferred():
        dense = nn.Dense(2)
        dense.initialize()
        return dense

    def setting(thing, name, value):
        setattr(thing, name, value)

    def of_file(act):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.params")
            one = nn.Dense(2, in_units=2, prefix="d_")
            one.initialize()
            one.save_parameters(path)
            return act(path)

    def of_names(act):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.params")
            one = nn.Dense(2, in_units=2, prefix="d_")
            one.initialize()
            one.collect_params().save(path)
            return act(path)

    def child():
        nn.HybridSequential().add(nn.Sequential())

    def two_of_a_name():
        both = nn.HybridSequential(prefix="b_")
        both.add(nn.Dense(1, in_units=1, prefix="x_"), nn.Dense(1, in_units=1, prefix="x_"))
        both.collect_params()

    def trainer(**kwargs):
        return gluon.Trainer([initialized()], "sgd", **kwargs)

    def stale():
        trainer().step(1)

    def summary():
        dense = nn.HybridSequential()
        dense.add(nn.Dense(2, in_units=2))
        dense.initialize()
        dense.hybridize()
        dense.summary(nd.ones((1, 2)))

    def devices():
        dense = nn.Dense(2, in_units=2)
        dense.initialize(ctx=[mx.cpu(1)])
        return dense

    dict_of = gluon.ParameterDict
    w = {"shape": (2,)}
    yield "reset_ctx before initialize", lambda: gluon.Parameter("w", **w).reset_ctx(cpu)
    yield "reset_ctx of a net before initialize", lambda: nn.Dense(2).collect_params().reset_ctx(cpu)
    yield "data before initialize", lambda: gluon.Parameter("w", **w).data()
    yield "list_data before initialize", lambda: gluon.Parameter("w", **w).list_data()
    yield "grad before initialize", lambda: gluon.Parameter("w", **w).grad()
    yield "list_ctx before initialize", lambda: gluon.Parameter("w", **w).list_ctx()
    yield "set_data before initialize", lambda: gluon.Parameter("w", **w).set_data(nd.ones(2))
    yield "data deferred", lambda: deferred().weight.data()
    yield "list_data deferred", lambda: deferred().weight.list_data()
    yield "data elsewhere", lambda: initialized().data(mx.cpu(3))
    yield "grad of null", lambda: initialized(grad_req="null").grad()
    yield "list_grad of null", lambda: initialized(grad_req="null").list_grad()
    yield "grad_req", lambda: gluon.Parameter("w", grad_req="none")
    yield "stype", lambda: gluon.Parameter("w", stype="none")
    yield "grad_stype", lambda: gluon.Parameter("w", grad_stype="none")
    yield "another shape", lambda: setting(gluon.Parameter("w", **w), "shape", (3,))
    yield "set_data of another shape", lambda: initialized().set_data(nd.ones(3))
    yield "initialize without a shape", lambda: gluon.Parameter("w", shape=(0,)).initialize()
    yield "row_sparse_data of dense", lambda: initialized().row_sparse_data(nd.array([0]))
    yield "list_row_sparse_data of dense", lambda: initialized().list_row_sparse_data(nd.array([0]))
    yield "row_sparse_data without a trainer", lambda: initialized(stype="row_sparse").row_sparse_data(nd.array([0]))

    def got(**kwargs):
        params = dict_of("p_")
        params.get("w", shape=(2,))
        return params.get("w", **kwargs)

    yield "get of another shape", lambda: got(shape=(3,))
    yield "get of another dtype", lambda: got(dtype="float16")
    yield "get of another lr_mult", lambda: got(lr_mult=7.0)
    yield "get_constant that is not there", lambda: dict_of().get_constant("c")

    def constant(first, second):
        params = dict_of()
        params.get_constant("c", nd.array(first))
        params.get_constant("c", nd.array(second))

    def no_constant():
        params = dict_of()
        params.get("c", shape=(2,))
        params.get_constant("c", nd.array([1.0, 2.0]))

    def update():
        one, other = dict_of(), dict_of()
        one.get("w", shape=(2,))
        other.get("w", shape=(2,))
        one.update(other)

    yield "get_constant of another value", lambda: constant([1.0], [2.0])
    yield "get_constant of another shape", lambda: constant([1.0], [2.0, 2.0])
    yield "get_constant of a parameter", no_constant
    yield "update", update
    yield "an unknown key", lambda: nn.Dense(2).collect_params()["nothing"]
    yield "two parameters of a name", two_of_a_name
    yield "strip_prefix", lambda: of_names(lambda path: initialized_dense().collect_params().save(path, "nothing_"))

    yield "load of other names", lambda: of_names(lambda path: net().collect_params().load(path))
    yield "load of more names", lambda: of_names(lambda path: dict_of("d_").load(path))
    yield (
        "restore_prefix",
        lambda: of_names(lambda path: net(prefix="n_").collect_params().load(path, restore_prefix="x_")),
    )
    yield "load_parameters of other paths", lambda: of_file(lambda path: net().load_parameters(path))
    yield (
        "load_parameters of another shape",
        lambda: of_file(lambda path: nn.Dense(3, in_units=2).load_parameters(path)),
    )
    yield (
        "load_parameters of another dtype",
        lambda: of_file(lambda path: nn.Dense(2, in_units=2, dtype="float16").load_parameters(path)),
    )
    yield "load_parameters elsewhere", lambda: of_file(lambda path: devices().load_parameters(path, ctx=mx.cpu(2)))
    yield (
        "dtype_source",
        lambda: of_file(lambda path: initialized_dense().load_parameters(path, cast_dtype=True, dtype_source="none")),
    )
    yield "load_parameters of no file", lambda: nn.Dense(2).load_parameters("/nothing/at/all")
    yield "load of no file", lambda: nn.Dense(2).collect_params().load("/nothing/at/all")
    yield "nd.load of no file", lambda: nd.load("/nothing/at/all")
    yield "imports of no file", lambda: gluon.SymbolBlock.imports("/nothing/at/all", ["data"])
    yield "sym.load of no file", lambda: mx.sym.load("/nothing/at/all")
    yield "save into no folder", lambda: initialized_dense().save_parameters("/nothing/at/all")
    yield "a child that is no block of its kind", child
    yield "another type of attribute", lambda: setting(initialized_dense(), "weight", 3)
    yield "a block in the place of a parameter", lambda: setting(initialized_dense(), "weight", nn.Dense(2))
    yield "no forward", lambda: gluon.Block()(nd.ones(1))
    yield "no hybrid_forward", lambda: gluon.HybridBlock()(nd.ones(1))
    yield "export before a call", lambda: initialized_dense().export("/tmp/nothing")
    yield "summary hybridized", summary
    yield "call before initialize", lambda: nn.Dense(2, in_units=2)(nd.ones((1, 2)))
    yield "trainer of no parameters", lambda: gluon.Trainer("weights", "sgd")
    yield "trainer of other things", lambda: gluon.Trainer([1, 2], "sgd")
    yield (
        "trainer, an optimizer with arguments",
        lambda: gluon.Trainer([initialized()], mx.optimizer.SGD(), {"learning_rate": 1.0}),
    )
    yield "trainer, an unknown optimizer", lambda: gluon.Trainer([initialized()], "nothing")
    yield "trainer, stale", stale
    yield "trainer, states of no file", lambda: trainer().load_states("/nothing/at/all")
    yield "split_data, uneven", lambda: gluon.utils.split_data(nd.ones((3, 2)), 2)
    yield "split_data, too many", lambda: gluon.utils.split_data(nd.ones((3, 2)), 5)
    yield "clip_global_norm of nothing", lambda: gluon.utils.clip_global_norm([], 1.0)
    yield "an unknown initializer", lambda: nn.Dense(2, in_units=2).initialize("nothing")
    yield (
        "modified twice",
        lambda: [gluon.rnn.ResidualCell(cell) for cell in [gluon.rnn.RNNCell(2)] for _ in range(2)],
    )
    yield (
        "zoneout of both directions",
        lambda: gluon.rnn.ZoneoutCell(gluon.rnn.BidirectionalCell(gluon.rnn.RNNCell(2), gluon.rnn.RNNCell(2))),
    )
    yield (
        "a step of both directions",
        lambda: gluon.rnn.BidirectionalCell(gluon.rnn.RNNCell(2), gluon.rnn.RNNCell(2))(nd.ones((1, 2)), []),
    )
    yield "an unknown model", lambda: gluon.model_zoo.vision.get_model("nothing")
    yield "a negative rate of LeakyReLU", lambda: nn.LeakyReLU(-1.0)
    yield "axes of a dense layer", lambda: initialized_dense()(nd.ones((2, 3)))


def settings(mx):
    """Settings of layers, losses, cells, loaders and networks that MXNet 1 refuses."""
    nn, rnn, data, vision = mx.gluon.nn, mx.gluon.rnn, mx.gluon.data, mx.gluon.model_zoo.vision
    x, numbers = mx.nd.ones((2, 3)), data.ArrayDataset(mx.nd.ones((4, 2)))

    def applied(block, *args):
        block.initialize()
        return block(*args)

    for axes, kind in enumerate((nn.Conv1D, nn.Conv2D, nn.Conv3D), 1):
        yield f"Conv{axes}D, layout", lambda kind=kind: kind(2, 3, layout="ABC")
        yield f"Conv{axes}D, kernel", lambda kind=kind, axes=axes: kind(2, (3,) * (axes + 1))
    for axes, kind in enumerate((nn.Conv1DTranspose, nn.Conv2DTranspose, nn.Conv3DTranspose), 1):
        yield f"Conv{axes}DTranspose, layout", lambda kind=kind: kind(2, 3, layout="ABC")
        yield f"Conv{axes}DTranspose, kernel", lambda kind=kind, axes=axes: kind(2, (3,) * (axes + 1))
        yield (
            f"Conv{axes}DTranspose, output_padding",
            lambda kind=kind, axes=axes: kind(2, 3, output_padding=(1,) * (axes + 1)),
        )
    for kinds in ((nn.MaxPool1D, nn.MaxPool2D, nn.MaxPool3D), (nn.AvgPool1D, nn.AvgPool2D, nn.AvgPool3D)):
        for axes, kind in enumerate(kinds, 1):
            yield f"{kind.__name__}, layout", lambda kind=kind: kind(2, layout="ABC")
            yield f"{kind.__name__}, pool_size", lambda kind=kind, axes=axes: kind((2,) * (axes + 1))
    for kind in (nn.GlobalMaxPool1D, nn.GlobalMaxPool2D, nn.GlobalAvgPool3D):
        yield f"{kind.__name__}, layout", lambda kind=kind: kind(layout="ABC")
    yield "Lambda of no function", lambda: nn.Lambda("nothing")
    yield "Lambda of a number", lambda: nn.Lambda(3)
    yield "HybridLambda of no function", lambda: nn.HybridLambda("nothing")
    yield "HybridLambda of a number", lambda: nn.HybridLambda(3)
    yield "Activation of no function", lambda: applied(nn.Activation("nothing"), x)
    yield "LSTM, layout", lambda: rnn.LSTM(2, layout="ABC")
    yield "LSTM, states", lambda: applied(rnn.LSTM(2, input_size=3), mx.nd.ones((1, 2, 3)), [mx.nd.ones((1, 1, 1))] * 2)
    yield "DropoutCell, rate", lambda: rnn.DropoutCell("nothing")
    yield "unroll, length", lambda: rnn.GRUCell(2, input_size=3).unroll(3, mx.nd.ones((2, 2, 3)))
    yield "a loss, weight", lambda: mx.gluon.loss.L2Loss(weight="nothing")(x, x)
    yield "CTCLoss, layout", lambda: mx.gluon.loss.CTCLoss(layout="ABC")
    yield "CTCLoss, label_layout", lambda: mx.gluon.loss.CTCLoss(label_layout="ABC")
    yield "LogisticLoss, label_format", lambda: mx.gluon.loss.LogisticLoss(label_format="nothing")(x, x)
    yield "DataLoader without batch_size", lambda: data.DataLoader(numbers)
    yield "DataLoader, shuffle and sampler", lambda: data.DataLoader(numbers, 2, True, data.SequentialSampler(4))
    yield (
        "DataLoader, batch_sampler and batch_size",
        lambda: data.DataLoader(numbers, 2, batch_sampler=data.BatchSampler(data.SequentialSampler(4), 2, "keep")),
    )
    yield "DataLoader, timeout", lambda: data.DataLoader(numbers, 2, timeout=-1)
    yield "BatchSampler, last_batch", lambda: list(data.BatchSampler(data.SequentialSampler(3), 2, "nothing"))
    yield "shard beyond the last", lambda: numbers.shard(2, 3)
    yield "no shards", lambda: numbers.shard(0, 0)
    yield "sample by no sampler", lambda: numbers.sample([1, 2])
    yield "a dataset of nothing", lambda: data.ArrayDataset()
    yield "a dataset of other lengths", lambda: data.ArrayDataset(mx.nd.ones(3), mx.nd.ones(4))
    yield "resnet, layers", lambda: vision.get_resnet(1, 19)
    yield "resnet, version", lambda: vision.get_resnet(3, 18)
    yield "squeezenet, version", lambda: vision.SqueezeNet("3.0")
    yield "vgg, layers", lambda: vision.VGG([1, 1], [64])


PARTS = {"names": names, "sharing": sharing, "files": files, "dicts": dicts}


def caught(mx, function):
    """The `except` clauses that catch the error of a function, or None where it raises none."""
    try:
        function()
    except Exception as error:
        classes = {kind.__name__ for kind in CLASSES if isinstance(error, kind)}
        known = {"MXNetError": mx.base.MXNetError, "Deferred": mx.gluon.parameter.DeferredInitializationError}
        return sorted(classes | {name for name, kind in known.items() if isinstance(error, kind)})
    return None


def main():
    import mxnet as mx

    warnings.simplefilter("ignore")
    results = {part: {title: function() for title, function in programs(mx)} for part, programs in PARTS.items()}
    for part in (mistakes, settings):
        results[part.__name__] = {title: caught(mx, function) for title, function in part(mx)}
    json.dump(results, sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
