# SPDX-License-Identifier: Apache-2.0
"""MXNet's `contrib`: what it kept to be tried, under the names by which programs import it.

`amp` and `onnx` are the modules at the top, `nd`, `ndarray`, `sym` and `symbol` what those have under `contrib`, and
`io` is here: batches of a `DataLoader` as an iterator of `io`. It only leads to what lies elsewhere.
"""

from typing import Any, Final

from hybridize.base.loading import load_module
from hybridize.base.missing import missing

_WHERE: Final = {
    "amp": "hybridize.amp",
    "io": "hybridize.contrib.io",
    "nd": "hybridize.nd:contrib",
    "ndarray": "hybridize.nd:contrib",
    "onnx": "hybridize.onnx",
    "sym": "hybridize.symbol:contrib",
    "symbol": "hybridize.symbol:contrib",
}
_INSTEAD: Final = {
    "autograd": "hybridize.autograd",
    "quantization": "hybridize has no int8 inference; net.cast('bfloat16') halves the weights",
    "svrg_optimization": "gluon.Trainer and hybridize.optimizer",
    "tensorboard": "callbacks of the estimator hand metrics to any logger",
    "tensorrt": "net.hybridize(): hybridize compiles for the CPU",
    "text": "d2l.Vocab counts and numbers words",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        module, _, attribute = _WHERE[name].partition(":")
        loaded = load_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    raise missing(__name__, name, _WHERE, _INSTEAD)


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
