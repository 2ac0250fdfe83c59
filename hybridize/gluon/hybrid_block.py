# SPDX-License-Identifier: Apache-2.0
"""`HybridBlock`: a block that runs as Python, or, once hybridized, as one compiled program."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hybridize.array.device import OTHERS
from hybridize.array.nd_array import IN_USE, apart, as_nd, holds_nd, plain, through_np
from hybridize.base.errors import ArgumentError, StateError, UndefinedError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.participation import SYMBOLIC, outside_only
from hybridize.base.tracebacks import as_python, leaves, trim
from hybridize.gluon import overriding
from hybridize.gluon.block import Block
from hybridize.gluon.deferred import DeferredArray, arrays_of, is_deferred
from hybridize.gluon.dependence import depend, method
from hybridize.gluon.parameter_dict import ParameterDict
from hybridize.gluon.within import tell
from hybridize.ops.op import ACTIVE, capturing

if TYPE_CHECKING:
    from hybridize.capture import Function

_OPTIONS = ("backend", "verify", "dynamic", "freeze", "threads", "winograd")


class HybridBlock(Block, layer=False):
    """Hold parameters and children, as `Block`, and compile `forward` after `hybridize()`.

    The base of layers and nets.

    Subclasses define `forward(self, x)`, or MXNet 1.x's `hybrid_forward(self, F, x, **parameters)`, where `F` is the
    module of functions, `hybridize.ndarray` or, while compiling, `hybridize.symbol`, and the block's own parameters
    come by keyword.

    >>> from hybridize import gluon, np
    >>> class Scale(gluon.HybridBlock):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = gluon.Parameter("factor", shape=(1,), init="ones")
    ...     def forward(self, x):
    ...         return x * self.factor.data()
    >>> net = Scale()
    >>> net.initialize()
    >>> net.hybridize()
    >>> net(np.array([1.0, 2.0]))
    array([1., 2.])
    """

    _computation: ClassVar[Callable[..., Any] | None] = None
    """The `forward` of the layer of ours that this is, or derives from."""
    _overrides: ClassVar[bool] = False
    """True if a class of the user's has defined `hybrid_forward`."""
    _settled: ClassVar[Callable[..., Any] | None] = None
    """The `hybrid_forward` that the class had when it was settled what runs."""
    _operands: str = ""
    """Names of the parameters whose values a layer's `hybrid_forward` takes after the inputs, in MXNet's order; `?`:
    one that may be None."""
    _wraps = False
    """True once a block is hybridized whose class has defined `hybrid_forward` and `forward`: as in MXNet 1 the latter
    is Python around `super().forward`, which is compiled."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        overriding.check_names(cls)
        cls._settle(overriding.settle)

    @classmethod
    def _settle(cls, settle: Callable[..., None]) -> None:
        settle(cls, HybridBlock.forward)
        cls._settled = cls.hybrid_forward
        cls._overrides = cls._settled is not HybridBlock.hybrid_forward

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: Any) -> None:
        if type(self).hybrid_forward is not self._settled:  # a program has set another one on the class
            self._settle(overriding.resettle)
        super().__init__(prefix, params, **unknown)
        self._function: Function | None = None
        self._compiled: Callable[..., Any] | None = None

    # ----------------------------------------------------------------------------------------------------- calls

    if not TYPE_CHECKING:  # of what type it is says `Block`

        @as_python
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Run the block: compiled when it is hybridized, else `forward`; hooks before and after."""
            try:
                if SYMBOLIC:  # expressions are in use
                    for x in (*args, *kwargs.values()) if kwargs else args:
                        if x.__class__ in SYMBOLIC:
                            return load_module("hybridize.gluon.composing").composed(self, args, kwargs)
                compiled = self._compiled
                if compiled is not None:
                    return compiled(*args, **kwargs)
                function = self._function
                if function is None and not (self._hooks or self._pre_hooks or (ACTIVE and (OTHERS or capturing()))):
                    for parameter in self._parameters.values():
                        if parameter._deferred is not None:
                            self._complete(args, kwargs)
                            break
                    if IN_USE and any(map(holds_nd, args)):
                        return self._run(*args, **kwargs)
                    try:
                        return self.forward(*args, **kwargs)
                    except AttributeError:
                        self._check_arrays(args)
                        raise
                run = self._run_there if function is None or self._wraps else function
                return self._run_with_hooks(run, args, kwargs)
            except Exception as error:
                tell(error, self)
                trim(error)
                raise

    @as_python
    def _run(self, *args: Any, **kwargs: Any) -> Any:
        for parameter in self._parameters.values():
            if parameter._deferred is not None:
                self._complete(args, kwargs)
                break
        of_nd = IN_USE and any(map(holds_nd, (*args, *kwargs.values())))
        computes = of_nd and self._computes
        if computes:
            args, kwargs = tuple(map(plain, args)), {key: plain(value) for key, value in kwargs.items()}
        try:
            if not (ACTIVE and capturing()):
                output = self.forward(*args, **kwargs)
            else:
                depend(self)
                output = method(self, "forward")(*args, **kwargs)
            return as_nd(apart(output, args) if computes else output) if of_nd else output
        except AttributeError:
            self._check_arrays(args)
            raise

    @property
    def _computes(self) -> bool:
        """True if `forward` is ours, and those of all blocks below: it computes with arrays of `np`."""
        kind = type(self)
        ours = kind.forward is kind._computation and "forward" not in vars(self) and not hasattr(self, "_func")
        return ours and all(
            isinstance(child, HybridBlock) and child._computes and not (child._hooks or child._pre_hooks)
            for child in self._children.values()
        )

    def _check_arrays(self, args: tuple[Any, ...]) -> None:
        """Say so, where a layer of ours was given what is no array.

        Its first argument is one; others may be None, or lists of them, as states are.

        Raises:
            ArgumentError E307: an argument is none.
        """
        inputs = list(args[:1])
        for x in args[1:]:
            inputs += x if isinstance(x, (list, tuple)) else [] if x is None else [x]
        wrong = [x for x in inputs if not hasattr(x, "shape") and not hasattr(x, "__hybridize_function__")]
        if self._is_layer and wrong and not self._overrides:
            what = f"{type(self).__name__} takes arrays, got {type(wrong[0]).__name__}"
            raise ArgumentError("E307", what, help="np.array(x) creates one") from None

    def _complete(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Initialize the parameters whose shapes the first input tells.

        Arguments that do not fit are left to `forward`, which is called with them next, and says so.
        """
        try:
            in_order = inspect.signature(self.forward).bind(*args, **kwargs).args
        except TypeError:
            return
        try:
            method(self, "infer_shape")(*in_order)
        except AttributeError:
            self._check_arrays(args)
            raise
        for parameter in self._parameters.values():
            if parameter.deferred and parameter.shape_is_known:
                parameter._finish_deferred_init()

    def infer_shape(self, *args: Any) -> None:
        """Set the unknown shapes of this block's own parameters from the inputs of the first call.

        Override it in a layer with parameters whose sizes depend on the input. By default it does nothing.

        Args:
            args: the inputs.

        >>> class Scale(gluon.HybridBlock):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.weight = gluon.Parameter("weight", shape=(-1,), allow_deferred_init=True)
        ...     def infer_shape(self, x):
        ...         self.weight.shape = x.shape[-1:]
        ...     def forward(self, x):
        ...         return x * self.weight.data()
        >>> layer = Scale()
        >>> layer.initialize()
        >>> layer(np.ones((2, 3))).shape, layer.weight.shape
        ((2, 3), (3,))
        """

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for the inputs. Your subclass defines it; to run the block, call the block itself.

        If your subclass defines `hybrid_forward` instead, as in MXNet 1, `forward` calls it with the parameters as
        arrays.

        Raises:
            UndefinedError E328: the subclass defines neither.

        >>> class Double(gluon.HybridBlock):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> net = Double()
        >>> net.hybridize()
        >>> net(np.ones(2))
        array([2., 2.])
        """
        if not self._overrides:
            return super().forward(*args, **kwargs)
        if self._wraps and self._function is not None and not capturing():
            return self._function(*args, **kwargs)
        parameters = {
            name: DeferredArray(p) if p.deferred and not p.shape_is_known else p.data()
            for name, p in self._parameters.items()
        }
        if IN_USE and any(map(holds_nd, (*args, *kwargs.values()))):
            parameters = {name: as_nd(value) for name, value in parameters.items()}
        result = method(self, "hybrid_forward")(functions(), *args, **kwargs, **parameters)
        return arrays_of(result) if any(map(is_deferred, parameters.values())) else result

    _by_hybrid_forward = forward

    def _choose_forward(self) -> None:
        """Let a `hybrid_forward` that this block has by itself run, as one of a class of the user's does."""
        own, door = vars(self), self._by_hybrid_forward
        own["_overrides"] = "hybrid_forward" in own or type(self)._overrides
        if own.get("forward") == door:
            del own["forward"]
        if "hybrid_forward" in own and "forward" not in own and type(self).forward is type(self)._computation:
            own["forward"] = door

    def hybrid_forward(self, F: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for the inputs and the parameters, as in MXNet 1. Your subclass may define it instead of
        `forward`.

        Layers of hybridize have it, too: `layer.hybrid_forward(F, x, weight, bias)` computes with any weight and bias.
        A subclass of a layer reaches the layer's own by `super().hybrid_forward`.

        Args:
            F: the module of functions, `nd` or `sym`; layers of hybridize do not need it.
            args: the inputs, and values in place of the layer's parameters, in MXNet's order.
            kwargs: the same by keyword.

        Raises:
            UndefinedError E328: it is not defined, and there is no layer.
            ArgumentError E344: a value is missing, or is one too many.

        >>> class Square(gluon.HybridBlock):
        ...     def hybrid_forward(self, F, x):
        ...         return F.square(x)
        >>> Square()(nd.array([1.0, 3.0])).asnumpy()
        array([1., 9.], dtype=float32)
        """
        if self._computation is None:
            what = f"{type(self).__name__} has no hybrid_forward"
            raise UndefinedError("E328", what, help="define forward or hybrid_forward")
        return through_np(functools.partial(overriding.apply, self), args, kwargs)

    # ------------------------------------------------------------------------------------------------- compiling

    @property
    def active(self) -> bool:
        """True if the block is hybridized."""
        return self._function is not None

    @leaves
    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile this block and those below it at their next call. With `active=False` Python runs them again.

        A block that is hybridized already forgets its programs.

        Args:
            active: whether to compile.
            kwargs: `backend` ("llvm" or "numpy"), `verify` (False, "outputs" or "ops"), `dynamic`, `freeze`,
                `threads`, `winograd`, as everywhere. MXNet's tuning keywords (`static_alloc`, ...) are accepted
                and ignored.

        Raises:
            ArgumentError E329: an unknown keyword.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize("ones")
        >>> net.hybridize()
        >>> net(np.ones((1, 3)))
        array([[3., 3.]])
        """
        self._wraps = self._overrides and not overriding.is_ours(type(self).forward)
        function = self._new_function({key: value for key, value in kwargs.items() if value is not None})
        self._function = function if active else None
        self._choose_call()
        super().hybridize(active, **kwargs)

    def _new_function(self, options: Mapping[str, Any]) -> Function:
        computation = self._run_wrapped if self._wraps else self._run_there
        function: Function = load_module("hybridize.capture").Function(computation, **options)
        function.described_by = self._described_by()
        return function

    def _run_wrapped(self, *args: Any, **kwargs: Any) -> Any:
        """Run `hybrid_forward`: this is compiled where `forward` is Python around it."""
        depend(self)
        return self._by_hybrid_forward(*args, **kwargs)

    def _described_by(self) -> Callable[..., Any] | tuple[str, ...]:
        """Return the function after whose parameters the arguments are called in files and messages: the user's own.

        Or their names, where no function has them.
        """
        kind = type(self)
        if kind._overrides:
            return functools.partial(kind.hybrid_forward, self, None)  # without F
        if overriding.is_ours(kind.forward):
            return _data
        return self.forward

    def _choose_call(self) -> None:
        """With hooks, or where `forward` is Python, Python has to be there at every call."""
        hooked = self._hooks or self._pre_hooks or self._wraps
        self._compiled = None if hooked else cast("Callable[..., Any] | None", self._function)

    def _hooks_changed(self) -> None:
        super()._hooks_changed()
        self._choose_call()

    @outside_only("compiles the net")
    def optimize_for(self, *args: Any, backend: str | None = None, **kwargs: Any) -> None:
        """Hybridize the block, and compile it at once for the types of these inputs.

        MXNet passes the block to a backend of this name. hybridize has its own backends, "llvm" and "numpy".

        Args:
            args: the inputs.
            backend: "llvm" or "numpy"; None: "llvm".
            kwargs: as of `hybridize`.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.optimize_for(np.ones((1, 3)))
        >>> net.cache_info().programs
        1
        """
        self.hybridize(True, backend=backend, **kwargs)
        self.program(*args)

    def _hybridized(self, what: str) -> Function:
        if self._function is None:
            raise StateError("E506", f"{type(self).__name__} has no {what} yet", help="call net.hybridize() first")
        return self._function

    def program(self, *args: Any, **kwargs: Any) -> Any:
        """Return the compiled program that a call with these arguments runs. Compile it if there is none yet.

        Args:
            args: the inputs.
            kwargs: the same by keyword.

        Raises:
            StateError E506: the block is not hybridized.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> net.program(np.ones((1, 3))).backend
        'llvm'
        """
        return self._hybridized("program").program(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> Any:
        """Compile ahead of the first call, for shapes instead of arrays. Return the program.

        Args:
            args: for each input an array, or a shape such as `(1, 3)`, of float32; see `hybridize`.
            kwargs: the same by keyword.

        Raises:
            StateError E506: the block is not hybridized.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> program = net.compile((1, 3))
        >>> net.cache_info().programs
        1
        """
        return self._hybridized("program").compile(*args, **kwargs)

    def forget(self, program: Any) -> None:
        """Forget one compiled program. hybridize compiles again for a call that needs it.

        Args:
            program: from `program` or `compile`.

        Raises:
            StateError E506: the block is not hybridized.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> net.forget(net.program(np.ones((1, 3))))
        >>> net.cache_info().programs
        0
        """
        self._hybridized("program").forget(program)

    def cache_info(self) -> Any:
        """Return how many compiled programs there are, and how often calls used them.

        Raises:
            StateError E506: the block is not hybridized.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> net.cache_info()
        CacheInfo(programs=1, hits=0, captures=1, evictions=0)
        """
        return self._hybridized("cache").cache_info()

    def cache_clear(self) -> None:
        """Forget all compiled programs. The next call compiles again.

        Raises:
            StateError E506: the block is not hybridized.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> net.cache_clear()
        >>> net.cache_info().programs
        0
        """
        self._hybridized("cache").cache_clear()

    # --------------------------------------------------------------------------------------------------- members

    def __getstate__(self) -> dict[str, Any]:
        """For copies: whether it is hybridized, and how, but no programs."""
        function = self._function
        options = None if function is None else {name: getattr(function.options, name) for name in _OPTIONS}
        return {**self.__dict__, "_function": options, "_compiled": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        options = state["_function"]
        self._function = None if options is None else self._new_function(options)
        self._choose_call()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make a HybridBlock a child of this block, so that `collect_params` and `hybridize` reach it.

        An attribute that is a block is a child without this call. Use it for blocks in lists.

        Args:
            block: the child.
            name: what stands for it in paths; None: the number of children so far.

        Raises:
            ValueArgumentError E326: it is no HybridBlock.

        >>> from hybridize.gluon import nn
        >>> class Net(gluon.HybridBlock):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layers = (nn.Dense(2), nn.Dense(2))
        ...         for layer in self.layers:
        ...             self.register_child(layer)
        >>> list(Net().collect_params())
        ['0.weight', '0.bias', '1.weight', '1.bias']
        """
        if not isinstance(block, HybridBlock):
            raise ValueArgumentError(
                "E326",
                f"children of HybridBlock must also be HybridBlock, got {type(block).__name__} {block!r}",
                help="derive it from HybridBlock, or make the parent a Block (Sequential instead of HybridSequential)",
            )
        super().register_child(block, name)

    # ----------------------------------------------------------------------------------------------------- files

    @outside_only("writes a file")
    @leaves
    def export(
        self,
        path: Any,
        epoch: int = 0,
        remove_amp_cast: bool = True,
        format: str = "mxnet",
        *,
        samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None,
        **options: Any,
    ) -> Any:
        """Write the net as files that run without Python, or in another library.

        hybridize runs the files and compares their results with Python's before it replaces files of the same name.

        The format `"mxnet"` writes `PATH-symbol.json` and `PATH-0000.params`, which MXNet 1.9 and 2.0 and
        `SymbolBlock.imports` read. Parameters have the keys of `collect_params()` there.

        Args:
            path: start of both names; of an archive its name; of other formats the folder and the name of the model.
            epoch: the number in the second of MXNet's names.
            remove_amp_cast: accepted for MXNet; there are no such casts.
            format: `"mxnet"`, `"archive"`, `"library"` (a C library and its header), `"object"` (the same, not linked),
                `"wheel"` (a package that pip installs), `"wasm"` (WebAssembly with a JavaScript loader), `"web"` (the
                same with kernels for the visitor's GPU, and a page), `"onnx"` (a model of ONNX).
            samples: calls to check it with, besides those that the programs were captured at: each an array or a
                tuple of arguments.
            progress: hears what is being done; MXNet's pair takes no time.
            options: of library, object and wheel `targets`, `weights`, `threads`; of library and wheel `linker` and
                `version`; of library `bindings`; of wheel `name`, `summary`; of archive `targets`; of onnx `opset` (13
                to 25), `input_names`, `output_names`.

        Returns:
            The two names of MXNet's files, the second None where there are no parameters; of other formats `Exported`,
            whose text says what was written and checked.

        Raises:
            StateError E506: the block has not been hybridized and called.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E450, E451, E454 to E457, E464 to E467: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what Python gives. Nothing changed on the disk.

        >>> import os, tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = net.export(folder + "/dense")
        ...     sorted(os.listdir(folder))
        ['dense-0000.params', 'dense-symbol.json']
        """
        export, function = load_module("hybridize.gluon.export"), self._function
        if function is None or not export.has_program(function):
            raise StateError(
                "E506",
                f"{type(self).__name__} has not been compiled yet, so there is nothing to export",
                help="first call net.hybridize() and then the net once, with an input",
            )
        if format != "mxnet":
            own = self._all_parameters()
            return export.deploy(function, own, path, format, samples=samples, progress=progress, options=options)
        if options:
            raise ArgumentError("E336", f"format 'mxnet' has no option {next(iter(options))!r}", help="it has epoch")
        imports = load_module("hybridize.gluon.symbol_block").SymbolBlock.imports
        return export.write(function, self.collect_params(), path, epoch, samples, imports)

    @outside_only("writes a file")
    @leaves
    def save(self, path: Any, *, samples: Sequence[Any] = ()) -> None:
        """Write the compiled net with its parameters as one file, which `hybridize.load` runs.

        Args:
            path: of the file.
            samples: calls by which the file can be checked; see `export`.

        Raises:
            StateError E506: the block has not been hybridized and called.

        >>> import hybridize, tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize("ones")
        >>> net.hybridize()
        >>> y = net(np.ones((1, 3)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net.save(folder + "/dense.hyb")
        ...     hybridize.load(folder + "/dense.hyb")(np.ones((1, 3)))
        array([[3., 3.]])
        """
        export = load_module("hybridize.gluon.export")
        export.save(self._hybridized("program"), self._all_parameters(), path, samples)


def _data(data: Any, *args: Any) -> None:
    """Name the argument of a net of layers as MXNet's files do."""


COMPOSING: ContextVar[bool] = ContextVar("composing", default=False)
"""True while a block is applied to symbols."""


def functions() -> ModuleType:
    """`F`: the module of functions that fits what is going on."""
    return _module("hybridize.symbol" if capturing() or COMPOSING.get() else "hybridize.ndarray")


@functools.cache
def _module(name: str) -> ModuleType:
    module: ModuleType = load_module(name)  # late: few blocks are written with `F`
    return module
