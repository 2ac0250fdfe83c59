# SPDX-License-Identifier: Apache-2.0
"""MXNet's `monitor`: a statistic of each value in a net, and of its parameters, at every so many batches.

watched = monitor.Monitor(100, pattern=".*weight|.*output")
watched.install(net)            # a block, or an executor of an expression
for x, y in batches:
watched.tic()
...                         # forward, backward, step
watched.toc_print()
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.base import modes
from hybridize.base.errors import ArgumentError
from hybridize.base.names import refuses
from hybridize.base.nested import flatten
from hybridize.base.participation import ReadPolicy, outside_only
from hybridize.base.settings import whole
from hybridize.gluon.block import Block
from hybridize.gluon.hooks import HookHandle
from hybridize.symbol.executor import Executor


class Monitor:
    """Collect a statistic of values between `tic` and `toc`.

    A block that is hybridized runs as Python in between, where each of its layers can be seen.

    Args:
        interval: collect at every so many batches.
        stat_func: makes an array, or a list of them, of an array; None: the root of the mean of the squares.
        pattern: a regular expression for the names of what is collected.
        sort: order the results by name.
        monitor_all: of executors, also what each operation reads.

    Raises:
        ValueArgumentError E353: `interval` is no positive integer.

    >>> from hybridize import monitor, np
    >>> from hybridize.gluon import nn
    >>> net = nn.HybridSequential()
    >>> net.add(nn.Dense(2, in_units=2))
    >>> net.initialize("ones")
    >>> watch = monitor.Monitor(interval=1, stat_func=lambda x: x.max(), pattern=".*output")
    >>> watch.install(net)
    >>> watch.tic()
    >>> y = net(np.ones((1, 2)))
    >>> len(watch.toc()) > 0
    True
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE
    interval: int
    stat_func: Callable[[Any], Any]
    activated: bool
    """True between a `tic` that collects and the next `toc`."""
    step: int
    """The number of calls of `tic`."""
    queue: list[tuple[int, str, Any]]
    """The statistics collected: the number of the batch, the name, the value."""
    exes: list[Executor]
    blocks: list[Block]
    re_prog: re.Pattern[str]
    sort: bool
    monitor_all: bool

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[Any], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval = whole("interval", interval, 1)
        self.stat_func = _size if stat_func is None else stat_func
        self.activated = False
        self.step = 0
        self.queue = []
        self.exes = []
        self.blocks = []
        self.re_prog = re.compile(pattern)
        self.sort, self.monitor_all = sort, monitor_all
        self._handles: list[HookHandle] = []
        self._python: modes.Mode | None = None

    def install(self, exe: Any, monitor_all: bool | None = None) -> None:
        """Collect from an executor, or from a block and all blocks below it, from the next `tic` on.

        Raises:
            ArgumentError E3009: it is neither.
        """
        if isinstance(exe, Executor):
            exe.set_monitor_callback(self.stat_helper, self.monitor_all if monitor_all is None else monitor_all)
            self.exes.append(exe)
        elif isinstance(exe, Block):
            self.blocks.append(exe)
        else:
            what = f"a monitor is installed in a block or an executor, got {type(exe).__name__}"
            raise ArgumentError("E3009", what, help="sym.bind(...) creates an executor from an expression")

    def stat_helper(self, name: str, array: Any) -> None:
        """Take down the statistic of a value, if it is collected."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    @outside_only("collects what runs")
    def tic(self) -> None:
        """Begin a batch: collect, where it is its turn."""
        if self.step % self.interval == 0:
            self._leave()
            self.queue = []
            self.activated = True
            if self.blocks:
                self._python = modes.Mode(disabled=True)
                self._python.__enter__()
                self._handles = [
                    block.register_forward_hook(self._hook(f"{path[:-1]}_output" if path else "output"))
                    for root in self.blocks
                    for path, block in root._walk("")
                ]
        self.step += 1

    def _hook(self, name: str) -> Callable[..., None]:
        def hook(block: Any, inputs: Any, outputs: Any) -> None:
            arrays = [one for one in flatten(outputs)[0] if isinstance(one, ndarray)]
            for number, array in enumerate(arrays):
                self.stat_helper(name if len(arrays) == 1 else f"{name}{number}", array)

        return hook

    def _leave(self) -> None:
        """Let blocks run as they did before `tic`."""
        for handle in self._handles:
            handle.detach()
        self._handles = []
        if self._python is not None:
            self._python.__exit__()
            self._python = None

    @outside_only("collects what has run")
    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch.

        Returns:
            The number of the batch, the name, and the statistic as text, of each value and parameter; empty where it
            was not its turn.
        """
        if not self.activated:
            return []
        self._leave()
        for exe in self.exes:
            for name, array in [*exe.arg_dict.items(), *exe.aux_dict.items()]:
                self.stat_helper(name, array)
        for block in self.blocks:
            for name, parameter in block.collect_params().items():
                if not parameter.deferred:
                    self.stat_helper(name, parameter.data())
        self.activated = False
        entries = sorted(self.queue, key=lambda one: one[1]) if self.sort else self.queue
        self.queue = []
        return [(step, name, _text(value)) for step, name, value in entries]

    def toc_print(self) -> None:
        """End a batch, and log what `toc` gives, at the level INFO."""
        for step, name, value in self.toc():
            logging.info("Batch: %7d %30s %s", step, name, value)


def _size(x: Any) -> Any:
    return np.sqrt(np.mean(np.square(x.astype("float32"))))


def _text(value: Any) -> str:
    values = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(one, ndarray) for one in values):
        what = f"stat_func gives an array or a list of them, got {value!r:.80}"
        raise ArgumentError("E3009", what, help="np.mean(x) is such an array")
    return "".join(f"{one.item() if one.size == 1 else one.asnumpy()}\t" for one in values)


__getattr__: Callable[[str], Any] = refuses(__name__, globals())
