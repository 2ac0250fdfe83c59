# SPDX-License-Identifier: Apache-2.0
"""A graph that is read when somebody looks inside: what only runs a program from a file needs its inputs alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from hybridize.base.dims import SizeScope
from hybridize.base.forks import renewed
from hybridize.graph.ir import Graph, Value

_READ = ("nodes", "outputs", "constants")


class Deferred(Graph):
    """A graph of which only the inputs are known. Asked for anything else it is read, and from then on a `Graph`.

    Reading may fail, as a file may be damaged; it is tried again whenever somebody asks.
    """

    def __init__(self, inputs: tuple[Value, ...], read: Callable[[], Graph], scope: SizeScope | None = None) -> None:
        """`read` gives the whole graph, of these very inputs; `scope` is what is assumed of their sizes."""
        self.__dict__["inputs"] = inputs
        self.__dict__["scope"] = scope
        self.__dict__["_read"] = read
        self.__dict__["_lock"] = renewed(threading.RLock())

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there yet.
        if name not in _READ:
            raise AttributeError(f"a graph has no {name!r}", name=name, obj=self)
        with self.__dict__["_lock"]:
            if type(self) is Deferred:
                whole = self.__dict__["_read"]()
                self.__dict__.update({field: getattr(whole, field) for field in _READ})
                object.__setattr__(self, "__class__", Graph)
        return self.__dict__[name]
