# SPDX-License-Identifier: Apache-2.0
"""Runs compiled programs: buffers, scratch, and the tables that emitted code reads; needs no compiler and no LLVM.

In: addresses of machine code, a plan (plain data), NumPy arrays. Out: NumPy arrays, and callables for Python.
It must not know graphs, ops, or how the code came to be; a program loaded from a file runs with this package alone.

    image, externals            code into memory; functions of the process by name
    serialization               images and plans as bytes for the disk
    plan, sizes, executable     a program: its launches and their order, the sizes of a call, running it
    dump                        a plan as text
    entry, cpython, effects     the callable that Python gets, what it reads of CPython, what programs print or refuse
    pool, processors            threads, and how many
    buffers                     aligned and dense copies
    waiting                     for what another thread runs
    compiled, device_code       what executables have in common; programs of a device
    devices, cuda               devices with memory of their own, and NVIDIA's driver
    device_steps                the work of a plan on a device, in order: launches, copies, questions of the host
    device_stretches            graphs of what comes again between two questions
    device_entry                the tables by which machine code starts graphs, without Python
    features                    what is there of MXNet's features, loaded when asked for
"""

from typing import Any

from hybridize.base.loading import load_module


def __getattr__(name: str) -> Any:
    if name in ("Feature", "Features", "feature_list"):
        return getattr(load_module(f"{__name__}.features"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
