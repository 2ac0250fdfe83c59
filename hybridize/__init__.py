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

from hybridize import autograd, errors, gluon, init
from hybridize.array import array_api, np, npx, random
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
    from hybridize import lr_scheduler, metric, nd, optimizer
    from hybridize import ndarray as ndarray  # F, imperatively
    from hybridize import symbol as sym
    from hybridize import symbol as symbol  # F, while capturing
    from hybridize.tools.timing import Benchmark, Timer

__version__ = VERSION
tracebacks.install()
gc.collect(0)  # of the youngest: what importing left is not looked through within the first program's first call

_LATER = {
    "Benchmark": "hybridize.tools.timing:Benchmark",
    "Timer": "hybridize.tools.timing:Timer",
    "lr_scheduler": "hybridize.lr_scheduler",
    "metric": "hybridize.metric",
    "nd": "hybridize.nd",
    "ndarray": "hybridize.ndarray",
    "optimizer": "hybridize.optimizer",
    "sym": "hybridize.symbol",
    "symbol": "hybridize.symbol",
}
"""Loaded when they are asked for: who imports hybridize to run a net has no use for them."""


_TO_COME = ("onnx", "recordio", "image", "profiler", "amp", "model_zoo")
_INSTEAD = {
    "mod": "train with gluon.Trainer", "module": "train with gluon.Trainer", "Module": "train with gluon.Trainer",
    "io": "gluon.data.DataLoader reads batches", "kv": "there is one device, and no key-value store",
    "kvstore": "there is one device, and no key-value store", "viz": "net.summary(x), and program.explain()",
    "visualization": "net.summary(x), and program.explain()", "symbol": "hybridize.sym", "ndarray": "hybridize.nd",
    "context": "cpu() and num_gpus()", "device": "cpu() and num_gpus()", "initializer": "hybridize.init",
    "test_utils": "numpy.testing compares x.asnumpy()", "util": "NumPy's meaning is always on",
}  # fmt: skip
"""Remedies for names that MXNet's users look for at the top."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, _, attribute = _LATER[name].partition(":")
        loaded = load_module(module)
        found = getattr(loaded, attribute) if attribute else loaded
        globals()[name] = found
        return found
    raise missing(__name__, name, __all__, _TO_COME, _INSTEAD)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Benchmark", "Program", "Timer", "array_api", "autograd", "checkpoint", "cpu", "disabled", "errors", "gluon",
    "gpu", "grad", "hybridize", "init", "load", "lr_scheduler", "metric", "nd", "np", "npx", "num_gpus", "optimizer",
    "random", "set_num_threads", "sym", "value_and_grad",
]  # fmt: skip
