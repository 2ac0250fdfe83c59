# SPDX-License-Identifier: Apache-2.0
"""The layers that MXNet 1.x has in `gluon.contrib.nn`."""

from hybridize.base.names import late
from hybridize.gluon.nn import Concurrent as Concurrent
from hybridize.gluon.nn import HybridConcurrent as HybridConcurrent
from hybridize.gluon.nn import Identity as Identity
from hybridize.gluon.nn import PixelShuffle1D as PixelShuffle1D
from hybridize.gluon.nn import PixelShuffle2D as PixelShuffle2D
from hybridize.gluon.nn import PixelShuffle3D as PixelShuffle3D
from hybridize.gluon.nn import SyncBatchNorm as SyncBatchNorm

__getattr__, __dir__ = late(globals(), {})
