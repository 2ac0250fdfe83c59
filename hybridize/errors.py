# SPDX-License-Identifier: Apache-2.0
"""The errors of hybridize, to catch: `except hybridize.errors.ShapeError`. Each is the built-in one, too.

See `docs/errors`: every error has a code, what was found and expected, the user's own line, and a remedy.
"""

from hybridize.base.errors import (
    ArgumentError,
    AssertionFailed,
    AxisError,
    CaptureError,
    CodegenError,
    DeferredInitializationError,
    DeviceError,
    DTypeError,
    GraphError,
    HybridizeError,
    InternalError,
    KeyShapeError,
    KeyTypeError,
    LinAlgError,
    LoadError,
    MatrixShapeError,
    MissingNameError,
    OutOfBoundsError,
    ScheduledError,
    ShapeError,
    StateError,
    UndefinedError,
    UntypedError,
    UnusedError,
    ValueArgumentError,
    VerificationError,
    WriteError,
)

__all__ = [
    "ArgumentError", "AssertionFailed", "AxisError", "CaptureError", "CodegenError", "DTypeError",
    "DeferredInitializationError", "DeviceError", "GraphError", "HybridizeError", "InternalError", "KeyShapeError",
    "KeyTypeError", "LinAlgError", "LoadError",
    "MatrixShapeError", "MissingNameError", "OutOfBoundsError", "ScheduledError", "ShapeError", "StateError",
    "UndefinedError", "UntypedError", "UnusedError", "ValueArgumentError", "VerificationError", "WriteError",
]  # fmt: skip
