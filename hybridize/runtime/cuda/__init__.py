# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's GPUs: the driver's library by ctypes, with no toolkit and no compiler of C.

In: PTX, addresses, NumPy arrays. Out: what `runtime.devices.Accelerator` promises. It must not know programs.

    signatures      the functions of the driver that are called, with the types of their arguments
    library         calls of them, and errors for what they return
    counting        how many GPUs there are, without starting the driver
    blocks          memory in blocks, of which those that were freed are used again
    context         the context of a device, one stream, and the order of everything
    staging         copies between the host and the device, by way of pinned memory
    work            modules, kernels, events, graphs
    gpu             the device: all of this by the face that the package asks for

None of this has run on a GPU yet. Tests check the signatures against the driver's header, and run the rest with a
library of the same functions that keeps memory on the heap.
"""

from hybridize.runtime.cuda.counting import count as count
from hybridize.runtime.cuda.gpu import Gpu


def opened(number: int) -> Gpu:
    """Return the GPU of a number."""
    return Gpu(number)
