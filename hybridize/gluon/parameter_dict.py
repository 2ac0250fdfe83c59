# SPDX-License-Identifier: Apache-2.0
"""`ParameterDict`: parameters by name, with what Gluon does to all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy

from hybridize import init as initializers
from hybridize.base.errors import ContentError, MissingConstantError, ValueArgumentError
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.formats import mxnet
from hybridize.gluon.parameter import Constant, Parameter, checked_devices
from hybridize.gluon.stored import listed, named_arrays, names_by_path
from hybridize.ops.op import imperatively


class ParameterDict(dict[str, Parameter]):
    """Hold parameters by name, in the order in which they were added.

    Keys are structure paths (`0.weight`) or names of MXNet 1.x (`dense0_weight`), see `Block.collect_params`; look-ups
    find either. They are names where it is a block's own `params`.

    Args:
        prefix: put before the names that `get` is given.
        shared: where `get` looks for parameters of other blocks, by their names.

    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> parameters = net.collect_params()
    >>> isinstance(parameters, gluon.ParameterDict)
    True
    >>> [(name, one.shape) for name, one in parameters.items()]
    [('weight', (2, 3)), ('bias', (2,))]
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        super().__init__()
        self.prefix = prefix
        self._shared = shared
        self._is_own = True
        self._paths: dict[str, Parameter] = {}

    @classmethod
    def of(cls, parameters: Mapping[str, Parameter], prefix: str = "", by_name: bool = False) -> ParameterDict:
        """Return a dict of parameters by path, or by name, with the paths at hand."""
        self = cls(prefix)
        self._is_own = False
        if by_name:
            self._paths = dict(parameters)
            self.update((parameter.name, parameter) for parameter in parameters.values())
        else:
            dict.update(self, parameters)
        return self

    def by_path(self) -> dict[str, Parameter]:
        """Return the parameters by path, where that is known, else by key."""
        if not self._paths:
            return dict(self)
        mine = set(map(id, self.values()))
        paths = {path: parameter for path, parameter in self._paths.items() if id(parameter) in mine}
        covered = set(map(id, paths.values()))
        return paths | {key: parameter for key, parameter in self.items() if id(parameter) not in covered}

    @property
    def _params(self) -> ParameterDict:
        """MXNet's name of the dict behind this one."""
        return self

    def __missing__(self, name: str) -> Parameter:
        parameter = self._named(name)
        if parameter is None and self.prefix:
            parameter = self._named(self.prefix + name)
        if parameter is None:
            raise KeyError(name)
        return parameter

    def __contains__(self, name: object) -> bool:
        return self._named(name) is not None

    def _named(self, name: Any) -> Parameter | None:
        """The parameter of a key, a path, or a name of MXNet 1.x."""
        for keys in (self, self._paths):
            if dict.__contains__(keys, name):
                return dict.__getitem__(keys, name)
        return next((one for one in self.values() if one.name == name), None)

    def __repr__(self) -> str:
        if self.prefix and (self._paths or all(key == one.name for key, one in self.items())):
            inner = "".join(f"\n  {value!r}" for value in self.values())  # as MXNet 1 shows them
            return f"{self.prefix} ({inner}\n)"
        return "{" + ",\n ".join(f"{key!r}: {value!r}" for key, value in self.items()) + "}"

    # ------------------------------------------------------------------------------------ MXNet 1.x's `self.params`

    def get(self, name: str, default: Any = None, **kwargs: Any) -> Any:
        """Return the parameter `prefix + name`. Make it from the keywords of `Parameter` if there is none yet.

        Without keywords and without such a parameter it is `dict.get`.

        Raises:
            ValueArgumentError E324: there is one, of another shape or dtype.
        """
        full = self.prefix + name
        parameter = self._find(full)
        if parameter is None and not kwargs:
            parameter = self._named(name)
            if parameter is not None or default is not None or not self.prefix or not self._is_own:
                return default if parameter is None else parameter
        if parameter is None:
            parameter = self[full] = Parameter(full, **kwargs)
            parameter.adopted = True
            return parameter
        _agree(parameter, kwargs)
        return parameter

    def deferred(self, name: str, shape: Any, init: Any, **kwargs: Any) -> Parameter:
        """Return the parameter that `get` returns; the first input may tell the sizes that are 0.

        Args:
            name: without the prefix.
            shape: its sizes.
            init: its initializer.
            kwargs: further arguments of `Parameter`.
        """
        parameter: Parameter = self.get(name, shape=shape, init=init, allow_deferred_init=True, **kwargs)
        return parameter

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant `prefix + name`. Make it from `value` if there is none yet."""
        full = self.prefix + name
        entry = self._find(full)
        if entry is None:
            if value is None:
                raise MissingConstantError("E363", f"there is no constant {full!r}; pass a value to create it")
            entry = self[full] = Constant(full, value)
            entry.adopted = True
        if not isinstance(entry, Constant):
            raise ValueArgumentError("E324", f"{full!r} is a Parameter, not a Constant")
        with imperatively():
            same = value is None or numpy.array_equal(entry.value.asnumpy(), Constant(full, value).value.asnumpy())
        if not same:
            raise ValueArgumentError("E324", f"constant {full!r} has another value already")
        return entry

    def adopt(self, name: str, parameter: Parameter) -> None:
        """Add a parameter that is an attribute `name` of the block, unless `get` has made it."""
        if all(known is not parameter for known in self.values()):
            dict.__setitem__(self, self.prefix + name, parameter)

    def forget(self, name: str) -> None:
        """Leave out the parameter that was an attribute `name` of the block."""
        self.pop(self.prefix + name, None)

    def _find(self, full: str) -> Parameter | None:
        parameter = self._named(full)
        if parameter is None and self._shared is not None:
            parameter = self._shared._named(full)
            if parameter is not None:
                self[full] = parameter
        return parameter

    @outside_only("adds parameters to the dict")
    def update(self, other: Any = (), /, **kwargs: Parameter) -> None:
        """Add parameters; two different ones of one name are an error."""
        pairs: Iterable[tuple[str, Parameter]] = other.items() if isinstance(other, Mapping) else other
        new: dict[str, Parameter] = {}
        for name, parameter in [*pairs, *kwargs.items()]:
            if dict.get(self, name, parameter) is not parameter or new.setdefault(name, parameter) is not parameter:
                raise ValueArgumentError(
                    "E324",
                    f"two different parameters have the name {name!r}",
                    help="give one of the blocks another prefix, or share the parameter by params=",
                )
        dict.update(self, new)

    # --------------------------------------------------------------------------------------------- all at once

    @outside_only("gives the parameters initial values again", when="force_reinit")
    def initialize(
        self,
        init: Any = None,
        device: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Initialize every parameter; its own initializer wins over `init`."""
        default = initializers.create(init if init is not None else initializers.Uniform())
        for parameter in self.distinct():
            parameter.initialize(None, device, default, force_reinit, ctx=ctx)

    def distinct(self) -> Iterator[Parameter]:
        """Return each parameter once, shared ones too."""
        return iter({id(parameter): parameter for parameter in self.values()}.values())

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for parameter in self.distinct():
            parameter.zero_grad()

    @outside_only("sets an attribute of every parameter")
    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of every parameter: `net.collect_params().setattr("grad_req", "null")`."""
        for parameter in self.distinct():
            setattr(parameter, name, value)

    def reset_device(self, device: Any) -> None:
        """Move every parameter to a device, or have an array on each of a list of them."""
        for parameter in self.distinct():
            parameter.reset_device(device)

    reset_ctx = reset_device

    def list_device(self) -> list[Any]:
        """List the devices on which there are parameters, each once."""
        return list(dict.fromkeys(device for parameter in self.values() for device in parameter.list_device()))

    list_ctx = list_device

    def select(self, pattern: str) -> ParameterDict:
        """Return the parameters whose key or name a regular expression matches from the start."""
        by_name = bool(self._paths)
        paths = {
            path: p
            for path, p in self.by_path().items()
            if re.match(pattern, p.name) or (not by_name and re.match(pattern, path))
        }
        return ParameterDict.of(paths, self.prefix, by_name)

    # --------------------------------------------------------------------------------------------------- files

    @outside_only("writes a file")
    def save(self, filename: Any, strip_prefix: str = "") -> None:
        """Write MXNet's `.params`: the names of 1.x, without `strip_prefix`. `save_parameters` of a net writes paths.

        Raises:
            ValueArgumentError E324: a name does not begin so, or two different parameters have the same.
        """
        named = ParameterDict.of(self, by_name=True)
        for name in named:
            if not name.startswith(strip_prefix):
                raise ValueArgumentError(
                    "E324",
                    f"the name {name!r} does not begin with strip_prefix={strip_prefix!r}",
                    help="net.save_parameters(path) writes shared parameters and parts with prefixes of their own",
                )
        mxnet.write_params(filename, {name[len(strip_prefix) :]: one._mean() for name, one in named.items()})

    @outside_only("reads a file")
    def load(
        self,
        filename: Any,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        ctx: Any = None,
    ) -> None:
        """Read MXNet's `.params`, whose names lack `restore_prefix`."""
        device = device if device is not None else ctx
        arrays = {restore_prefix + name: array for name, array in named_arrays(filename).items()}
        self.load_dict(arrays, device, allow_missing, ignore_extra, cast_dtype, dtype_source, source=str(filename))

    @outside_only("sets parameters to arrays of a dict")
    def load_dict(
        self,
        arrays: Mapping[str, Any],
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        source: str = "the dict",
    ) -> None:
        """Copy arrays into the parameters. Nothing is written unless everything is there and fits.

        Args:
            arrays: by path, or by MXNet 1.x's name.
            device: a device, or a list of them, for parameters that have none yet; others must be there.
            allow_missing: leave parameters without an array as they are.
            ignore_extra: leave out arrays without a parameter.
            cast_dtype: convert where dtypes differ.
            dtype_source: `current` converts to the parameter's dtype, `saved` makes it the array's.
            source: what messages call the arrays' origin.

        Raises:
            ContentError E610: a parameter is missing; E611: an array belongs to none; E613: a shape or dtype differs.
            ValueArgumentError E327: an unknown `dtype_source`.
            DeviceError E704: a parameter is on other devices.
        """
        if dtype_source not in ("current", "saved"):
            raise ValueArgumentError("E327", f"dtype_source must be current or saved, got {dtype_source!r}")

        devices = None if device is None else checked_devices(device)
        values = {
            name: array.asnumpy() if hasattr(array, "asnumpy") else numpy.asarray(array)
            for name, array in arrays.items()
        }
        parameters = self.by_path()
        names = names_by_path(parameters, values, self.prefix)
        by_path = {path: parameters[path]._fitted(values[name]) for path, name in names.items()}
        shared = {id(parameters[path]) for path in by_path}
        missing = [path for path, p in parameters.items() if id(p) not in shared and not isinstance(p, Constant)]
        if missing and not allow_missing:
            raise ContentError(
                "E610",
                f"parameter {missing[0]!r} is missing in {source}, which contains {listed(values)}",
                help="pass allow_missing=True to leave such parameters unchanged",
            )
        extra = set(values) - set(names.values())
        if extra and not ignore_extra:
            raise ContentError(
                "E611",
                f"parameter {min(extra)!r} of {source} is not in the net, which has {listed(parameters)}",
                help="pass ignore_extra=True to leave it out",
            )
        for path, array in by_path.items():
            parameters[path]._check(array, path, cast_dtype)
            if devices is not None:
                parameters[path]._expect_on(devices)
        for path, array in by_path.items():
            parameters[path]._load(array, dtype_source=dtype_source)


def _agree(parameter: Parameter, kwargs: dict[str, Any]) -> None:
    """Demand that a parameter asked for again is the one that is there; sizes unknown so far are filled in."""
    if kwargs.get("shape") is not None:
        parameter.shape = kwargs["shape"]
    for word in ("grad_req", "lr_mult", "wd_mult"):
        if kwargs.get(word, getattr(parameter, word)) != getattr(parameter, word):
            raise ValueArgumentError(
                "E324",
                f"parameter {parameter.name!r} has {word}={getattr(parameter, word)!r}, got {kwargs[word]!r}",
                help=f"set {word} of the shared parameter before or after",
            )
    if "dtype" in kwargs and numpy.dtype(parameter.dtype) != numpy.dtype(kwargs["dtype"]):
        raise ValueArgumentError(
            "E324", f"parameter {parameter.name!r} has dtype {parameter.dtype}, got {kwargs['dtype']}"
        )
