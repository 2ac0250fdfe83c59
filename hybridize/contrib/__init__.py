# SPDX-License-Identifier: Apache-2.0
"""MXNet's `contrib`: what it kept to be tried, under the names by which programs import it.

`amp` and `onnx` are the modules at the top, `nd`, `ndarray`, `sym` and `symbol` what those have under `contrib`. Here
are `io`, batches of a `DataLoader` as an iterator, and `text`, numbers and vectors of tokens.
"""

from typing import Final

from hybridize.base.names import late

PLACES = {
    "amp": "hybridize.amp",
    "io": "hybridize.contrib.io",
    "nd": "hybridize.ndarray:contrib",
    "ndarray": "hybridize.ndarray:contrib",
    "onnx": "hybridize.onnx",
    "sym": "hybridize.symbol:contrib",
    "symbol": "hybridize.symbol:contrib",
    "text": "hybridize.contrib.text",
}
_INSTEAD: Final = {
    "autograd": "hybridize.autograd",
    "quantization": "hybridize has no int8 inference; net.cast('bfloat16') halves the weights",
    "svrg_optimization": "gluon.Trainer and hybridize.optimizer",
    "tensorboard": "callbacks of the estimator hand metrics to any logger",
    "tensorrt": "net.hybridize()",
}


__getattr__, __dir__ = late(globals(), PLACES, _INSTEAD)
