# SPDX-License-Identifier: Apache-2.0
"""`Parameter`: an array that training changes, whose shape may be known only at the first call; and `Constant`.

The buffer of an initialized parameter is its only truth: `set_data` and initializers write into it, so a compiled
program that reads the buffer sees them. Only a change of dtype, of devices, or of shape before initialization, makes a
new one, and `watch` tells programs so.

On several devices there is a buffer, with a gradient, for each. The parameter itself holds the first one; the others
are held by parameters of which nobody else knows (`_copies`), and `data` gives the one of the present device.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import init as initializers
from hybridize.array.buffer import content_of, overwrite
from hybridize.array.device import Device, as_device, check_device, cpu, current_device, is_away
from hybridize.array.ndarray import gradient_of, history, ndarray, store, wrap
from hybridize.array.placing import moved, place
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Variable
from hybridize.autograd.variables import attach_grad
from hybridize.base.advice import warn
from hybridize.base.dtypes import DType, as_dtype, is_float
from hybridize.base.errors import (
    ArgumentError,
    ContentError,
    DeferredInitializationError,
    DeviceError,
    PlacementError,
    ShapeError,
    StateError,
    UninitializedError,
    ValueArgumentError,
)
from hybridize.base.forks import renewed
from hybridize.base.loading import load_module
from hybridize.base.names import late
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.base.tracebacks import leaves, trim
from hybridize.base.types import Shape, TensorType
from hybridize.gluon.dependence import depend
from hybridize.init import InitDesc, Initializer
from hybridize.ops.op import ACTIVE, capturing, imperatively
from hybridize.runtime.buffers import weights
from hybridize.runtime.plan import LARGEST

# Entered again where an initializer makes a net of its own.
_finishing = renewed(threading.RLock())

UNKNOWN = -1
"""A size that is not known yet. MXNet 1.x writes 0; both are taken."""


def _variables() -> Any:
    """The module of what programs set of parameters, which needs the rooms of capture."""
    return load_module("hybridize.gluon.variables")


def _normalized(shape: Any) -> Shape | None:
    if shape is None:
        return None
    try:
        sizes = tuple(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        what = f"the shape of a parameter must be integers, got {shape!r}"
        raise ArgumentError("E309", what, help="sizes of 0 and -1 are replaced by those of the first input") from None
    return tuple(size if size > 0 else UNKNOWN for size in sizes)


class Parameter:
    """Hold an array of a block that training changes, and its gradient.

    Args:
        name: the end of it (`weight`, `bias`, `gamma`, ...) chooses the initializer where none is given.
        grad_req: `write`, `add` or `null` (no gradient).
        shape: sizes; 0 and -1 are not known yet.
        dtype: element type.
        lr_mult: factor on the learning rate.
        wd_mult: factor on the weight decay.
        init: the initializer; wins over the one given to `initialize`.
        allow_deferred_init: `initialize` may come before the shape is known.
        differentiable: whether there can be a gradient at all.
        stype: storage type; another one than `default` is made dense, with a warning, and has `row_sparse_data`.
        grad_stype: likewise, of the gradient.

    Raises:
        ValueArgumentError E321: there is no such storage type.

    >>> from hybridize import gluon
    >>> weight = gluon.Parameter("weight", shape=(2, 3), init="ones")
    >>> weight.initialize()
    >>> weight.data().shape, weight.grad().shape
    ((2, 3), (2, 3))
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN
    _grad_req: str
    _grad = _ctx_list = _ctx_map = _trainer = None
    """MXNet's private attributes, which subclasses copy from one parameter to another."""
    lr_mult: float
    wd_mult: float
    watch: Storage
    """Touched whenever another buffer takes the place of this parameter's."""

    @leaves
    def __init__(
        self,
        name: str = "weight",
        grad_req: str = "write",
        shape: Any = None,
        dtype: Any = "float32",
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for value in (stype, grad_stype):
            if value not in ("default", "csr", "row_sparse"):
                raise ValueArgumentError("E321", f"the storage type must be default, csr or row_sparse, got {value!r}")
        if (stype, grad_stype) != ("default", "default"):
            warn(f"Parameter {name!r} is dense, and so is its gradient: each step updates all of its rows")
        self.name = name
        """In full once a block has it: `dense0_weight`."""
        self.adopted = False
        """True if a block has given it its full name."""
        self.lr_mult, self.wd_mult = lr_mult, wd_mult
        self.init = init
        self.allow_deferred_init = allow_deferred_init
        self._home = cpu()
        """The device of the first array."""
        self._elsewhere: dict[Device, Parameter] = {}
        """The holders of the arrays on further devices."""
        self.watch = Storage()
        self._stype, self._grad_stype = stype, grad_stype
        self._var: Any = None
        self._shape = _normalized(shape)
        self._dtype = as_dtype(dtype)
        self._differentiable = differentiable
        self._data: ndarray | None = None
        self._deferred: tuple[Any, Any] | None = None
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self._dtype.name})"

    # ---------------------------------------------------------------------------------------------- what is known

    @property
    def shape(self) -> Shape | None:
        """The shape: a tuple of sizes, -1 for a size that is not known yet; None if nothing is known."""
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        new = _normalized(shape)
        if new is None or not self._takes(new):
            raise ShapeError("E122", f"parameter {self.name} of shape {self._shape} cannot be given the shape {new}")
        self._shape = tuple(b if b != UNKNOWN else a for a, b in zip(self._shape or new, new, strict=True))

    def complete(self, *shape: int) -> None:
        """Set the shape from the first input, and initialize the parameter if `initialize` has waited for the shape.

        Call it in `infer_shape` of a layer. Unlike an assignment to `shape`, it initializes at once.

        Args:
            shape: all sizes; those that are known must be the same.

        Raises:
            ShapeError E122: the parameter has another shape.

        >>> weight = gluon.Parameter("weight", shape=(2, -1), init="ones", allow_deferred_init=True)
        >>> weight.initialize()
        >>> weight.complete(2, 3)
        >>> weight.data().shape
        (2, 3)
        """
        if not self._takes(shape):
            raise ShapeError(
                "E122",
                f"parameter {self.name} has the shape {self._shape}, but the input requires {shape}",
                help="the net was initialized for inputs of another size",
            )
        self._shape = tuple(map(operator.index, shape))  # not a size that only one compilation knows
        if self._deferred is not None:
            self._finish_deferred_init()

    def _takes(self, shape: Shape) -> bool:
        old = self._shape
        if old is None:
            return True
        return len(old) == len(shape) and all(UNKNOWN in (a, b) or a == b for a, b in zip(old, shape, strict=True))

    @property
    def shape_is_known(self) -> bool:
        """True if every size is known."""
        return self._shape is not None and UNKNOWN not in self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def stype(self) -> str:
        """The storage type: always `default`, dense."""
        return "default"

    @property
    def grad_req(self) -> str:
        """The way in which a backward pass writes the gradient: `write`, `add` or `null`."""
        return self._grad_req

    @grad_req.setter
    @leaves
    def grad_req(self, grad_req: str) -> None:
        if grad_req not in ("write", "add", "null"):
            raise ValueArgumentError(
                "E322",
                f"grad_req must be write, add or null, got {grad_req!r}",
                help="write replaces the gradient at each backward pass, add adds to it, null keeps none",
            )
        if not (ACTIVE and capturing() and "_grad_req" in vars(self) and _variables().request_in_turn(self, grad_req)):
            self._request(grad_req)

    def _request(self, grad_req: str) -> None:
        """Ask backward passes for the gradient in a way that is one of the three, now."""
        for one in self._copies():
            one._grad_req = grad_req if self._differentiable else "null"
            one._mark()

    def _mark(self) -> None:
        """Make the array a variable of `autograd`, as `grad_req` says."""
        if self._data is None or not is_float(self._data.dtype):
            return
        variable = self._variable
        if variable is None or self._grad_req == "null":
            attach_grad(self._data, self._grad_req)
        else:
            variable.req = self._grad_req  # what was collected stays

    # -------------------------------------------------------------------------------------------- initialization

    @outside_only("gives the parameter initial values again", when="force_reinit")
    @leaves
    def initialize(
        self,
        init: Any = None,
        device: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Allocate the array and fill it with initial values.

        If the shape is not known yet, and `allow_deferred_init` is set, this happens at the first call of the net.

        Args:
            init: the initializer; the parameter's own when None, else `default_init`.
            device: where; the present device when None, or a list: there is an array on each, of equal values.
            default_init: used when there is no other; `Uniform(0.07)`.
            force_reinit: fill again what is initialized already.
            ctx: MXNet 1.x name of `device`.

        Raises:
            ShapeError E123: the shape is not known and may not be deferred.

        >>> weight = gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize("ones")
        >>> weight.data()
        array([1., 1.])
        """
        devices = checked_devices(device if device is not None else ctx)
        if self._data is not None and not force_reinit:
            warn(f"Parameter {self.name!r} is already initialized, ignoring. Set force_reinit=True to re-initialize.")
            return
        default = initializers.create(default_init if default_init is not None else initializers.Uniform())
        chosen = init if init is not None else self.init
        self._deferred = (chosen, default)
        self._live_on(devices)
        if self.shape_is_known:
            self._finish_deferred_init()
        elif not self.allow_deferred_init:
            self._deferred = None
            raise ShapeError(
                "E123",
                f"cannot initialize parameter {self.name!r}: its shape {self._shape} is not known",
                help="give the full shape, or pass allow_deferred_init=True",
            )

    def _finish_deferred_init(self) -> None:
        """Do the initialization that waited for the shape, unless another thread just did.

        Raises:
            ShapeError E125: no array is as large.
        """
        with _finishing:
            if self._deferred is None:
                return
            assert self._shape is not None
            if math.prod(self._shape) * self._dtype.itemsize >= LARGEST:
                raise ShapeError(
                    "E125",
                    f"parameter {self.name!r} is {TensorType(self._shape, self._dtype)}",
                    help="an array of this size cannot be addressed: give fewer units or channels, or smaller windows",
                )
            chosen, default = self._deferred
            with imperatively():
                array = self._data
                if array is None or array.shape != self._shape or array.dtype != self._dtype:
                    array = ndarray(weights(self._shape, self._dtype))
                place(array, self._home)
                with self._home:
                    self._fill(array, chosen, default)
                self._become(array)
                for one in self._elsewhere.values():
                    one._take(self, array)
            self._deferred = None  # last: who sees this reads the array

    def _fill(self, array: ndarray, chosen: Any, default: Initializer) -> None:
        """Fill the array by its own initializer, or by that of all: as a weight, whatever its name, as in MXNet."""
        chosen = default if chosen is None else chosen
        if isinstance(chosen, Initializer) and type(chosen).__call__ is not Initializer.__call__:
            chosen(InitDesc(self.name), array)  # it decides by name itself, as Mixed does
        else:
            initializers.create(chosen).init_weight(InitDesc(self.name, global_init=default), array)

    def _take(self, first: Parameter, values: ndarray) -> None:
        """Hold a copy of the array that the first one of the copies holds, or is to hold."""
        self._shape, self._dtype = first._shape, first._dtype
        array = self._data
        if array is None or array.shape != values.shape or array.dtype != values.dtype:
            array = place(ndarray(weights(values.shape, values.dtype)), self._home)
        store(array, ..., content_of(moved(values, array.device)))
        self._become(array)

    def _live_on(self, devices: Sequence[Device]) -> None:
        """Have an array on each of these devices, from the next time on that there are new ones."""
        home, *others = dict.fromkeys(devices)
        elsewhere = {device: self._elsewhere.get(device) or self._copy(device) for device in others}
        if (home, list(elsewhere)) != (self._home, list(self._elsewhere)):
            self.watch.touch()
        self._home, self._elsewhere = home, elsewhere

    def _expect_on(self, devices: Sequence[Device]) -> None:
        """Have an array on each of these devices, if there is none yet.

        Raises:
            PlacementError E704: there are some on other devices.
        """
        if self._data is None and self._deferred is None:
            self._live_on(devices)
        elif set(devices) != set(self.list_device()):
            actual, wanted = (", ".join(map(str, some)) for some in (self.list_device(), devices))
            what = f"parameter {self.name!r} is on {actual}, and was to be loaded on {wanted}"
            raise PlacementError("E704", what, help="leave the device out, or call reset_device(...) first")

    def _copy(self, device: Device) -> Parameter:
        """A holder of the array on a further device."""
        parameter: Parameter = object.__new__(type(self))
        own = {"watch": Storage(), "_data": None, "_deferred": None, "_elsewhere": dict[Any, Any](), "_home": device}
        parameter.__dict__.update({**self.__dict__, **own})
        return parameter

    def _become(self, array: ndarray) -> None:
        place(array, self._home)
        if array is not self._data:
            self._data = array
            self._mark()
            self.watch.touch()

    @property
    def deferred(self) -> bool:
        """True if an initialization waits for the shape."""
        return self._deferred is not None

    _without_values = "call net.initialize(); parameters of children are in net.collect_params(), not in net.params"
    """The remedy where there is no array yet."""

    def _not_ready(self) -> StateError:
        if self._deferred is not None:
            return DeferredInitializationError(
                "E501",
                f"parameter {self.name!r} has not been initialized yet: its shape {self._shape} is known only after "
                "the first call",
                help="call the net once with a batch of data, or give the sizes (in_units, in_channels, ...)",
            )
        return UninitializedError(
            "E502",
            f"parameter {self.name!r} has not been initialized",
            help=self._without_values,
        )

    # ------------------------------------------------------------------------------------------------------ data

    def data(self, device: Any = None, *, ctx: Any = None) -> ndarray:
        """Return the array: at each call the same object.

        Args:
            device: whose; when None the one there is, or, of several, that of the present device, which in a block is
                the device of its first argument.
            ctx: MXNet 1.x name of `device`.

        Raises:
            UninitializedError E502: not initialized.
            DeferredInitializationError E501: the shape is not known yet.
            PlacementError E704: there is none on that device.

        >>> weight = gluon.Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> weight.data()
        array([1., 1.])
        """
        if self._data is None:
            try:
                raise self._not_ready()
            except StateError as error:
                trim(error)
                raise
        if device is not None or ctx is not None:
            return self._at(ctx if device is None else device)._held()
        if ACTIVE:
            return self._held() if not self._elsewhere else self._at(current_device())._held()
        return self._data

    def _held(self) -> ndarray:
        """The array that this one holds."""
        if self._data is None:
            raise self._not_ready()
        depend(self)
        return self._data

    def _copies(self) -> list[Parameter]:
        """List the holders of the arrays, one for each device; the first is the parameter itself."""
        return [self, *self._elsewhere.values()]

    def _at(self, device: Any) -> Parameter:
        """Return the holder of the array on a device.

        Raises:
            PlacementError E704: there is none.
        """
        depend(self)
        wanted = as_device(device)
        holder = self if wanted == self._home else self._elsewhere.get(wanted)
        if holder is None:
            devices = self.list_device()
            there = ", ".join(map(str, devices))
            what = f"parameter {self.name!r} was not initialized on device {wanted}, only on {there}"
            help = f"pass x.as_in_ctx({devices[0]}) to it"
            if is_away(wanted):
                help = f"net.reset_device({wanted}) moves them there"
            raise PlacementError("E704", what, help=help)
        return holder

    def list_data(self) -> list[ndarray]:
        """Return the array on each device, in the order of `list_device`.

        Raises:
            UninitializedError E502: not initialized.
            DeferredInitializationError E501: the shape is not known yet.

        >>> import hybridize
        >>> weight = gluon.Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize(device=[hybridize.cpu(0), hybridize.cpu(1)])
        >>> [array.device for array in weight.list_data()]
        [cpu(0), cpu(1)]
        """
        return [one._held() for one in self._copies()]

    def row_sparse_data(self, row_id: Any) -> ndarray:
        """Return the array with zeros in all rows but those that you name. Only these rows get a gradient from it.

        The result is dense and has the parameter's full shape. MXNet's has the storage type `row_sparse`.

        Args:
            row_id: an array of the numbers of rows, on the device whose array is meant.

        Raises:
            StateError E505: the parameter has another `stype` than `row_sparse`.

        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):  # it says that the array is dense
        ...     weight = gluon.Parameter("weight", shape=(3, 2), init="ones", stype="row_sparse")
        >>> weight.initialize()
        >>> weight.row_sparse_data(np.array([0, 2]))
        array([[1., 1.],
               [0., 0.],
               [1., 1.]])
        """
        if self._stype != "row_sparse":
            what = f"parameter {self.name!r} has the storage type {self._stype!r}, so it has no row_sparse_data"
            raise StateError("E505", what, help="call data()")
        return _rows_of(self.data(row_id.device if self._elsewhere else None), row_id)

    def list_row_sparse_data(self, row_id: Any) -> list[ndarray]:
        """Return the array of `row_sparse_data` on each device, in the order of `list_device`.

        Args:
            row_id: an array of the numbers of rows.

        Raises:
            StateError E505: the parameter has another `stype` than `row_sparse`.

        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):  # it says that the array is dense
        ...     weight = gluon.Parameter("weight", shape=(3, 1), init="ones", stype="row_sparse")
        >>> weight.initialize()
        >>> weight.list_row_sparse_data(np.array([1]))
        [array([[0.],
               [1.],
               [0.]])]
        """
        return [self.row_sparse_data(row_id.as_in_ctx(device)) for device in self.list_device()]

    def var(self) -> Any:
        """Return the parameter as an expression of `sym`: at each call the same object.

        >>> weight = gluon.Parameter("weight", shape=(2, 3))
        >>> weight.var().name
        'weight'
        """
        if self._var is None:
            shape = None if self._shape is None else tuple(max(size, 0) for size in self._shape)
            self._var = load_module("hybridize.symbol").var(self.name, shape=shape, dtype=self._dtype)
        return self._var

    def _check_and_get(self, arrays: Any, ctx: Any) -> Any:
        """MXNet's way to the array of a device, for subclasses with a `data` of their own; `list` for all of them."""
        if isinstance(arrays, list):
            return arrays if ctx is list else arrays[self.list_device().index(as_device(ctx))]
        return Parameter.list_data(self) if ctx is list else Parameter.data(self, ctx)

    @property
    def _array(self) -> ndarray | None:
        """The array, None before it is there; `_data` is MXNet's name, which subclasses of users' have."""
        return self._data

    @property
    def _allow_deferred_init(self) -> bool:
        """MXNet's private name of `allow_deferred_init`."""
        return self.allow_deferred_init

    @property
    def _deferred_init(self) -> tuple[Any, Any] | None:
        """MXNet's private name of the initialization that waits."""
        return self._deferred

    @_deferred_init.setter
    def _deferred_init(self, deferred: tuple[Any, Any] | None) -> None:
        self._deferred = deferred or None

    def _mean(self) -> NDArray[Any]:
        """Return the mean of the arrays of all devices: what files hold.

        Raises:
            UninitializedError E502, DeferredInitializationError E501: not initialized.
        """
        first, *others = [one._held().asnumpy() for one in self._copies()]
        if all(numpy.array_equal(first, other) for other in others):
            return first
        average: NDArray[Any] = numpy.mean([first, *others], axis=0, dtype=first.dtype)
        return average

    def _reduce(self) -> ndarray:
        """The mean over devices as an array: MXNet's name of it."""
        return wrap(self._mean())

    @leaves
    def set_data(self, data: Any) -> None:
        """Copy values into the array, on each device. Compiled programs see them at their next call.

        Args:
            data: an array of the parameter's shape; its dtype is converted.

        Raises:
            ShapeError E124: `data` has another shape.
            UninitializedError E502: not initialized.

        >>> weight = gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize()
        >>> weight.set_data(np.array([3.0, 4.0]))
        >>> weight.data()
        array([3., 4.])
        """
        shape = tuple(data.shape) if hasattr(data, "shape") else numpy.shape(data)
        if not self._takes(_exact(shape)):
            raise ShapeError(
                "E124",
                f"parameter {self.name!r}: expected shape {self._shape}, got {shape}",
                help="a parameter keeps its shape: pass an array of that shape",
            )
        if self._data is None:
            if isinstance(data, Symbol) or self._deferred is None:
                raise self._not_ready()
            self._shape = _exact(shape)
            self._deferred = (initializers.Zero(), initializers.Zero())
            self._finish_deferred_init()
        for one in self._copies():
            one._held()[...] = data

    def _fitted(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array as one without axes, where the parameter has none: MXNet 1.x writes it with an axis."""
        return array.reshape(()) if self._shape == () and array.shape == (1,) else array

    def _check(self, data: numpy.ndarray[Any, Any], path: str, cast_dtype: bool) -> None:
        """Raise unless `_load` can take `data`, which a file has for this parameter at `path` of the net.

        Raises:
            ContentError E613: another shape, or another dtype without `cast_dtype`.
        """
        if not self._takes(data.shape):
            raise ContentError(
                "E613",
                f"parameter {path!r}: expected shape {self._shape}, saved {data.shape}",
                help="make the net with the sizes of the one that was saved",
            )
        if data.dtype != self._dtype and not cast_dtype:
            raise ContentError(
                "E613",
                f"failed loading parameter {path!r}: dtype incompatible, expected {self._dtype}, saved {data.dtype}",
                help="pass cast_dtype=True to convert it",
            )

    @outside_only("reads a file")
    def _load(self, data: numpy.ndarray[Any, Any], *, dtype_source: str = "current") -> None:
        """Take over the values of a file, which `_check` let pass; an uninitialized parameter becomes initialized."""
        if dtype_source == "saved":
            self.cast(data.dtype)
        self._shape = _exact(data.shape)
        if self._data is None:
            self._deferred = None
            array = ndarray(weights(data.shape, self._dtype))
            overwrite(array, data)
            self._become(array)
            for one in self._elsewhere.values():
                one._take(self, array)
        else:
            values = data.astype(self._dtype, copy=False)
            for replica in self.list_data():
                replica[...] = values

    def _load_init(self, data: Any, ctx: Any, cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """MXNet's way to set a parameter, initialized or not, to an array of a file."""
        array = self._fitted(data.asnumpy() if hasattr(data, "asnumpy") else numpy.asarray(data))
        self._check(array, self.name, cast_dtype)
        if ctx is not None:
            self._expect_on(checked_devices(ctx))
        self._load(array, dtype_source=dtype_source)

    @leaves
    def cast(self, dtype: Any) -> None:
        """Change the dtype of the array and convert its values. Programs compiled before read the new array.

        Args:
            dtype: such as `"float64"` or `"bfloat16"`.

        >>> weight = gluon.Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> weight.cast("float64")
        >>> weight.data()
        array([1., 1.], dtype=float64)
        """
        for one in self._elsewhere.values():
            one.cast(dtype)
        self._dtype = as_dtype(dtype)
        if self._data is not None and self._data.dtype != self._dtype:
            with imperatively():
                array = ndarray(weights(self._data.shape, self._dtype))
                array[...] = self._data
                self._become(array)

    # ------------------------------------------------------------------------------------------- gradient, devices

    @leaves
    def grad(self, device: Any = None, *, ctx: Any = None) -> ndarray:
        """Return the array that backward passes write the gradient to: zeros before the first one.

        Args:
            device: whose, as of `data`.
            ctx: MXNet 1.x name of `device`.

        Raises:
            StateError E503: `grad_req` is `null`, or the parameter holds integers.
            PlacementError E704: there is none on that device.

        >>> weight = gluon.Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> with autograd.record():
        ...     (3 * weight.data()).sum().backward()
        >>> weight.grad()
        array([3., 3.])
        """
        if self._grad_req == "null":
            raise StateError("E503", f"{self.name!r} has no gradient: grad_req is null", help="set grad_req='write'")
        grad = self.data(device, ctx=ctx).grad
        if grad is None:
            raise StateError("E503", f"parameter {self.name!r} of {self._dtype} has no gradient: only floats have one")
        return grad

    def list_grad(self) -> list[ndarray]:
        """Return the gradient on each device, in the order of `list_device`.

        Raises:
            StateError E503: `grad_req` is `null`, or the parameter holds integers.

        >>> weight = gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize()
        >>> weight.list_grad()
        [array([0., 0.])]
        """
        return [self.grad(device) for device in self.list_device()]

    def zero_grad(self) -> None:
        """Set the gradient to zero, on each device.

        You need it only where `grad_req` is `"add"`: `"write"` replaces the gradient at each backward pass.

        >>> weight = gluon.Parameter("weight", shape=(2,), grad_req="add")
        >>> weight.initialize()
        >>> with autograd.record():
        ...     weight.data().sum().backward()
        >>> weight.zero_grad()
        >>> weight.grad()
        array([0., 0.])
        """
        for one in self._elsewhere.values():
            one.zero_grad()
        variable = self._variable
        if variable is not None and (variable.grad is not None or (ACTIVE and capturing())):
            gradient_of(variable)[...] = 0  # calls of a program may find more in a buffer than its capture did

    @property
    def fresh_grad(self) -> bool:
        """True if a backward pass has written the gradient since this was last set to False, as an update does."""
        variable = self._variable
        if variable is not None and ACTIVE and capturing():
            _variables().read_fresh(self, variable)
        return variable is not None and variable.fresh

    @fresh_grad.setter
    def fresh_grad(self, fresh: bool) -> None:
        for one in self._copies():
            variable = one._variable
            if variable is not None and not (ACTIVE and capturing() and _variables().set_fresh(one, variable, fresh)):
                variable.fresh = fresh

    @property
    def _variable(self) -> Variable | None:
        if ACTIVE:
            depend(self)
        traced = None if self._data is None else history(self._data)
        return None if traced is None else traced.variable

    def list_device(self) -> list[Any]:
        """Return the devices that hold an array of the parameter.

        Raises:
            UninitializedError E502: not initialized.

        >>> weight = gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize()
        >>> weight.list_device()
        [cpu(0)]
        """
        if self._data is None and self._deferred is None:
            raise self._not_ready()
        return [self._home, *self._elsewhere]

    list_ctx = list_device

    @outside_only("moves the parameter to other devices")
    def reset_device(self, device: Any) -> None:
        """Move the parameter to a device, or put an array on every device of a list.

        New arrays hold the mean of the arrays that there were.

        Args:
            device: a device, or a list of devices.

        Raises:
            UninitializedError E502: not initialized.

        >>> import hybridize
        >>> weight = gluon.Parameter("weight", shape=(2,))
        >>> weight.initialize()
        >>> weight.reset_device([hybridize.cpu(0), hybridize.cpu(1)])
        >>> weight.list_device()
        [cpu(0), cpu(1)]
        """
        devices = checked_devices(device)
        if self._data is None:
            self.list_device()
            self._live_on(devices)
            return
        values = self._mean()
        self._live_on(devices)
        with imperatively():
            for one in self._copies():
                array = ndarray(weights(values.shape, values.dtype))
                overwrite(array, values)
                one._become(array)

    reset_ctx = reset_device


def _rows_of(data: ndarray, row_id: Any) -> ndarray:
    """The array with zeros in all rows but some."""
    np = load_module("hybridize.array.np")
    rows = np.array(row_id, device=data.device).reshape((-1,)).astype("int64")
    wanted = np.zeros((data.shape[0],) + (1,) * (data.ndim - 1), dtype="bool", device=data.device)
    wanted[rows] = True
    selected: ndarray = np.where(wanted, data, np.zeros((), dtype=data.dtype))
    return selected


def _exact(shape: Sequence[int]) -> Shape:
    return tuple(int(size) for size in shape)


def checked_devices(device: Any) -> list[Device]:
    """Return the devices that are meant by one or a list; the present one for None.

    Raises:
        DeviceError E701: one is not there, or the list is empty.
    """
    devices = list(map(as_device, device if isinstance(device, (list, tuple)) else [device]))
    if not devices:
        raise DeviceError("E701", "an empty list of devices", help="name one, such as ctx=cpu()")
    for one in devices:
        check_device(one)
    return devices


class Constant(Parameter):
    """Hold an array of a block that training does not change.

    `Constant(value)`, or `Constant(name, value)` as in MXNet 1.x.

    >>> from hybridize import gluon
    >>> mean = gluon.Constant([0.5, 0.25])
    >>> mean.initialize()
    >>> mean.data(), mean.grad_req
    (array([0.5 , 0.25]), 'null')
    """

    @leaves
    def __init__(self, name: Any, value: Any = None) -> None:
        if value is None:
            name, value = "const", name
        array = value.asnumpy() if hasattr(value, "asnumpy") else numpy.array(value)
        if not isinstance(value, ndarray):
            array = array.astype(numpy.float32)  # lists and NumPy's arrays of any dtype, as in both MXNets
        with imperatively():  # also where a call that is captured makes the block
            self.value: Any = ndarray(array)
        super().__init__(
            name, grad_req="null", shape=array.shape, dtype=array.dtype, init=initializers.Constant(self.value)
        )
        self._shape = array.shape  # zero sizes are real here

    def _fill(self, array: ndarray, chosen: Any, default: Initializer) -> None:
        """Its value, whatever the net is initialized with."""
        array[...] = self.value

    @property
    def grad_req(self) -> str:
        """Always `null`."""
        return "null"

    @grad_req.setter
    @leaves
    def grad_req(self, grad_req: str) -> None:
        self._grad_req = "null"
        if grad_req != "null":
            warn(f"Constant parameter {self.name!r} does not support grad_req other than 'null'")


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
