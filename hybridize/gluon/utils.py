# SPDX-License-Identifier: Apache-2.0
"""`gluon.utils`, as MXNet calls it: batches cut for several devices, gradients cut to one length, files fetched."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hybridize.array import np
from hybridize.array.device import as_device
from hybridize.array.ndarray import ndarray
from hybridize.array.placing import moved
from hybridize.array.symbol import Symbol
from hybridize.base.advice import warn
from hybridize.base.errors import ValueArgumentError
from hybridize.base.names import late
from hybridize.base.tracebacks import leaves
from hybridize.formats.downloads import check_sha1 as check_sha1
from hybridize.formats.downloads import download as download
from hybridize.ops.library.rnn import RecurrentStack
from hybridize.ops.op import capturing


@leaves
def split_data(data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[Any]:
    """Cut a batch into `num_slice` parts, which are views of it.

    Args:
        data: an array.
        num_slice: how many parts.
        batch_axis: the axis to cut.
        even_split: refuse a batch that parts of one size do not make up; else the first parts are one longer.

    Raises:
        ValueArgumentError E361: it cannot be cut so.

    >>> from hybridize import np
    >>> from hybridize.gluon import utils
    >>> [part.tolist() for part in utils.split_data(np.arange(4), 2)]
    [[0.0, 1.0], [2.0, 3.0]]
    """
    if not -data.ndim <= batch_axis < data.ndim:
        raise ValueArgumentError("E361", f"there is no axis {batch_axis} to cut in an array of shape {data.shape}")
    size = data.shape[batch_axis]
    if not isinstance(num_slice, int) or num_slice < 1 or size < num_slice:
        what = f"{size} examples cannot be cut into {num_slice!r} parts"
        raise ValueArgumentError("E361", what, help="there must be at least one part, and one example in each part")
    each, more = divmod(size, num_slice)
    if more and even_split:
        raise ValueArgumentError(
            "E361",
            f"{size} examples cannot be split evenly into {num_slice} parts along axis {batch_axis}",
            help=f"use a batch size that is a multiple of {num_slice}, or even_split=False",
        )
    before = (slice(None),) * (batch_axis % data.ndim)
    starts = [part * each + min(part, more) for part in range(num_slice + 1)]
    return [data[(*before, slice(a, b))] for a, b in itertools.pairwise(starts)]


def split_and_load(
    data: Any,
    ctx_list: Sequence[Any] | None = None,
    batch_axis: int = 0,
    even_split: bool = True,
    *,
    device_list: Sequence[Any] | None = None,
) -> list[Any]:
    """Cut a batch into a part for each device, and copy it there. A part that is there already is a view.

    Args:
        data: an array, or what can be made into one.
        ctx_list: the devices.
        batch_axis: the axis to cut.
        even_split: see `split_data`.
        device_list: MXNet 2's name of `ctx_list`.

    Raises:
        ValueArgumentError E361: the batch cannot be cut so.
        DeviceError E701: a device that is not there.

    >>> from hybridize import np
    >>> from hybridize.gluon import utils
    >>> import hybridize
    >>> [part.shape for part in utils.split_and_load(np.ones((4, 3)), [hybridize.cpu(0), hybridize.cpu(1)])]
    [(2, 3), (2, 3)]
    """
    devices = list(map(as_device, ctx_list if ctx_list is not None else device_list if device_list is not None else ()))
    parts = split_data(
        data if isinstance(data, (ndarray, Symbol)) else np.asarray(data), len(devices), batch_axis, even_split
    )
    return [moved(part, device) for part, device in zip(parts, devices, strict=True)]


def clip_global_norm(arrays: Iterable[Any], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scale arrays in place by one factor, so that their common norm is at most `max_norm`.

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks" (2013).

    Args:
        arrays: gradients, on whatever devices: `[g for p in params if p.grad_req != "null" for g in p.list_grad()]`.
        max_norm: the greatest length.
        check_isfinite: return a number, and warn of NaN and infinity; else an array without axes.

    Returns:
        How long they were.

    Raises:
        ValueArgumentError E362: there are no arrays, or one without a list, or `max_norm` is not positive.

    >>> from hybridize import np
    >>> from hybridize.gluon import utils
    >>> gradients = [np.array([3.0]), np.array([4.0])]
    >>> utils.clip_global_norm(gradients, 1.0)
    5.0
    >>> [gradient.round(2) for gradient in gradients]
    [array([0.6]), array([0.8])]
    """
    if hasattr(arrays, "shape"):
        raise ValueArgumentError("E362", "clip_global_norm takes a list of arrays, got one", help="pass [array]")
    arrays = list(arrays)
    if not arrays or not max_norm > 0:
        what = f"{len(arrays)} arrays cannot be cut to the length {max_norm!r}"
        raise ValueArgumentError("E362", what, help="pass gradients and a positive max_norm")
    squares = [np.sum(np.square(array.astype("float32") if array.dtype.itemsize < 4 else array)) for array in arrays]
    squares = [moved(one, squares[0].device) for one in squares]
    total = np.sqrt(sum(squares[1:], squares[0]))
    scale = np.minimum(max_norm / (total + 1e-8), 1.0)
    for array in arrays:
        array *= moved(scale.astype(array.dtype), array.device)
    if not check_isfinite or capturing():
        return total
    length = float(total)
    if not math.isfinite(length):
        warn("clip_global_norm: NaN or infinity among the gradients; they are of no use")
    return length


def split_rnn_params(
    param: Any,
    mode: str,
    num_layers: int,
    input_size: int,
    hidden_size: int,
    bidirectional: bool = False,
    projection_size: int | None = None,
) -> dict[str, Any]:
    """Cut the packed parameters of a recurrent layer into the matrices and vectors of its cells.

    Args:
        param: [n], all weights and then all biases, as `npx.rnn` takes them.
        mode: `rnn_relu`, `rnn_tanh`, `lstm` or `gru`.
        num_layers: the number of layers.
        input_size: the number of features of the first one's input.
        hidden_size: the number of features of a state.
        bidirectional: each layer runs both ways.
        projection_size: the number of features that a state is projected to.

    Returns:
        Views of `param` by MXNet's names: `l0_i2h_weight` [gates * hidden_size, features], `r0_h2h_bias`, ...

    >>> from hybridize import np
    >>> from hybridize.gluon import utils
    >>> parts = utils.split_rnn_params(np.zeros(4 * 2 * (3 + 2 + 2)), "lstm", 1, 3, 2)
    >>> {name: part.shape for name, part in parts.items()}
    {'l0_i2h_weight': (8, 3), 'l0_h2h_weight': (8, 2), 'l0_i2h_bias': (8,), 'l0_h2h_bias': (8,)}
    """
    stack = RecurrentStack(mode, hidden_size, num_layers, bidirectional, projection_size or None)
    return {name: param[place].reshape(shape) for name, place, shape in stack.places(input_size)}


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
