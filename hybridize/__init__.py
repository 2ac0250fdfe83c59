# SPDX-License-Identifier: Apache-2.0
"""hybridize: write imperative Python, run it as one compiled program.

    from hybridize import hybridize, np
    from hybridize.gluon import nn

    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()          # from now on: machine code, the same result
    net(np.ones((1, 512)))

This module only re-exports; DESIGN of the parts stands in the docstring of each package.
"""

import gc
from typing import TYPE_CHECKING, Any

from hybridize import autograd, errors, gluon, init, random
from hybridize import sparse as sparse  # fills in `npx.save`, `npx.load` and `tostype`; loads nothing else
from hybridize.array import array_api, np, npx
from hybridize.array.device import cpu, gpu, num_gpus
from hybridize.autograd import checkpoint, value_and_grad
from hybridize.autograd import grad_of as grad
from hybridize.base import tracebacks
from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.base.version import VERSION
from hybridize.programs import Program
from hybridize.runtime.pool import set_num_threads
from hybridize.verb import disabled, hybridize, load

if TYPE_CHECKING:
    from hybridize import init as initializer  # noqa: F401 - of these and others, what a type checker cannot find
    from hybridize import lr_scheduler, metric, nd, optimizer
    from hybridize import ndarray as ndarray  # F, imperatively
    from hybridize import symbol as sym
    from hybridize import symbol as symbol  # F, while capturing
    from hybridize.array import np as numpy  # noqa: F401
    from hybridize.array import npx as numpy_extension  # noqa: F401
    from hybridize.array.device import Context as Context
    from hybridize.array.device import Device as Device
    from hybridize.array.device import cpu_pinned as cpu_pinned
    from hybridize.array.device import current_device as current_context  # noqa: F401
    from hybridize.array.device import current_device as current_device
    from hybridize.array.npx import waitall as waitall
    from hybridize.base.library import MXNetError as MXNetError
    from hybridize.tools.timing import Benchmark, Timer

__version__ = VERSION
tracebacks.install()
gc.collect(0)  # of the youngest: what importing left is not looked through within the first program's first call

_LATER = {
    "Benchmark": "hybridize.tools.timing:Benchmark",
    "AttrScope": "hybridize.symbol.scopes:AttrScope",
    "Context": "hybridize.array.device:Context",
    "Device": "hybridize.array.device:Device",
    "MXNetError": "hybridize.base.library:MXNetError",
    "Timer": "hybridize.tools.timing:Timer",
    "amp": "hybridize.amp",
    "attribute": "hybridize.attribute",
    "callback": "hybridize.callback",
    "context": "hybridize.context",
    "contrib": "hybridize.contrib",
    "cpu_pinned": "hybridize.array.device:cpu_pinned",
    "current_context": "hybridize.array.device:current_device",
    "current_device": "hybridize.array.device:current_device",
    "d2l": "hybridize.d2l",
    "device": "hybridize.device",
    "engine": "hybridize.engine",
    "image": "hybridize.image",
    "img": "hybridize.image",
    "initializer": "hybridize.init",
    "io": "hybridize.io",
    "kv": "hybridize.kvstore",
    "kvstore": "hybridize.kvstore",
    "lr_scheduler": "hybridize.lr_scheduler",
    "metric": "hybridize.metric",
    "model": "hybridize.model",
    "mon": "hybridize.monitor",
    "monitor": "hybridize.monitor",
    "name": "hybridize.name",
    "nd": "hybridize.nd",
    "ndarray": "hybridize.ndarray",
    "numpy": "hybridize.array.np",
    "numpy_extension": "hybridize.array.npx",
    "onnx": "hybridize.onnx",
    "operator": "hybridize.operator",
    "optimizer": "hybridize.optimizer",
    "recordio": "hybridize.recordio",
    "profiler": "hybridize.profiler",
    "rnd": "hybridize.random",
    "runtime": "hybridize.runtime",
    "sym": "hybridize.symbol",
    "symbol": "hybridize.symbol",
    "test_utils": "hybridize.test_utils",
    "util": "hybridize.util",
    "visualization": "hybridize.visualization",
    "viz": "hybridize.visualization",
    "waitall": "hybridize.array.npx:waitall",
    **{
        name: f"hybridize.util:{name}"
        for name in (
            "is_np_array", "is_np_default_dtype", "is_np_shape", "np_array", "np_default_dtype", "np_shape",
            "set_np_shape", "use_np", "use_np_array", "use_np_default_dtype", "use_np_shape",
        )
    },
}  # fmt: skip
"""Loaded when they are asked for: who imports hybridize to run a net has no use for them."""


_INSTEAD = {
    "mod": "train with gluon.Trainer", "module": "train with gluon.Trainer", "Module": "train with gluon.Trainer",
    "error": "hybridize.errors", "model_zoo": "hybridize.gluon.model_zoo", "rnn": "hybridize.gluon.rnn",
    "rtc": "hybridize compiles for the CPU", "library": "hybridize.autograd.Function makes operations of one's own",
    "executor": "sym.compile(), or hybridize(function)", "log": "Python's logging",
    "np_symbol": "hybridize.sym.np",
}  # fmt: skip
"""Remedies for names that MXNet's users look for at the top."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, _, attribute = _LATER[name].partition(":")
        loaded = load_module(module)
        found = getattr(loaded, attribute) if attribute else loaded
        globals()[name] = found
        return found
    raise missing(__name__, name, {*__all__, *_LATER}, _INSTEAD)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LATER})


__all__ = [
    "Benchmark", "Program", "Timer", "array_api", "autograd", "checkpoint", "cpu", "disabled", "errors", "gluon",
    "gpu", "grad", "hybridize", "init", "load", "lr_scheduler", "metric", "nd", "np", "npx", "num_gpus", "optimizer",
    "random", "set_num_threads", "sym", "value_and_grad",
]  # fmt: skip
