# SPDX-License-Identifier: Apache-2.0
"""The base of initializers, and how strings name them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import UndefinedError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.participation import ReadPolicy, WritePolicy
from hybridize.base.registry import Registry, described


class InitDesc(str):
    """Hold the name of a parameter and attributes for its initializer.

    Args:
        name: as the block calls it, `dense0_weight`.
        attrs: `{"__init__": ...}` names the initializer of this parameter itself.

    >>> from hybridize import init
    >>> name = init.InitDesc("fc_weight", {"lr_mult": "2"})
    >>> name, name.attrs
    ('fc_weight', {'lr_mult': '2'})
    """

    def __new__(cls, name: str, attrs: Mapping[str, str] | None = None, global_init: Any = None) -> InitDesc:
        self = super().__new__(cls, name)
        self.attrs = dict(attrs or {})
        self.global_init = global_init
        return self

    attrs: dict[str, str]
    global_init: Any


class Initializer:
    """Fill arrays with initial values. The base of initializers: a subclass defines `_init_weight`.

    `net.initialize(...)` fills each parameter by `_init_weight`, whatever the parameter's name.

    You can also call an initializer with a name and an array. It fills the array by the end of the name, as in MXNet: a
    `weight` by `_init_weight`; a `bias`, `beta` or running mean with zeros; a `gamma` or running variance with ones.

    >>> from hybridize import init
    >>> class Diagonal(init.Initializer):
    ...     def _init_weight(self, name, arr):
    ...         arr[...] = np.eye(*arr.shape)
    >>> weight = gluon.Parameter("weight", shape=(2, 2))
    >>> weight.initialize(Diagonal())
    >>> weight.data()
    array([[1., 0.],
           [0., 1.]])
    """

    __hybridize_read__ = ReadPolicy.CONTENT
    __hybridize_write__ = WritePolicy.IN_TURN

    _print: Callable[[ndarray], str] | None = None

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs

    def __call__(self, desc: str, arr: ndarray) -> None:
        """Fill `arr`, the parameter called `desc`."""
        if isinstance(desc, InitDesc):
            desc.global_init = desc.global_init or self
            own = desc.attrs.get("__init__")
            if own:
                create(own).init_weight(desc, arr)
                self._tell(desc, own, arr)
                return
        for ending, method in _BY_ENDING.items():
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                self._tell(desc, ending, arr)
                return
        self._init_default(desc, arr)

    def init_weight(self, desc: str, arr: ndarray) -> None:
        """Fill `arr` as a weight, whatever its name."""
        self._init_weight(desc, arr)
        self._tell(desc, type(self).__name__.lower(), arr)

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[ndarray], str] | None = None) -> Initializer:
        """Log what was filled, at the level INFO, or stop to.

        Args:
            verbose: whether to.
            print_func: of the array, what to say about it; None: its norm over the root of its size.
        """
        self._print = (print_func or _norm) if verbose else None
        return self

    def _tell(self, desc: str, by: Any, arr: ndarray) -> None:
        if self._print is not None:
            log = load_module("logging").getLogger("hybridize.init")  # late: a millisecond that few need
            log.info("Initialized %s as %s: %s", desc, by, self._print(arr))

    def dumps(self) -> str:
        """Return JSON that `create` reads back: `["uniform", {"scale": 0.07}]`."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Initializer) and other._kwargs == self._kwargs

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...
    else:
        __hash__ = object.__hash__

    def _init_weight(self, name: str, arr: ndarray) -> None:
        what = f"{type(self).__name__} does not say how to fill {name}: it has no _init_weight"
        raise UndefinedError("E328", what, help="define _init_weight(self, name, arr), which writes to arr")

    def _init_bias(self, name: str, arr: ndarray) -> None:
        arr[...] = 0

    def _init_gamma(self, name: str, arr: ndarray) -> None:
        arr[...] = 1

    _init_beta = _init_zero = _init_bias
    _init_one = _init_gamma

    def _init_default(self, name: str, arr: ndarray) -> None:
        """Fill what no ending of its name says more of: as a weight."""
        self._init_weight(name, arr)


def _norm(x: ndarray) -> str:
    values = numpy.asarray(x, dtype=numpy.float64)
    return str(math.sqrt((values * values).sum() / max(values.size, 1)))


_BY_ENDING = {
    "weight": "_init_weight", "bias": "_init_bias", "gamma": "_init_gamma", "beta": "_init_beta",
    "running_mean": "_init_zero", "moving_mean": "_init_zero", "moving_inv_var": "_init_zero",
    "moving_avg": "_init_zero", "min": "_init_zero", "max": "_init_one",
    "running_var": "_init_one", "moving_var": "_init_one",
}  # fmt: skip

_Class = TypeVar("_Class", bound=type[Initializer])
_REGISTRY: Registry[Initializer] = Registry("hybridize.init", "constants", "mixed", "recurrent", "variance")


def register(cls: _Class) -> _Class:
    """Make a class of initializers known by its name in lower case. Use it as a decorator.

    `create` and the arguments that take initializers find the class then. Return the class.

    >>> from hybridize import init
    >>> @init.register
    ... class Half(init.Initializer):
    ...     def _init_weight(self, name, arr):
    ...         arr[...] = 0.5
    >>> weight = gluon.Parameter("weight", shape=(2,), init="half")
    >>> weight.initialize()
    >>> weight.data()
    array([0.5, 0.5])
    """
    return _REGISTRY.register(cls)


def alias(*names: str) -> Callable[[_Class], _Class]:
    """Make a class of initializers known by further names. Use it as a decorator.

    Args:
        names: in any case; `create` finds the class by each of them.

    >>> from hybridize import init
    >>> @init.alias("third", "one third")
    ... class Third(init.Initializer):
    ...     def _init_weight(self, name, arr):
    ...         arr[...] = 1 / 3
    >>> type(init.create("one third")).__name__
    'Third'
    """
    return _REGISTRY.alias(*names)


def create(spec: Any, **kwargs: Any) -> Initializer:
    """Return the initializer that `spec` names: an initializer, a class, a name, or JSON `["xavier", {...}]`.

    Raises:
        ValueArgumentError E354: there is no such initializer.

    >>> from hybridize import init
    >>> type(init.create("xavier")).__name__
    'Xavier'
    """
    if isinstance(spec, Initializer):
        return spec
    if isinstance(spec, type) and issubclass(spec, Initializer):
        return spec(**kwargs)
    if isinstance(spec, str):
        if spec.startswith("["):
            spec, kwargs = described(spec, "initializer", "E354", 'initializer.dumps(), or ["name", {...}]')
        cls = _REGISTRY.find(spec)
        if cls is not None:
            return cls(**kwargs)
    raise ValueArgumentError(
        "E354", f"{spec!r} is not an initializer", help=f"one of {_REGISTRY.names}, or an Initializer"
    )
