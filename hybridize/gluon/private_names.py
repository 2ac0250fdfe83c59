# SPDX-License-Identifier: Apache-2.0
"""Private names of MXNet's Gluon that three libraries or more use, by the paths that `hybridize.paths` lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

from hybridize import symbol
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ValueArgumentError

tensor_types: tuple[Any, ...] = (symbol.Symbol, ndarray)


def flattened(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """Return the arrays of nested lists, and how they are nested: 0 an array, -1 None, n a symbol of n results.

    Args:
        args: an array, a symbol, None, or a list or tuple of such.
        inout_str: what they are, for the error.

    Raises:
        ValueArgumentError E345: there is something else among them.
    """
    if isinstance(args, symbol.Expression):
        count = args.outputs
        return [args], count if count > 1 else 0
    if args is None or isinstance(args, tensor_types):
        return [args], 0 if args is not None else -1
    if not isinstance(args, (list, tuple)):
        what = f"the {inout_str} of a block must be arrays or symbols in lists, got {type(args).__name__}"
        raise ValueArgumentError("E345", what)
    parts = [flattened(one, inout_str) for one in args]
    return [leaf for leaves, _ in parts for leaf in leaves], [form for _, form in parts]


def regrouped(args: Sequence[Any], fmt: Any) -> Any:
    """Return arrays nested as `flattened` has found them.

    Args:
        args: the arrays; those beyond the form are left out.
        fmt: the form.

    Raises:
        ValueArgumentError E345: there are too few, or an array stands where None stood.
    """
    return _regrouped(list(args), fmt)[0]


def _regrouped(args: list[Any], form: Any) -> tuple[Any, list[Any]]:
    if isinstance(form, (list, tuple)):
        parts = []
        for one in form:
            part, args = _regrouped(args, one)
            parts.append(part)
        return parts, args
    count = form if form > 0 else 1
    if len(args) < count:
        raise ValueArgumentError("E345", f"{count} arrays are to be nested, got {len(args)}")
    if form == -1 and args[0] is not None:
        raise ValueArgumentError("E345", f"an array stands where there was None, got {type(args[0]).__name__}")
    return args[:count] if form > 0 else args[0], args[count:]


def in_context(data: Any, ctx: Any) -> Any:
    """Return the arrays of nested lists on a device; what is no array stays as it is."""
    if isinstance(data, ndarray):
        return data.as_in_context(ctx)
    return [in_context(one, ctx) for one in data] if isinstance(data, (list, tuple)) else data


def repository() -> str:
    """Return the address of MXNet's models and data sets, which MXNET_GLUON_REPO may name; nothing is fetched."""
    url = os.environ.get("MXNET_GLUON_REPO", "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/")
    return url if url.endswith("/") else f"{url}/"


def repository_file(namespace: str, filename: str) -> str:
    """Return the address of a file there."""
    return f"{repository()}{namespace}/{filename}"


class PooledBatches:
    """Batches that a pool of workers makes ahead, in order, for libraries that derive loaders of their own from it.

    Args:
        worker_pool: a pool of `multiprocessing`.
        batchify_fn: makes a batch of a list of samples.
        batch_sampler: numbers of the samples of each batch.
        pin_memory: accepted for MXNet.
        pin_device_id: accepted for MXNet.
        worker_fn: called by a worker with the numbers, `batchify_fn` and the data set.
        prefetch: batches that are asked for at once.
        dataset: the data set; None: workers have it, and give pickles of batches.
        data_loader: kept alive.
        timeout: seconds to wait for a batch.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[..., Any],
        batch_sampler: Iterable[Any],
        pin_memory: bool = False,
        pin_device_id: int = 0,
        *,
        worker_fn: Callable[..., Any],
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        self._worker_pool, self._worker_fn, self._batchify_fn = worker_pool, worker_fn, batchify_fn
        self._batch_sampler, self._iter = batch_sampler, iter(batch_sampler)
        self._dataset, self._data_loader, self._timeout = dataset, data_loader, timeout
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._data_buffer: dict[int, Any] = {}
        self._sent_idx = self._rcvd_idx = 0
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)  # type: ignore[arg-type]

    def _push_next(self) -> None:
        """Ask a worker for one more batch, where there is one."""
        numbers = next(self._iter, None)
        if numbers is not None:
            operands = (numbers, self._batchify_fn, self._dataset)
            self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, operands)
            self._sent_idx += 1

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        try:
            batch = self._data_buffer.pop(self._rcvd_idx).get(self._timeout)
        except Exception:
            self._worker_pool.terminate()
            raise
        self._rcvd_idx += 1
        return ForkingPickler.loads(batch) if self._dataset is None else batch

    next = __next__
