# SPDX-License-Identifier: Apache-2.0
"""`Block`: a part of a net, made of parameters and other blocks, that Python runs at every call."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from types import CodeType
from typing import Any, ClassVar, ParamSpec, Protocol, TypeVar, cast

from hybridize import formats
from hybridize.array.device import OTHERS
from hybridize.array.nd_array import IN_USE, as_nd, holds_nd
from hybridize.array.storage import Storage
from hybridize.base.advice import warn
from hybridize.base.elsewhere import lacks
from hybridize.base.errors import ArgumentError, HybridizeError, StateError, UndefinedError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.names import late
from hybridize.base.participation import Everything, ReadPolicy, outside_only
from hybridize.base.progress import showing
from hybridize.base.tracebacks import as_python, leaves, trim
from hybridize.formats import mxnet
from hybridize.gluon import naming
from hybridize.gluon.dependence import convert, depend, method
from hybridize.gluon.device_calls import run_there
from hybridize.gluon.hooks import Hook, HookHandle
from hybridize.gluon.overriding import check_private
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.parameter_dict import ParameterDict
from hybridize.gluon.stored import named_arrays
from hybridize.gluon.within import check_prefix, constructor, tell, unknown_keyword
from hybridize.ops.op import ACTIVE, capturing

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

if typing.TYPE_CHECKING:
    from hybridize.gluon.foreign import LoadReport, Names

    class _Applied(Protocol[P, R]):
        """A block, as far as calls of it are concerned: they take what `forward` takes, and give what it gives."""

        def forward(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


TYPE_CHECKING = False
"""False for Jedi, which reads the value; type checkers take whatever has this name for true."""
_NOT_SETTINGS = frozenset({
    "_children", "_parameters", "_params", "_scope", "_prefix", "watch", "_watches", "_hooks", "_pre_hooks",
    "_function", "_compiled", "_first_generation",
})  # fmt: skip


@lru_cache(1024)
def _names_of(kind: type) -> frozenset[str]:
    """Names that the methods of a class mention, or that it has itself: no other attribute can be a setting of it."""
    names = set(dir(kind))
    for base in kind.__mro__:
        for member in vars(base).values():
            codes = [getattr(getattr(member, "fget", None) or inspect.unwrap(member), "__code__", None)]
            while codes:
                code = codes.pop()
                if isinstance(code, CodeType):
                    names.update(code.co_names)
                    codes += code.co_consts
    return frozenset(names)


_OTHERS = {
    "parameters": "net.collect_params()", "named_parameters": "net.collect_params().items()",
    "state_dict": "net.save_parameters(path)", "load_state_dict": "net.load_from(arrays), or net.load_parameters(path)",
    "train": "with autograd.train_mode(): net(x)", "eval": "a net predicts outside of autograd.record(): leave it out",
    "to": "net.cast(dtype), or net.reset_device(device)", "cuda": "net.reset_device(gpu(0))",
    "cpu": "net.reset_device(cpu())", "half": "net.cast('float16')", "float": "net.cast('float32')",
    "modules": "net._children.values()",
    "fit": "a loop with autograd.record(), or gluon.contrib.estimator.Estimator(net, loss).fit(data, epochs=10)",
    "predict": "net(x)", "compile": "net.hybridize()",
}  # fmt: skip
"""Methods of PyTorch's and Keras's modules, and what stands for them here."""


class Block:
    """Hold parameters and children, and say in `forward` what happens to the inputs. The base of layers and nets.

    `collect_params` finds blocks and parameters that are attributes. It does not find those in lists.

    Args:
        prefix: start of the MXNet 1.x names of the parameters; by default from the class name and a counter.
        params: `other.collect_params()`, or of a layer `other.params`: parameters of the same names are shared, also
            by the blocks made in a `with self.name_scope():`.

    >>> from hybridize import gluon
    >>> from hybridize.gluon import nn
    >>> class Net(gluon.Block):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.output = nn.Dense(2)
    ...     def forward(self, x):
    ...         return self.output(x).max()
    >>> list(Net().collect_params())
    ['output.weight', 'output.bias']
    """

    __hybridize_read__ = ReadPolicy.IDENTITY

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: Any) -> None:
        if unknown:
            raise unknown_keyword(type(self), next(iter(unknown)))
        check_prefix(type(self), prefix)
        set_plain = super().__setattr__
        scope = naming.current_scope()
        own = scope.next_prefix(self._alias()) if prefix is None else prefix
        parent = scope.parameters
        set_plain("_prefix", scope.prefix + own)
        if params is not None:
            parameters = ParameterDict(params.prefix, params)
        elif parent is not None:
            parameters = ParameterDict(parent.prefix + own, parent._shared)
        else:
            parameters = ParameterDict(own)
        set_plain("_params", parameters)
        # As in MXNet 1, where a block with the prefix "" opens no scope: its parts are counted with those around it.
        set_plain("_scope", None if prefix == "" else naming.NameScope(self._prefix, parameters))
        if not (prefix is None and params is None) and not naming.internal():
            set_plain("_first_generation", True)
        set_plain("_children", {})
        set_plain("_parameters", {})
        set_plain("_hooks", {})
        set_plain("_pre_hooks", {})
        set_plain("_watches", {})
        set_plain("watch", Storage())

    _prefix: str
    _scope: naming.NameScope | None
    _params: ParameterDict
    _children: dict[str, Block]
    _parameters: dict[str, Parameter]
    _hooks: dict[int, Hook]
    _pre_hooks: dict[int, Hook]
    _watches: dict[str, Storage]
    watch: Storage
    """Touched when a child, a parameter, or a setting of a layer of ours is replaced."""
    _repr_form: ClassVar[str] = ""
    """The text of a layer in parentheses, with its attributes as `{0._rate}`; none: `repr` shows its children."""
    _name_hint: ClassVar[str] = ""
    """The word by which MXNet 1.x counts names of such blocks; none: the class, in small letters."""
    _first_generation: bool = False
    """True if the block is made by what only MXNet 1 has: `prefix`, `params`, `name_scope` or `hybrid_forward`."""
    _is_layer: bool = False
    """True if `forward` is ours, and reads attributes that no capture guards; the user's own code is guarded."""

    def __init_subclass__(cls, layer: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("hybridize."):
            cls._is_layer = layer
            if "__init__" in vars(cls):
                cls.__init__ = constructor(cls.__init__)  # type: ignore[method-assign]
        elif "hybrid_forward" in vars(cls):
            cls._first_generation = True

    # --------------------------------------------------------------------------------------------------- members

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            if name[:1] == "_":
                check_private(self, name)  # looks at who sets it, so no other function may be between
            if "_children" in self.__dict__:
                self._set_member(name, value)
                return
            if isinstance(value, _MEMBERS):
                raise StateError(
                    "E504",
                    f"{type(self).__name__}: {name!r} is set before super().__init__() was called",
                    help="call super().__init__() first",
                )
            super().__setattr__(name, value)  # what is no member, a block may have before it is one
        except HybridizeError as error:
            trim(error)
            raise

    def _set_member(self, name: str, value: Any) -> None:
        existing = self.__dict__.get(name)
        for kind in (Block, Parameter):
            if isinstance(existing, kind) and not isinstance(value, kind):
                raise ArgumentError(
                    "E325",
                    f"changing attribute type for {name} from {type(existing).__name__} to {type(value).__name__} "
                    "is not allowed",
                )
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            self._register_parameter(name, value)
        super().__setattr__(name, value)
        if value is not existing:
            self._changed(name, value, existing)

    def _changed(self, name: str, value: Any, existing: Any) -> None:
        """Tell the programs that depend on an attribute."""
        if name == "hybrid_forward":
            self._choose_forward()
        watch = self._watches.get(name)
        # By their texts: 0.0 and -0.0 are equal but not the same, NaN is the same but not equal.
        if watch is not None and not (isinstance(value, _PLAIN) and repr(value) == repr(existing)):
            watch.touch()
        is_setting = self._is_layer and name not in _NOT_SETTINGS and name in _names_of(cast(Any, type(self)))
        if is_setting or isinstance(value, _MEMBERS) or isinstance(existing, _MEMBERS):
            self.watch.touch()

    def _choose_forward(self) -> None:
        """Choose what a call runs, where `hybrid_forward` is set: of blocks that Python runs `forward` all the same."""

    def __hybridize_watch__(self, name: str | Everything) -> tuple[Storage, ...]:
        """Return the storages that are touched when an attribute is set; of the whole: a member or setting of it."""
        if "_watches" not in self.__dict__:  # nothing is told before `Block.__init__` has run
            return ()
        if name is not Everything.EVERYTHING:
            return (self._watches.setdefault(name, Storage()),)
        storages = [self.watch]
        for child in self._children.values():
            storages += child.__hybridize_watch__(name)
        return tuple(storages)

    def __delattr__(self, name: str) -> None:
        self._children.pop(name, None)
        self._parameters.pop(name, None)
        self._params.forget(name)
        existing = self.__dict__.get(name)
        super().__delattr__(name)
        self._changed(name, None, existing)
        self.watch.touch()

    def _register_parameter(self, name: str, parameter: Parameter) -> None:
        if not parameter.adopted:  # `Parameter("weight")`, as in MXNet 2.x; `params.get` names its own in full
            parameter.name = self._prefix + parameter.name
            parameter.adopted = True
        self._parameters[name] = parameter
        self._params.adopt(name, parameter)

    @outside_only("changes what the net is made of")
    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make a block a child of this block, so that `collect_params` and `hybridize` reach it.

        An attribute that is a block is a child without this call. Use it for blocks in lists.

        Args:
            block: the child.
            name: what stands for it in paths; None: the number of children so far.

        Raises:
            ValueArgumentError E326: it is no block.

        >>> from hybridize.gluon import nn
        >>> class Net(gluon.Block):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layers = (nn.Dense(2), nn.Dense(2))
        ...         for layer in self.layers:
        ...             self.register_child(layer)
        >>> list(Net().collect_params())
        ['0.weight', '0.bias', '1.weight', '1.bias']
        """
        if not isinstance(block, Block):
            raise ValueArgumentError(
                "E326",
                f"a child must be a Block, got {type(block).__name__}",
                help="pass a layer, or nn.Lambda(function)",
            )
        self._children[str(len(self._children)) if name is None else name] = block
        self.watch.touch()

    # ----------------------------------------------------------------------------------------------------- names

    def _alias(self) -> str:
        return self._name_hint or type(self).__name__.lower()

    @property
    def prefix(self) -> str:
        """Start of the MXNet 1.x names inside this block: `dense0_`."""
        return self._prefix

    @property
    def name(self) -> str:
        """The MXNet 1.x name: the prefix without its last underscore."""
        return self._prefix.removesuffix("_")

    def name_scope(self) -> AbstractContextManager[None]:
        """Begin the MXNet 1 names of blocks made inside a `with` block with this block's prefix.

        These blocks also share the parameters of the argument `params` that have their names. MXNet 2 needs no scopes:
        paths name its parameters.

        >>> from hybridize.gluon import nn
        >>> net = nn.Sequential(prefix="net_")
        >>> with net.name_scope():
        ...     net.add(nn.Dense(2, in_units=3))
        >>> list(net.collect_params())
        ['net_dense0_weight', 'net_dense0_bias']
        """
        self._first_generation = True
        return naming.open_scope(self._scope)

    def _internal_scope(self) -> AbstractContextManager[None]:
        """Name what a class of ours makes, as `name_scope` does; it says nothing of the user's program."""
        return naming.open_scope(self._scope, internal=True)

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters, by their names in full; children's are not here (see `collect_params`)."""
        return self._params

    # ------------------------------------------------------------------------------------------------ parameters

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of this block and of all blocks below it.

        You can look a parameter up by its path (`0.weight`) and by its MXNet 1 name (`dense0_weight`). The keys are
        paths, as in MXNet 2. They are MXNet 1's names if a block of the net is made by what only MXNet 1 has: `prefix`,
        `params`, `name_scope` or `hybrid_forward`.

        Args:
            select: a regular expression; only parameters whose path or name it matches from the start.

        Raises:
            ValueArgumentError E324: the keys are names, and two different parameters have the same.

        >>> from hybridize.gluon import nn
        >>> net = nn.Sequential()
        >>> net.add(nn.Dense(4, in_units=3), nn.Dense(2, in_units=4))
        >>> list(net.collect_params())
        ['0.weight', '0.bias', '1.weight', '1.bias']
        >>> list(net.collect_params(".*bias"))
        ['0.bias', '1.bias']
        """
        parameters = self._all_parameters()
        if any(block._first_generation for _, block in self._walk("")):
            parameters = ParameterDict.of(parameters, self._params.prefix, by_name=True)
        return parameters if select is None else parameters.select(select)

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """The parameters by their names in files of `save_parameters`; what MXNet 1's libraries call and override."""
        start = f"{prefix}." if prefix else ""
        named = {start + self._name_in_files(name): one for name, one in self._own_parameters().items()}
        for name, child in self._children.items():
            named |= child._collect_params_with_prefix(start + name)
        return named

    def _parameters_by_path(self) -> dict[str, Parameter]:
        return {
            path + name: parameter
            for path, block in self._walk("")
            for name, parameter in block._own_parameters().items()
        }

    def _all_parameters(self) -> ParameterDict:
        """The parameters of this block and all below by path, as a dict that does things to all of them."""
        for _, block in self._walk(""):
            block._warn_of_hidden_blocks()
        return ParameterDict.of(self._parameters_by_path(), self._params.prefix)

    @property
    def _reg_params(self) -> dict[str, Parameter]:
        """MXNet's name of the parameters that are attributes."""
        return self._parameters

    def _own_parameters(self) -> dict[str, Parameter]:
        known = {id(parameter) for parameter in self._parameters.values()}
        extra = {
            name.removeprefix(self._params.prefix): parameter
            for name, parameter in self._params.items()
            if id(parameter) not in known
        }
        return {**self._parameters, **extra}

    def _walk(self, path: str) -> Iterator[tuple[str, Block]]:
        """This block and all below, each with the start of its paths; parents first."""
        yield path, self
        for name, child in self._children.items():
            yield from child._walk(f"{path}{name}.")

    def _warn_of_hidden_blocks(self) -> None:
        children = set(map(id, self._children.values()))
        for name, value in self.__dict__.items():
            if name in _NOT_SETTINGS or not isinstance(value, (list, tuple, dict)):
                continue
            parts = value.values() if isinstance(value, dict) else value
            if any(isinstance(part, Block) and id(part) not in children for part in parts):
                warn(
                    f'"{type(self).__name__}.{name}" is an unregistered container with Blocks. Blocks inside a list, '
                    "tuple or dict are not registered automatically: use register_child() or "
                    "nn.Sequential / nn.HybridSequential instead."
                )

    def _warn_of_nothing_shared(self) -> None:
        """Warn of blocks that were to share parameters by `params=`, and share none; MXNet 1 says nothing."""
        blocks = [block for _, block in self._walk("")]
        known = {id(block._params) for block in blocks}  # `params=self.params` names a part as the whole
        for block in blocks:
            shared = block._params._shared
            if shared is None or id(shared) in known:
                continue
            known.add(id(shared))  # parts have that of the whole
            own = block._parameters_by_path().values()
            if own and set(map(id, shared.values())).isdisjoint(map(id, own)):
                names = [next((one.name for one in some), "none") for some in (own, shared.values())]
                warn(
                    f"{type(block).__name__} shares nothing of params=, for names differ ({names[0]!r}, there "
                    f"{names[1]!r}): pass other.collect_params() of a net that is built alike, and make the parts in a "
                    "`with self.name_scope():`"
                )

    @outside_only("gives the parameters initial values again", when="force_reinit")
    @leaves
    def initialize(
        self,
        init: Any = None,
        device: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Give all parameters initial values. Parameters of unknown shape get theirs at the first call.

        Args:
            init: an initializer or its name; `Uniform(0.07)` when None. A parameter's own wins.
            device: where: a device, or a list, on each of which there is an array of each parameter; the present one
                when None.
            verbose: accepted for MXNet; nothing is printed.
            force_reinit: initialize again what is initialized already.
            ctx: MXNet 1.x name of `device`.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=3)
        >>> net.initialize("ones")
        >>> net.weight.data()
        array([[1., 1., 1.]])
        """
        self._warn_of_nothing_shared()
        self._all_parameters().initialize(init, device, verbose, force_reinit, ctx=ctx)

    @leaves
    def cast(self, dtype: Any) -> None:
        """Change the dtype of all parameters, of this block and of all below.

        Programs that were compiled before are compiled again for the new dtype. Normalization layers keep float32
        parameters when you cast to float16 or bfloat16, as in MXNet.

        Args:
            dtype: such as `"float64"` or `"bfloat16"`.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.cast("bfloat16")
        >>> net(np.ones((1, 3), dtype="bfloat16")).dtype
        dtype(bfloat16)
        """
        for child in self._children.values():
            child.cast(dtype)
        for parameter in self._own_parameters().values():
            parameter.cast(dtype)
        self.watch.touch()

    def zero_grad(self) -> None:
        """Set the gradients of all parameters to zero, of this block and of all below.

        You need it only where `grad_req` is `"add"`: `"write"` replaces gradients at each backward pass.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2, use_bias=False)
        >>> net.initialize()
        >>> with autograd.record():
        ...     net(np.ones((1, 2))).backward()
        >>> net.zero_grad()
        >>> net.weight.grad()
        array([[0., 0.]])
        """
        self._all_parameters().zero_grad()

    @outside_only("sets an attribute of every parameter")
    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of every parameter, of this block and of all below.

        Args:
            name: such as `"grad_req"` or `"lr_mult"`.
            value: of the attribute.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.setattr("grad_req", "null")
        >>> net.weight.grad_req
        'null'
        """
        self._all_parameters().setattr(name, value)

    def reset_device(self, device: Any) -> None:
        """Move all parameters to a device, or put an array of each on every device of a list.

        Args:
            device: a device, or a list of devices.

        Raises:
            UninitializedError E502: a parameter is not initialized.

        >>> import hybridize
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize("ones")
        >>> net.reset_device([hybridize.cpu(0), hybridize.cpu(1)])
        >>> net.weight.list_device()
        [cpu(0), cpu(1)]
        """
        self._all_parameters().reset_device(device)

    reset_ctx = reset_device

    @outside_only("changes what the net is made of")
    def share_parameters(self, shared: Mapping[str, Parameter] | None) -> Block:
        """Use other parameters in place of this block's own of the same path. Return this block.

        Args:
            shared: parameters by path, from `collect_params`, or another block's own, its `params`; None: nothing.

        >>> from hybridize.gluon import nn
        >>> one, other = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
        >>> one.initialize("ones")
        >>> other = other.share_parameters(one.collect_params())
        >>> other.weight is one.weight
        True
        """
        paths = {path + name: (block, name) for path, block in self._walk("") for name in block._own_parameters()}
        prefix = shared.prefix if isinstance(shared, ParameterDict) else ""
        for path, parameter in (shared.by_path() if isinstance(shared, ParameterDict) else shared or {}).items():
            path = path if path in paths else path.removeprefix(prefix)
            if path not in paths:
                warn(f"Parameter name {path} is not in the current model!")
                continue
            block, name = paths[path]
            block._replace_parameter(name, parameter)
        return self

    def _replace_parameter(self, name: str, parameter: Parameter) -> None:
        full = self._params.prefix + name
        if full in self._params:
            self._params[full] = parameter
        setattr(self, name, parameter)

    # ----------------------------------------------------------------------------------------------------- files

    @outside_only("writes a file")
    @leaves
    def save_parameters(self, filename: Any, deduplicate: bool = False) -> None:
        """Write all parameters by path, in the format of MXNet 1.x (`.params`).

        Where parameters are on several devices the file has the mean of their arrays.

        Args:
            filename: where; an existing file is replaced when the new one is whole.
            deduplicate: store a shared parameter once, under its last path.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net.save_parameters(folder + "/dense.params")
        ...     sorted(nd.load(folder + "/dense.params"))
        ['bias', 'weight']
        """
        parameters, names = self._all_parameters(), self._names_in_files()
        if deduplicate:
            last = {id(parameter): path for path, parameter in parameters.items()}
            parameters = ParameterDict.of({path: parameters[path] for path in last.values()})
        arrays = {names.get(path, path): parameter._mean() for path, parameter in parameters.items()}
        mxnet.write_params(filename, arrays)

    def _names_in_files(self) -> dict[str, str]:
        """The names of parameters in files, by path."""
        names: dict[int, list[str]] = {}
        for name, parameter in self._collect_params_with_prefix().items():
            names.setdefault(id(parameter), []).append(name)
        return {
            path: names[id(one)].pop(0) if names.get(id(one)) else path
            for path, one in self._parameters_by_path().items()
        }

    def _name_in_files(self, name: str) -> str:
        """Return the name of one of the block's own parameters in the files of `save_parameters`."""
        return name

    def _from_files(self, path: str, arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arrays of a file, in which one array may hold several of the block's own parameters, by path.

        Args:
            path: where the block stands.
            arrays: by path; those of other blocks stay as they are.
        """
        return arrays

    def save_params(self, filename: Any) -> None:
        """Write all parameters by their MXNet 1 names without the net's prefix. `save_parameters` writes paths.

        Args:
            filename: where; an existing file is replaced when the new one is whole.

        Raises:
            ValueArgumentError E324: a name does not begin with the prefix, as names of shared parameters do not.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2, prefix="dense_")
        >>> net.initialize()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net.save_params(folder + "/dense.params")
        ...     sorted(nd.load(folder + "/dense.params"))
        ['bias', 'weight']
        """
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self, filename: Any, ctx: Any = None, allow_missing: bool = False, ignore_extra: bool = False
    ) -> None:
        """Read parameters from a file. MXNet 1's older name of `load_parameters`.

        Args:
            filename: a `.params` file.
            ctx: of parameters that have no device yet: a device, or a list.
            allow_missing: leave parameters that the file lacks as they are.
            ignore_extra: leave out arrays of the file that belong to no parameter.

        Raises:
            LoadError E610, E611, E613: missing, extra, or of another shape or dtype. Nothing is changed then.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize("ones")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net.save_params(folder + "/dense.params")
        ...     net.load_params(folder + "/dense.params")
        """
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    @outside_only("reads a file")
    @leaves
    def load_parameters(
        self,
        filename: Any,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        ctx: Any = None,
    ) -> None:
        """Read parameters saved by any version of MXNet or by us: `save_parameters`, or the file of `export`.

        Args:
            filename: a `.params` file.
            device: of parameters that have none yet: a device, or a list; others must be there.
            allow_missing: leave parameters that the file lacks as they are.
            ignore_extra: leave out arrays of the file that belong to no parameter.
            cast_dtype: convert where dtypes differ.
            dtype_source: `current` converts to the parameter's dtype, `saved` makes it the file's.
            ctx: MXNet 1.x name of `device`.

        Raises:
            LoadError E610, E611, E613: missing, extra, or of another shape or dtype. Nothing is changed then.
            DeviceError E704: a parameter is on other devices.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> one, other = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
        >>> one.initialize("ones")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     one.save_parameters(folder + "/dense.params")
        ...     other.load_parameters(folder + "/dense.params")
        >>> other.weight.data()
        array([[1., 1.]])
        """
        device, source = device if device is not None else ctx, str(filename)
        with showing(f"loading {source}"):
            arrays = named_arrays(filename)
            self.load_dict(arrays, device, allow_missing, ignore_extra, cast_dtype, dtype_source, source=source)

    @outside_only("sets what the net holds to arrays of a dict")
    def load_dict(
        self,
        param_dict: Mapping[str, Any],
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        source: str = "the dict",
    ) -> None:
        """Set the parameters to arrays of a dict, as `load_parameters` does with those of a file.

        Args:
            param_dict: arrays by path (`0.weight`) or by the name in files.
            device: of parameters that have none yet: a device, or a list; others must be there.
            allow_missing: leave parameters that the dict lacks as they are.
            ignore_extra: leave out arrays of the dict that belong to no parameter.
            cast_dtype: convert where dtypes differ.
            dtype_source: `current` converts to the parameter's dtype, `saved` makes it the array's.
            source: what errors call the dict.

        Raises:
            LoadError E610, E611, E613: missing, extra, or of another shape or dtype. Nothing is changed then.
            DeviceError E704: a parameter is on other devices.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.load_dict({"weight": np.ones((1, 2)), "bias": np.zeros(1)})
        >>> net(np.array([[2.0, 3.0]]))
        array([[5.]])
        """
        names = self._names_in_files()
        paths = {name: path for path, name in names.items()}
        param_dict = {name if name in names else paths.get(name, name): one for name, one in param_dict.items()}
        for path, block in self._walk(""):
            param_dict = block._from_files(path, param_dict)
        self._all_parameters().load_dict(
            param_dict, device, allow_missing, ignore_extra, cast_dtype, dtype_source, source=source
        )

    @outside_only("sets what the net holds to arrays of a file or a dict")
    @leaves
    def load_from(
        self,
        source: Any,
        names: Names = None,
        *,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
    ) -> LoadReport:
        """Set the parameters to weights of another library. Return a table of what happened to each.

        Names of PyTorch's layers are known: `weight` and `bias` of what has `gamma` and `beta`, `weight_ih_l0` and its
        like. Its layers lay out their weights as Gluon's do, so nothing is transposed.

        Args:
            source: a path of a `.npz`, `.params` or safetensors file; a dict of arrays or tensors by name, such as a
                state dict of PyTorch; what has a `state_dict()`.
            names: from the names there to those here, of arrays or of what begins them, the longest first:
                `{"features.0": "0", "fc": "output"}`; None as a name leaves the array out. Or a function of a name.
            allow_missing: leave parameters that no array is for as they are.
            ignore_extra: leave out arrays that belong to no parameter.
            cast_dtype: convert where dtypes differ.

        Raises:
            LoadError E610, E611, E613: missing, extra, or of another shape or dtype. Nothing is changed then.
            LoadError E612: the source holds something that is no array.

        >>> from hybridize.gluon import nn
        >>> net = nn.HybridSequential()
        >>> net.add(nn.Dense(1, in_units=2))
        >>> arrays = {"fc.weight": np.ones((1, 2)), "fc.bias": np.zeros(1)}
        >>> report = net.load_from(arrays, {"fc": "0"})
        >>> net(np.array([[2.0, 3.0]]))
        array([[5.]])
        """
        report: LoadReport = load_module("hybridize.gluon.foreign").load(
            self._all_parameters(),
            source,
            names,
            allow_missing=allow_missing,
            ignore_extra=ignore_extra,
            cast_dtype=cast_dtype,
        )
        return report

    @outside_only("writes a file")
    @leaves
    def save(self, path: Any) -> None:
        """Write the parameters to a file. A HybridBlock writes its compiled programs with them.

        Args:
            path: the file.

        >>> import os, tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Sequential()
        >>> net.add(nn.Dense(1, in_units=2))
        >>> net.initialize()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net.save(folder + "/net.params")
        ...     os.listdir(folder)
        ['net.params']
        """
        self.save_parameters(path)

    @outside_only("reads a file")
    def load(self, path: Any) -> None:
        """Read the parameters from a file of `save`, of `save_parameters`, or from an archive that holds them all.

        Args:
            path: the file.

        Raises:
            LoadError E610, E611, E613: missing, extra, or of another shape or dtype. Nothing is changed then.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> one, other = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
        >>> one.initialize("ones")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     one.save_parameters(folder + "/net.params")
        ...     other.load(folder + "/net.params")
        >>> other.weight.data()
        array([[1., 1.]])
        """
        if formats.detect(path) == "archive":
            self.load_dict(formats.read_archive(path).weights, ignore_extra=True, source=str(path))
        else:
            self.load_parameters(path)

    # ----------------------------------------------------------------------------------------------------- calls

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for the inputs. Your subclass defines it; to run the block, call the block itself.

        A call of the block runs its hooks, too, and uses the compiled program of a hybridized block.

        Raises:
            UndefinedError E328: the subclass does not define it.

        >>> class Double(gluon.Block):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> Double()(np.ones(2))
        array([2., 2.])
        """
        raise UndefinedError("E328", f"{type(self).__name__} has no forward", help="define forward or hybrid_forward")

    if not typing.TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Run the block: pre-hooks, `forward`, hooks."""
            try:
                return self._run_with_hooks(self._run_there if OTHERS else self._run, args, kwargs)
            except Exception as error:
                tell(error, self)
                trim(error)
                raise

    elif TYPE_CHECKING:

        @property
        def __call__(self: _Applied[P, R]) -> Callable[P, R]: ...  # as the class says in `forward`

    else:  # what Jedi follows

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self.forward(*args, **kwargs)

    def _run_with_hooks(self, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self._hooks and not self._pre_hooks:
            return run(*args, **kwargs)
        for hook in tuple(self._pre_hooks.values()):
            convert(hook)(self, args)
        result = run(*args, **kwargs)
        for hook in tuple(self._hooks.values()):
            convert(hook)(self, args, result)
        return result

    def _run_there(self, *args: Any, **kwargs: Any) -> Any:
        """`_run`, on the device of the arguments where arrays have devices."""
        return run_there(self, self._run, args, kwargs) if OTHERS else self._run(*args, **kwargs)

    @as_python
    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`, in the form that fits what is going on: as written, or converted while capturing."""
        if ACTIVE and capturing():
            depend(self)
            output = method(self, "forward")(*args, **kwargs)
        else:
            output = self.forward(*args, **kwargs)
        return as_nd(output) if IN_USE and any(map(holds_nd, (*args, *kwargs.values()))) else output

    @outside_only("adds a hook to the block")
    def register_forward_pre_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs)` before every call of this block.

        Inside a hybridized parent the hook runs only while the parent is captured.

        Args:
            hook: its result is ignored; `inputs` is the tuple of arguments.

        Returns:
            A handle, whose `detach()` removes the hook.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> handle = net.register_forward_pre_hook(lambda block, inputs: print(inputs[0].shape))
        >>> y = net(np.ones((4, 3)))
        (4, 3)
        >>> handle.detach()
        """
        return HookHandle(self._pre_hooks, hook, self._hooks_changed)

    @outside_only("adds a hook to the block")
    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs, outputs)` after every call of this block.

        Inside a hybridized parent the hook runs only while the parent is captured.

        Args:
            hook: its result is ignored; `inputs` is the tuple of arguments.

        Returns:
            A handle, whose `detach()` removes the hook.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> handle = net.register_forward_hook(lambda block, inputs, outputs: print(outputs.shape))
        >>> y = net(np.ones((4, 3)))
        (4, 2)
        >>> handle.detach()
        """
        return HookHandle(self._hooks, hook, self._hooks_changed)

    def _hooks_changed(self) -> None:
        self.watch.touch()

    def _choose_call(self) -> None:
        """Choose how the next calls go, by the hooks; here Python is there at every call."""

    def apply(self, fn: Callable[[Block], Any]) -> Block:
        """Call `fn` on every block below this one, then on this block. Return this block.

        Args:
            fn: takes a block; its result is ignored.

        >>> from hybridize.gluon import nn
        >>> net = nn.Sequential()
        >>> net.add(nn.Dense(2), nn.Dropout(0.5))
        >>> net = net.apply(lambda block: print(type(block).__name__))
        Dense
        Dropout
        Sequential
        """
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    @leaves
    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile every HybridBlock below this block. Python still runs this block itself.

        Args:
            active: False runs them as Python again.
            kwargs: settings; see `HybridBlock.hybridize`.

        >>> from hybridize.gluon import nn
        >>> class Net(gluon.Block):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layer = nn.Dense(2, in_units=3)
        >>> net = Net()
        >>> net.hybridize()
        >>> net.layer.active
        True
        """
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    # -------------------------------------------------------------------------------------------------- for people

    @outside_only("runs the net part by part, and prints a table")
    def summary(self, *inputs: Any) -> None:
        """Print a table of the layers that one call passes through, with output shapes and numbers of parameters.

        Args:
            inputs: of the call.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.summary(np.ones((4, 3)))
        ----...
                Layer (type)                               Output Shape         Param #
        ...
                     Dense-1                                     (4, 2)               8
        ...
           Total params: 8
        ...
        """
        load_module("hybridize.gluon.summary").show(self, inputs)

    def __repr__(self) -> str:
        if self._repr_form:
            return f"{type(self).__name__}({self._repr_form.format(self)})"
        texts = {name: re.sub(r"\n", "\n  ", repr(child)) for name, child in self._children.items()}
        lines = "\n".join(f"  ({name}): {text}" for name, text in texts.items())
        return f"{type(self).__name__}(\n{lines}\n)"

    def _repr_html_(self) -> str:
        """Return the tree of parts with their parameters, as notebooks show it."""
        text: str = load_module("hybridize.gluon.tree").page(self)  # late: few nets are seen in notebooks
        return text


_MEMBERS = (Block, Parameter)
_PLAIN = (bool, int, float, str)


lacks(Block, _OTHERS)
__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
