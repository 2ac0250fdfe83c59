# SPDX-License-Identifier: Apache-2.0
"""MXNet's `model`: an expression and its parameters as two files of one prefix, as each epoch leaves them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from hybridize.base.errors import ArgumentError, LoadError
from hybridize.base.names import refuses
from hybridize.base.participation import outside_only
from hybridize.sparse.files import load as load_arrays
from hybridize.sparse.files import save as save_arrays
from hybridize.symbol import stored
from hybridize.symbol.expression import Expression

Parameters = dict[str, Any]


@outside_only("writes files")
def save_checkpoint(
    prefix: str | os.PathLike[str],
    epoch: int,
    symbol: Any,
    arg_params: Mapping[str, Any],
    aux_params: Mapping[str, Any],
    remove_amp_cast: bool = True,
) -> None:
    """Write `PREFIX-symbol.json` and `PREFIX-0001.params`, which MXNet and `gluon.SymbolBlock.imports` read.

    Args:
        prefix: how the names of the files begin.
        epoch: the number in the name of the parameters.
        symbol: the expression; None writes parameters alone.
        arg_params: arrays of its arguments, by name.
        aux_params: arrays of its auxiliary states, by name.
        remove_amp_cast: accepted: there are no such casts here.

    Raises:
        WriteError E335: a file cannot be written there.
        CaptureError E467: a part of the expression has no counterpart in MXNet.
        ArgumentError E3009: `symbol` is no expression.

    >>> from hybridize import model, np, sym
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefix = os.path.join(folder, "net")
    ...     model.save_checkpoint(prefix, 1, sym.Variable("x") * sym.Variable("w"), {"w": np.ones(2)}, {})
    ...     expression, arguments, _ = model.load_checkpoint(prefix, 1)
    >>> expression.list_arguments(), arguments["w"].shape
    (['x', 'w'], (2,))
    """
    if symbol is not None:
        if not isinstance(symbol, Expression):
            what = f"an expression is written, got {type(symbol).__name__}"
            raise ArgumentError("E3009", what, help="net.export(prefix, epoch) writes a block")
        stored.save(symbol, f"{os.fspath(prefix)}-symbol.json")
    arrays = {f"arg:{name}": array for name, array in arg_params.items()}
    arrays |= {f"aux:{name}": array for name, array in aux_params.items()}
    save_arrays(f"{os.fspath(prefix)}-{epoch:04d}.params", arrays)


@outside_only("reads a file")
def load_params(prefix: str | os.PathLike[str], epoch: int) -> tuple[Parameters, Parameters]:
    """Read the parameters of an epoch.

    Args:
        prefix: path of the file, without `-0001.params`.
        epoch: the number of the epoch.

    Returns:
        Arrays of the arguments, and of the auxiliary states, by name.

    Raises:
        LoadError E600, E601: the file cannot be opened, or is malformed.
        LoadError E669: an array is neither of the two.

    >>> from hybridize import model, np
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefix = os.path.join(folder, "net")
    ...     model.save_checkpoint(prefix, 1, None, {"w": np.ones(2)}, {})
    ...     arguments, states = model.load_params(prefix, 1)
    >>> list(arguments), states
    (['w'], {})
    """
    path = f"{os.fspath(prefix)}-{epoch:04d}.params"
    arrays = load_arrays(path)
    groups: dict[str, Parameters] = {"arg": {}, "aux": {}}
    for name, array in arrays.items() if isinstance(arrays, dict) else ():
        kind, _, rest = name.partition(":")
        if kind not in groups or not rest:
            what = f"{path}: {name!r} is the parameter neither of an argument (arg:) nor of a state (aux:)"
            raise LoadError("E669", what, help="nd.load reads any arrays by name")
        groups[kind][rest] = array
    return groups["arg"], groups["aux"]


def load_checkpoint(prefix: str | os.PathLike[str], epoch: int) -> tuple[Expression, Parameters, Parameters]:
    """Read what `save_checkpoint`, `net.export`, or MXNet wrote.

    Args:
        prefix: path of the files, without `-symbol.json`.
        epoch: the number of the epoch.

    Returns:
        The expression, and arrays of its arguments and of its auxiliary states, by name.

    Raises:
        LoadError E600, E601: a file cannot be opened, or is malformed; E669: an array is of neither kind.

    >>> from hybridize import model, np, sym
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefix = os.path.join(folder, "net")
    ...     model.save_checkpoint(prefix, 1, sym.Variable("x") * sym.Variable("w"), {"w": np.ones(2)}, {})
    ...     expression, arguments, _ = model.load_checkpoint(prefix, 1)
    >>> expression.list_arguments(), arguments["w"].shape
    (['x', 'w'], (2,))
    """
    symbol = stored.load(f"{os.fspath(prefix)}-symbol.json")
    return symbol, *load_params(prefix, epoch)


__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "FeedForward": "gluon.SymbolBlock(outputs, inputs), and gluon.Trainer",
    "BatchEndParam": "hybridize.callback.BatchEndParam",
})  # fmt: skip
