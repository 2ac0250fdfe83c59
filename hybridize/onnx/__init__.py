# SPDX-License-Identifier: Apache-2.0
"""ONNX for those who know it by other names: MXNet's, and those of the onnx package. `load("model.onnx")` is ours.

`backend` is what the onnx package's own tests and tools take.
"""

from typing import Final

from hybridize.base.names import late, places

PLACES = {
    "backend": "hybridize.onnx.backend",
    **places("hybridize.onnx", {
        "backend": "Backend",
    }),
}  # fmt: skip
_EXPORT: Final = (
    "hybridize writes no ONNX: net.export writes MXNet's files, which MXNet 1.9's mx.onnx.export_model converts; "
    "export(net, path, format='library') makes a program for C, 'wasm' one for browsers"
)
_IMPORT: Final = "hybridize.load('model.onnx') gives the model as a block"
_INSTEAD: Final = {
    "export_model": _EXPORT, "mx2onnx": _EXPORT,
    "import_model": _IMPORT, "import_to_gluon": _IMPORT, "onnx2mx": _IMPORT, "get_model_metadata": _IMPORT,
}  # fmt: skip

__getattr__, __dir__ = late(globals(), PLACES, _INSTEAD)
