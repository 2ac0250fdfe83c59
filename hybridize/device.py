# SPDX-License-Identifier: Apache-2.0
"""MXNet 2's `device`: devices as objects, and the present one."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.array.device import Device as Device
from hybridize.array.device import cpu as cpu
from hybridize.array.device import cpu_pinned as cpu_pinned
from hybridize.array.device import current_device as current_device
from hybridize.array.device import gpu as gpu
from hybridize.array.device import gpu_memory_info as gpu_memory_info
from hybridize.array.device import num_gpus as num_gpus
from hybridize.base.names import refuses

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals())
