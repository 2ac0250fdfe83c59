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
import sys

from hybridize import base as base  # first: it looks whether the Python and the packages are here that the rest needs

# isort: split
from hybridize import autograd as autograd  # gives arrays `backward` and `attach_grad`; loads nothing else
from hybridize import sparse as sparse  # gives arrays `tostype`, and `npx` its `save` and `load`; loads nothing else
from hybridize.base import tracebacks
from hybridize.base.names import Paths, late, places
from hybridize.base.version import VERSION

__version__ = VERSION
PATHS = Paths("hybridize", "hybridize.paths")
"""The finder of MXNet's paths, which stand in the table of `hybridize.paths`."""
sys.meta_path.append(PATHS)  # type: ignore[arg-type]
tracebacks.install()
gc.collect(0)  # of the youngest: what importing left is not looked through within the first program's first call

PLACES = places(
    "hybridize",
    {
        "array": "array_api np npx numpy=np numpy_extension=npx",
        "array.device": (
            "Context Device cpu cpu_pinned current_context=current_device current_device gpu num_gpus"
        ),
        "array.npx": "waitall",
        "autograd": "checkpoint grad=grad_of value_and_grad",
        "base.library": "MXNetError",
        "programs": "Program",
        "runtime.pool": "set_num_threads",
        "symbol.scopes": "AttrScope",
        "tools.timing": "Benchmark Timer",
        "util": (
            "is_np_array is_np_default_dtype is_np_shape np_array np_default_dtype np_shape set_np_shape use_np "
            "use_np_array use_np_default_dtype use_np_shape"
        ),
        "verb": "disabled hybridize load",
    },
) | {
    "img": "hybridize.image",
    "initializer": "hybridize.init",
    "kv": "hybridize.kvstore",
    "mon": "hybridize.monitor",
    "nd": "hybridize.ndarray",
    "rnd": "hybridize.random",
    "sym": "hybridize.symbol",
    "viz": "hybridize.visualization",
    **{
        name: f"hybridize.{name}"
        for name in (
            "amp", "attribute", "callback", "context", "contrib", "d2l", "device", "engine", "errors", "gluon",
            "image", "init", "io", "kvstore", "libinfo", "lr_scheduler", "metric", "model", "monitor", "mxnet",
            "name", "ndarray", "onnx", "operator", "optimizer", "profiler", "random", "recordio", "registry", "runtime",
            "symbol", "test_utils", "tflite", "util", "visualization",
        )
    },
}  # fmt: skip
"""Places of the names: who imports hybridize to run a net has no use for most of them."""

_INSTEAD = {
    "mod": "train with gluon.Trainer", "module": "train with gluon.Trainer", "Module": "train with gluon.Trainer",
    "error": "hybridize.errors", "model_zoo": "hybridize.gluon.model_zoo", "rnn": "hybridize.gluon.rnn",
    "rtc": "@hybridize compiles array code", "library": "hybridize.autograd.Function makes operations of one's own",
    "log": "Python's logging",
    "np_symbol": "hybridize.sym.np",
}  # fmt: skip
"""Remedies for names that MXNet's users look for at the top."""

__getattr__, __dir__ = late(globals(), PLACES, _INSTEAD)

__all__ = [
    "Benchmark", "Program", "Timer", "array_api", "autograd", "checkpoint", "cpu", "disabled", "errors", "gluon",
    "gpu", "grad", "hybridize", "init", "load", "lr_scheduler", "metric", "nd", "np", "npx", "num_gpus", "optimizer",
    "random", "set_num_threads", "sym", "value_and_grad",
]  # fmt: skip
