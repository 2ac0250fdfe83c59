# SPDX-License-Identifier: Apache-2.0
"""`SymbolBlock`: a block whose program comes from a file of MXNet instead of from Python."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Sequence
from typing import Any

from hybridize.array.nd_array import plain
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, ContentError, GraphError, LoadError, ShapeError
from hybridize.base.nested import Structure, unflatten
from hybridize.base.participation import outside_only
from hybridize.base.progress import showing
from hybridize.base.tracebacks import leaves
from hybridize.base.types import TensorType
from hybridize.formats.mxnet.attributes import parse_value
from hybridize.formats.mxnet.params import DTYPES
from hybridize.formats.mxnet.symbol import LABELLED, SymbolGraph, read_symbol
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.naming import open_scope
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.stored import named_arrays
from hybridize.symbol import inference, stored
from hybridize.symbol.expression import Expression, group

RESULT, TYPES, BOUND = "hybridize_result", "hybridize_types", "hybridize_bound"
"""Graph attributes of our own exports: the structure of the result, the types of its arrays, the sizes it is for."""


class SymbolBlock(HybridBlock):
    """Make a block of a graph of MXNet's operators. Its parameters are the variables that are not inputs.

    Args:
        outputs: the graph: an expression of `sym` or a list of them, or what `formats.mxnet.read_symbol` gives.
        inputs: the variables that are arguments of a call, or their names, in order.
        params: arrays by name, or parameters, which are shared with the blocks that they are of; None: `initialize` or
            `load_parameters` comes later.

    >>> from hybridize import gluon, np, sym
    >>> x, w = sym.Variable("x"), sym.Variable("w")
    >>> net = gluon.SymbolBlock(x * w, x, {"w": np.array([2.0])})
    >>> net(np.array([3.0]))
    array([6.])
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls._overrides:
            what = f"{cls.__name__} overrides hybrid_forward, which is not called here, nor in MXNet: the graph is"
            raise ArgumentError("E369", what, help="override forward(self, *inputs), and call super().forward")

    def __init__(self, outputs: Any, inputs: Any, params: Any = None) -> None:
        with open_scope(None, internal=True):
            super().__init__(prefix="")
        graph = outputs if isinstance(outputs, SymbolGraph) else SymbolGraph((), (), source="the expression")
        if isinstance(outputs, SymbolGraph):
            outputs = stored.of_graph(outputs)
        if isinstance(outputs, (list, tuple)):
            outputs = group(list(outputs))
        names = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        self._expression: Expression = outputs
        self._source = graph.source
        self._inputs = tuple(one.name if isinstance(one, Expression) else one for one in names)
        self._structure, self._bare = _result_of(graph)
        self._bound = _bound_of(graph)
        self._read_expression()
        labels = _labels(outputs)
        values = {} if params is None else dict(params)
        shared = {one.name: one for one in values.values() if isinstance(one, Parameter)}
        for variable in outputs._variables():
            if variable.name not in self._inputs and variable.name not in labels:
                self._parameters[variable.name] = shared.get(variable.name) or _parameter(variable)
        if values and not shared:
            self.load_dict(values, cast_dtype=True, dtype_source="saved")

    def _read_expression(self) -> None:
        """Have what calls need of the expression, in the order of its own variables."""
        self._replay = self._expression._replay()
        self._variables = [variable.name for variable in self._expression._variables()]

    def __getstate__(self) -> dict[str, Any]:
        """For copies: the expression, and nothing that is made of it."""
        return {name: value for name, value in super().__getstate__().items() if name not in ("_replay", "_variables")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._read_expression()

    @staticmethod
    @outside_only("reads a file")
    @leaves
    def imports(
        symbol_file: Any,
        input_names: str | Sequence[str],
        param_file: Any = None,
        ctx: Any = None,
        *,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """Read a net from the files that `HybridBlock.export` wrote, in any version of MXNet or here.

        Args:
            symbol_file: `NAME-symbol.json`.
            input_names: names of the inputs: `["data"]`, or `["data0", "data1"]`.
            param_file: `NAME-0000.params`; None when there are no parameters, or they come later.
            ctx: device, as MXNet 1.x calls it.
            device: of the parameters: a device, or a list of them.
            allow_missing: leave parameters that the file lacks uninitialized.
            ignore_extra: leave out arrays that are no variable of the graph.

        Raises:
            LoadError: a file is malformed, an operator is not supported, a name does not fit.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize("ones")
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     symbol_file, param_file = net.export(folder + "/dense")
        ...     loaded = gluon.SymbolBlock.imports(symbol_file, ["data"], param_file)
        >>> loaded(np.ones((1, 3)))
        array([[3., 3.]])
        """
        block = SymbolBlock(read_symbol(symbol_file), input_names)
        if param_file is not None:
            block._load_file(str(param_file), allow_missing, ignore_extra, device if device is not None else ctx)
            return block
        for parameter in block._parameters.values():
            parameter._without_values = _UNREAD
        return block

    @staticmethod
    def read(path: Any) -> SymbolBlock:
        """Read a net from `PATH-symbol.json` and the file of parameters beside it that has the latest epoch.

        Unlike `imports` it finds the names of the inputs itself: variables that are not in the file of parameters.

        Args:
            path: of the JSON file, or without `-symbol.json`.

        Raises:
            LoadError: a file is malformed, an operator is not supported, a name does not fit.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize("ones")
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = net.export(folder + "/dense")
        ...     loaded = gluon.SymbolBlock.read(folder + "/dense")
        >>> loaded(np.ones((1, 3)))
        array([[3., 3.]])
        """
        symbol_file = os.fspath(path)
        if not symbol_file.endswith("-symbol.json"):
            symbol_file += "" if os.path.exists(symbol_file) else "-symbol.json"
        graph = read_symbol(symbol_file)
        start = symbol_file.removesuffix("-symbol.json")
        files = sorted(glob.glob(f"{glob.escape(start)}-[0-9][0-9][0-9][0-9].params"))
        known = set(named_arrays(files[-1])) if files else set()
        labels = _labels(stored.of_graph(graph))
        inputs = [name for name in graph.variables if name not in known and name not in labels]
        block = SymbolBlock(graph, inputs)
        if files:
            block._load_file(files[-1], False, True)
        return block

    def _load_file(self, param_file: str, allow_missing: bool, ignore_extra: bool, device: Any = None) -> None:
        with showing(f"loading {param_file}"):
            arrays = named_arrays(param_file)
        lacking = [name for name in self._parameters if name not in arrays]
        if lacking and not allow_missing:
            raise ContentError(
                "E610",
                f"variable {lacking[0]!r} of {self._source} is neither an input "
                f"({', '.join(self._inputs)}) nor in {param_file}",
                help="name all inputs in input_names, or pass allow_missing=True to leave parameters uninitialized",
            )
        self.load_dict(arrays, device, allow_missing, ignore_extra, True, "saved", source=param_file)

    def _name_in_files(self, name: str) -> str:
        """Return a name without what all of them begin with, as MXNet writes it."""
        common = os.path.commonprefix(list(self._own_parameters()))  # noqa: RUF071 - letter by letter, as MXNet
        return name.removeprefix(common) or name

    def infer_shape(self, *args: Any) -> None:
        """Set the unknown shapes of the parameters from the inputs, where MXNet's operators tell them.

        The first call does this. Parameters that `initialize` has left without a shape get their arrays then.

        Args:
            args: the inputs, of which only the shapes matter.

        >>> x = sym.var("x")
        >>> net = gluon.SymbolBlock(sym.FullyConnected(x, num_hidden=2, name="fc"), x)
        >>> net.initialize()
        >>> net.infer_shape(np.ones((1, 3)))
        >>> net.collect_params()["fc_weight"].shape
        (2, 3)
        """
        shapes = {name: tuple(x.shape) for name, x in zip(self._inputs, args, strict=False)}
        known = inference.shapes(self._expression, shapes)
        for variable in self._expression._variables():
            shape = known[id(variable)][0]
            parameter = self._parameters.get(variable.name)
            if parameter is not None and parameter.deferred and 0 not in shape:
                parameter.complete(*shape)

    def forward(self, *args: Any) -> Any:
        if len(args) != len(self._inputs):
            what = f"the block takes {', '.join(self._inputs)}, got {len(args)} arguments"
            raise ArgumentError("E333", what, help="pass one array each; to the command, one --input FILE.npy each")
        arrays = dict(zip(self._inputs, args, strict=True))
        for name, axes in self._bound.items():
            shape = arrays[name].shape
            for axis, size in axes.items():
                if shape[axis : axis + 1] != (size,):
                    raise ShapeError(
                        "E116",
                        f"axis {axis} of {name} has the size {size} in the graph of the exported net, got the shape "
                        f"{list(shape)}",
                        help="call the net with that size before the export; net.save(path) keeps the programs of "
                        "all sizes",
                    )
        arrays |= {name: parameter.data() for name, parameter in self._parameters.items()}
        outputs = plain(self._replay(*(arrays.get(name) for name in self._variables)))
        return self._result(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])

    def _applied_to(self, args: Sequence[Any]) -> Any:
        """Return the graph with symbols in place of its inputs."""
        whole = self._expression(**dict(zip(self._inputs, args, strict=True)))
        return list(whole) if whole.outputs > 1 else whole

    def _result(self, leaves: list[Any]) -> Any:
        if self._structure is None:
            return leaves[0] if len(leaves) == 1 else leaves
        whole = [x.reshape(()) if bare else x for x, bare in zip(leaves, self._bare, strict=True)]
        return unflatten(self._structure, whole)

    def __repr__(self) -> str:
        nodes = len(self._expression._in_order())
        inside = f"{', '.join(self._inputs)} -> {self._expression.outputs} : {nodes} nodes"
        return f"{type(self).__name__}(\n  {inside}\n)"


_UNREAD = (
    "pass SymbolBlock.imports the file of the net's parameters as param_file, or call net.load_parameters(file); "
    "net.initialize() sets random values"
)
"""The remedy where a net is called without the parameters of its file."""


def _bound_of(graph: SymbolGraph) -> dict[str, dict[int, int]]:
    """The sizes of inputs that the graph holds, by name and axis, as `export` wrote them."""
    try:
        bound = json.loads(graph.attributes.get(BOUND, "{}"))
        types = json.loads(graph.attributes.get("hybridize_inputs", "{}"))
        shapes = {name: TensorType.parse(types[name]).shape for name in bound}
        return {name: {axis: shapes[name][axis] for axis in axes} for name, axes in bound.items()}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, GraphError, RecursionError) as error:
        raise LoadError("E602", f"{graph.source}: the attribute {BOUND} does not fit ({error})") from error


