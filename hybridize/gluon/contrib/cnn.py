# SPDX-License-Identifier: Apache-2.0
"""The convolutional layers that MXNet 1.x has in `gluon.contrib.cnn`."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import late
from hybridize.gluon.nn import DeformableConvolution as DeformableConvolution
from hybridize.gluon.nn import ModulatedDeformableConvolution as ModulatedDeformableConvolution

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
