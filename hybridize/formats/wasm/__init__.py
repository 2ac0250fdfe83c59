# SPDX-License-Identifier: Apache-2.0
"""WebAssembly: a program for Node and browsers, as one module, the JavaScript that loads it, and its types.

    write_wasm(deployable, path) -> files      NAME.wasm, NAME.mjs, NAME.d.mts
    write_web(deployable, path) -> files       the same, with kernels of GPUs in them, and NAME.html
    read_wasm(path) -> Wasm                    what such a module says of itself, its checksum checked

    module          the variants compiled and linked; weights once each
    kernels         the same variants as kernels of WebGPU, launches and arrays, as JSON
    weights         bytes of arrays, equal ones once
    description     what the module says of itself, as JSON
    container       custom sections and the checksum: the file as bytes, written and read
    javascript      the loader, from a template, with those functions of C's library that the module calls; types
    page            a page that runs the model

A module holds code, then weights, then the description, then the checksum, so that the loader hands the engine the code
alone: weights are copied once, into the memory that they are read from.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hybridize.base.loading import LOADING
from hybridize.formats.wasm.container import Wasm as Wasm
from hybridize.formats.wasm.container import read_wasm as read_wasm

if TYPE_CHECKING:
    from hybridize.formats.deployable import Deployable


def write_wasm(deployable: Deployable, path: str | os.PathLike[str]) -> list[str]:
    """Write a program as WebAssembly; see `hybridize.formats.wasm.write`."""
    with LOADING:
        from hybridize.formats.wasm import write  # late: the compiler, which reading does without

    return write.write_wasm(deployable, path)


def write_web(deployable: Deployable, path: str | os.PathLike[str]) -> list[str]:
    """Write a program for WebGPU and WebAssembly; see `hybridize.formats.wasm.write`."""
    with LOADING:
        from hybridize.formats.wasm import write  # late: the compiler, which reading does without

    return write.write_web(deployable, path)