def _labels(expression: Expression) -> set[str]:
    """Names of the variables that only loss layers read, as labels: inference does without."""
    read: dict[str, bool] = {}
    for part in expression._in_order():
        for position, one in enumerate(part._parts()):
            if one.function is None:
                read[one.name] = read.get(one.name, True) and part.word in LABELLED and position == 1
    return {name for name, only in read.items() if only}


def _parameter(variable: Expression) -> Parameter:
    """A variable as a parameter; what its hidden attributes say of shape and dtype helps until a file says it."""
    name, attributes = variable.name, variable.attributes
    options: dict[str, Any] = {"allow_deferred_init": True, "differentiable": not variable.auxiliary}
    try:
        shape = variable.shape_hint
        if shape is None and "__shape__" in attributes:
            shape = parse_value(attributes["__shape__"])
        dtype = variable.dtype_hint or DTYPES[max(int(attributes.get("__dtype__", "0")), 0)]
        parameter = Parameter(name, shape=shape, dtype=dtype, **options)
    except (ValueError, IndexError, ArgumentError):
        warn(f"variable {name!r} has hidden attributes that cannot be read: {attributes}")
        parameter = Parameter(name, **options)
    parameter.adopted = True
    return parameter


def _result_of(graph: SymbolGraph) -> tuple[Structure | None, list[bool]]:
    """The structure of the result, and which of its arrays have no axes; none where another program wrote the file."""
    if RESULT not in graph.attributes:
        return None, []
    try:
        structure = _structure(json.loads(graph.attributes[RESULT]))
        types = [TensorType.parse(text) for text in json.loads(graph.attributes[TYPES])]
        if len(types) != len(graph.heads) or structure.leaves != len(types):
            raise ValueError("their numbers differ")
    except (ValueError, TypeError, KeyError, GraphError, RecursionError) as error:
        raise LoadError("E602", f"{graph.source}: the attributes {RESULT} and {TYPES} do not fit ({error})") from error
    return structure, [not kind.shape for kind in types]


def _structure(tree: Any) -> Structure:
    """Read a structure that `export` wrote: null, "*", ["tuple", ...], ["list", ...] or ["dict", [keys], ...]."""
    if tree is None or tree == "*":
        return Structure("none" if tree is None else "leaf")
    kind, *parts = tree
    keys: list[Any] = []
    if kind == "dict":
        keys, *parts = parts
    if kind not in ("tuple", "list", "dict") or (kind == "dict" and len(keys) != len(parts)):
        raise ValueError(f"no structure: {tree!r}")
    return Structure(kind, tuple(map(_structure, parts)), tuple(keys))
