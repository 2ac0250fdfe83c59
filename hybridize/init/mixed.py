# SPDX-License-Identifier: Apache-2.0
"""Initializers that choose by the parameter's name: one of several initializers, or values from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.loading import load_module
from hybridize.init.base import Initializer, create, register


@register
class Mixed(Initializer):
    """Use, for each parameter, the first initializer whose pattern matches its name.

    Args:
        patterns: regular expressions, matched from the start of the name.
        initializers: as many initializers.

    >>> from hybridize import init, np
    >>> w = np.zeros(2)
    >>> init.Mixed([".*bias", ".*"], [init.Zero(), init.One()])("fc_weight", w)
    >>> w
    array([1., 1.])
    """

    map: list[tuple[re.Pattern[str], Initializer]]

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        super().__init__(patterns=list(patterns), initializers=list(initializers))
        if len(patterns) != len(initializers):
            raise ArgumentError("E313", f"Mixed has {len(patterns)} patterns, but {len(initializers)} initializers")
        self.map = [(re.compile(p), create(i)) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, desc: str, arr: ndarray) -> None:
        """Fill `arr` by the first initializer whose pattern matches."""
        for pattern, initializer in self.map:
            if pattern.match(desc):
                initializer(desc, arr)
                return
        raise ArgumentError("E313", f"no pattern of Mixed matches {str(desc)!r}", help='add ".*" as the last pattern')


@register
class Load(Initializer):
    """Copy arrays with the parameters' names from a `.params` file or a dict.

    Args:
        param: the path of a file, or arrays by name; `arg:` and `aux:` before names are left out.
        default_init: fills parameters that are not there.
        verbose: log what came from where, at the level INFO.

    Raises:
        ArgumentError E313: the arrays have no names.

    >>> from hybridize import init, np
    >>> w = np.zeros(2)
    >>> init.Load({"fc_weight": np.array([1.0, 2.0])})("fc_weight", w)
    >>> w
    array([1., 2.])
    """

    param: dict[str, Any]
    default_init: Initializer | None

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False) -> None:
        super().__init__(param=param, default_init=default_init, verbose=verbose)
        if not isinstance(param, Mapping):
            param = load_module("hybridize.formats.mxnet").read_params(param)  # late: with the first file
        if not isinstance(param, Mapping):
            raise ArgumentError("E313", "Load needs arrays with names", help="save a dict of arrays")
        self.param = {name[4:] if name[:4] in ("arg:", "aux:") else name: array for name, array in param.items()}
        self.default_init = None if default_init is None else create(default_init)
        self.verbose = verbose
        self.set_verbosity(verbose)

    def __call__(self, desc: str, arr: ndarray) -> None:
        """Fill `arr` with the array called `desc`."""
        array = self.param.get(desc)
        if array is None:
            if self.default_init is None:
                raise ArgumentError(
                    "E313",
                    f"Load has no array for the parameter {str(desc)!r}, and no default_init",
                    help=f"it has {', '.join(list(self.param)[:5]) or 'none'}",
                )
            self.default_init(desc, arr)
            self._tell(desc, "default", arr)
            return
        if tuple(array.shape) != arr.shape:
            raise ShapeError("E121", f"parameter {str(desc)!r} is {arr.type}, but Load holds shape {list(array.shape)}")
        arr[...] = array
        self._tell(desc, "loaded", arr)

    def dumps(self) -> str:
        """Not possible: arrays do not go into a line of text."""
        raise ArgumentError("E313", "Load holds arrays, so it cannot be written as a string")
