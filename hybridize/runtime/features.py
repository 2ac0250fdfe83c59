# SPDX-License-Identifier: Apache-2.0
"""The features of this build under MXNet's names: `runtime.Features()`, `runtime.feature_list()`."""

from __future__ import annotations

from hybridize.base.characters import printable
from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen

_NAMES = (
    "CUDA", "CUDNN", "NCCL", "CUDA_RTC", "TENSORRT", "CUTENSOR", "CPU_SSE", "CPU_SSE2", "CPU_SSE3", "CPU_SSE4_1",
    "CPU_SSE4_2", "CPU_SSE4A", "CPU_AVX", "CPU_AVX2", "OPENMP", "SSE", "F16C", "JEMALLOC", "BLAS_OPEN", "BLAS_ATLAS",
    "BLAS_MKL", "BLAS_APPLE", "LAPACK", "ONEDNN", "OPENCV", "DIST_KVSTORE", "INT64_TENSOR_SIZE", "SIGNAL_HANDLER",
    "DEBUG", "TVM_OP",
)  # fmt: skip
_ENABLED = ("INT64_TENSOR_SIZE",)
"""True of arrays here; the others are libraries of MXNet's that hybridize does without."""


@frozen
class Feature:
    """A feature of a build of MXNet."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        mark = printable("✔", "+") if self.enabled else printable("✖", "-")
        return f"{mark} {self.name}"


def feature_list() -> list[Feature]:
    """List the features of MXNet's, and whether each is there."""
    return [Feature(name, name in _ENABLED) for name in _NAMES]


class Features(dict[str, Feature]):
    """The features by their names."""

    def __init__(self) -> None:
        super().__init__({one.name: one for one in feature_list()})

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Tell whether a feature is there.

        Raises:
            ArgumentError E300: MXNet has none of that name.
        """
        name = feature_name.upper()
        if name not in self:
            raise ArgumentError("E300", f"there is no feature {feature_name!r}", help=f"available: {', '.join(self)}")
        return self[name].enabled
