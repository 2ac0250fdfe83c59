# SPDX-License-Identifier: Apache-2.0
"""MXNet's `onnx`: what it would do is said, and what to do instead; hybridize reads and writes no ONNX."""

from typing import Final

from hybridize.base.names import refuses

_EXPORT: Final = (
    "hybridize writes no ONNX: net.export writes MXNet's files, which MXNet 1.9's mx.onnx.export_model converts; "
    "export(net, path, format='library') makes a program for C, 'wasm' one for browsers"
)
_IMPORT: Final = "hybridize reads no ONNX: it reads MXNet's files, and weights as safetensors or .npz"
__getattr__ = refuses(__name__, globals(), instead={
    "export_model": _EXPORT, "mx2onnx": _EXPORT,
    "import_model": _IMPORT, "import_to_gluon": _IMPORT, "onnx2mx": _IMPORT, "get_model_metadata": _IMPORT,
})  # fmt: skip
