# SPDX-License-Identifier: Apache-2.0
"""Writes a program as WebAssembly, with its loader and its types; for the web with kernels of GPUs and a page."""

from __future__ import annotations

import os

from hybridize.base.frozen import changed
from hybridize.base.version import VERSION
from hybridize.formats.atomic import write_atomically
from hybridize.formats.deployable import Deployable, identifier
from hybridize.formats.wasm.container import packed
from hybridize.formats.wasm.description import description
from hybridize.formats.wasm.javascript import declarations, loader
from hybridize.formats.wasm.module import compiled
from hybridize.formats.wasm.page import page


def write_wasm(deployable: Deployable, path: str | os.PathLike[str]) -> list[str]:
    """Write NAME.wasm, NAME.mjs, which loads it, and NAME.d.mts, which says the types of that.

    Args:
        deployable: the program.
        path: folder and NAME, with or without `.wasm`; NAME becomes an identifier.

    Returns:
        The paths of the files.

    Raises:
        CaptureError E457: it prints in a way that only Python knows.
        CodegenError E975: it needs more memory than addresses of 32 bits reach.
    """
    return _written(deployable, path, gpu=False)


def write_web(deployable: Deployable, path: str | os.PathLike[str]) -> list[str]:
    """Write the same files with kernels for WebGPU in them, and NAME.html, a page that runs the model.

    A program that has no code for GPUs runs by WebAssembly everywhere; see `formats.wasm.kernels.refusal`.

    Returns:
        The paths of the files.

    Raises:
        CaptureError E457: it prints in a way that only Python knows.
        CodegenError E975: it needs more memory than addresses of 32 bits reach.
    """
    return _written(deployable, path, gpu=True)


def _written(deployable: Deployable, path: str | os.PathLike[str], gpu: bool) -> list[str]:
    folder, base = os.path.split(os.fspath(path))
    name = identifier(base.removesuffix(".wasm"))
    deployable = changed(deployable, name=name)
    model = compiled(deployable, gpu)
    facts = description(deployable, model, VERSION)
    contents: dict[str, list[bytes | memoryview]] = {
        f"{name}.wasm": packed(model.module, model.weights, facts, model.kernels),
        f"{name}.mjs": [loader(name, model.imports, gpu).encode()],
        f"{name}.d.mts": [declarations(facts, gpu).encode()],
    }
    if gpu:
        contents[f"{name}.html"] = [page(deployable).encode()]
    files = [os.path.join(folder, title) for title in contents]
    for file, content in zip(files, contents.values(), strict=True):
        write_atomically(file, content)
    return files
