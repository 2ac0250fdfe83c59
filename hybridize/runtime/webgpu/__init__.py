# SPDX-License-Identifier: Apache-2.0
"""GPUs of any maker by WebGPU: the package `wgpu`, which speaks to Vulkan, Metal or Direct3D.

In: kernels in WGSL, addresses, NumPy arrays. Out: what `runtime.devices.Accelerator` promises.

    kernels   a kernel in WGSL, and its bindings
    gpu       the device
"""

from __future__ import annotations

from typing import Any

from hybridize.base.errors import DeviceError
from hybridize.base.loading import LOADING


def count() -> int:
    """Return the number of GPUs, of which a processor that computes as one is the last."""
    return len(_adapters())


def described() -> list[str]:
    """Return the names of the GPUs, in the order of their numbers.

    Raises:
        DeviceError E709: the package wgpu is missing.
    """
    return [name_of(one) for one in _adapters()]


def name_of(adapter: Any) -> str:
    """Return the name of a GPU, and by what it is driven."""
    return f"{adapter.info['device']} ({adapter.info['backend_type']})"


def opened(number: int) -> Any:
    """Return the GPU of a number."""
    with LOADING:
        from hybridize.runtime.webgpu.gpu import WebGpu  # late: it needs the package wgpu

    return WebGpu(_adapters()[number])


def _adapters() -> list[Any]:
    try:
        with LOADING:
            import wgpu  # late: an extra
    except ImportError:
        what = "HYBRIDIZE_DEVICE=webgpu needs the package wgpu"
        raise DeviceError("E709", what, help="pip install 'hybridize[webgpu]'") from None
    order = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "CPU", "Unknown")
    adapters = [one for one in wgpu.gpu.enumerate_adapters_sync() if one.info["backend_type"] != "OpenGL"]
    return sorted(adapters, key=lambda one: order.index(one.info["adapter_type"]))
