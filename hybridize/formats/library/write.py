# SPDX-License-Identifier: Apache-2.0
"""Writes a program as a library for C."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import numpy

from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.base.types import TensorType
from hybridize.base.version import VERSION
from hybridize.codegen.llvm.library.emit import emit_library
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryTensor
from hybridize.codegen.llvm.library.stack import stack_bytes
from hybridize.codegen.llvm.library.weights_file import checksum
from hybridize.codegen.llvm.objects import assembly, emit_object
from hybridize.formats.atomic import replacing, write_atomically
from hybridize.formats.deployable import Deployable, identifier
from hybridize.formats.library.declared import check_declared, externals, undefined
from hybridize.formats.library.header import header
from hybridize.formats.library.linking import link_library
from hybridize.formats.library.names import check_name
from hybridize.formats.library.platforms import Platform, named_platform
from hybridize.formats.library.program import RANDOM, check_size, described, programs
from hybridize.formats.library.weights import Arrays, beside, filled, inside

THREADS = 16
"""Threads at most, where nothing else is said."""


@frozen(eq=False)
class CompiledLibrary:
    """A library before it is files."""

    name: str
    platform: Platform
    object: bytes
    header: str
    weights: bytes
    """The file beside; empty where they are inside."""
    model: LibraryModel


def compiled(
    deployable: Deployable,
    *,
    weights: Literal["inside", "beside"] = "inside",
    threads: int = THREADS,
    targets: str | None = None,
    version: str | None = None,
) -> CompiledLibrary:
    """The object of a program for C, its header, its file of weights.

    Args:
        deployable: the program; its name is that of the C functions.
        weights: in the object, or in a file beside it.
        threads: that a host's parallel-for may use at most.
        targets: the machine that it is for; None is this one.
        version: of the library, for the header.

    Raises:
        CaptureError E455: the program prints.
        CodegenError E970: it needs a function that the C library does not have.
        CodegenError E971: there is no such machine.
        CodegenError E972: the weights are too large to be inside.
        CodegenError E974: C cannot use that name.
    """
    name = deployable.name
    check_name(name)
    platform = named_platform(targets)
    levels = platform.targets()
    arrays = Arrays()
    variants, messages = programs(deployable, levels, threads, arrays)
    states = tuple((arrays.add(state.initial), state.initial.nbytes) for state in deployable.states)
    reachable = any(state.name != RANDOM for state in deployable.states)
    tensors = tuple(
        LibraryTensor(state.name, TensorType(state.initial.shape, state.initial.dtype))
        for state in (deployable.states if reachable else ())
    )
    if weights == "inside":
        check_size(name, platform, sum(array.nbytes for array in arrays.arrays))
    stored = inside(arrays.arrays, name) if weights == "inside" else beside(arrays.arrays)
    model = LibraryModel(
        name,
        tuple(LibraryTensor(one.name, one.type) for one in deployable.inputs),
        tuple(LibraryTensor(one.name, one.type) for one in deployable.outputs),
        tuple(variants),
        levels,
        platform.system,
        stored.offsets,
        len(stored.content),
        states,
        next((number for number, state in enumerate(deployable.states) if state.name == RANDOM), -1),
        threads,
        tuple(messages),
        "",
        VERSION,
        stored.marker,
        0 if stored.marker else checksum(numpy.frombuffer(stored.content, numpy.uint8)),
        tensors,
    )
    model = changed(model, json=described(model))
    check_declared(name, externals(variants), platform)
    text = emit_library(model)
    code = emit_object(text, levels[-1])
    # Elsewhere the pages of a library are not touched beforehand, nor has anyone watched its calls.
    promised = model.fixed and platform.system == "linux"
    stack = stack_bytes(assembly(text, levels[-1]), name) if promised else None
    if platform.system == "linux":
        check_declared(name, undefined(code), platform)
    if stored.marker:
        code = filled(code, stored)
    file = b"" if stored.marker else stored.content
    return CompiledLibrary(name, platform, code, header(model, version, stack), file, model)


def write_library(
    deployable: Deployable,
    path: str | os.PathLike[str],
    *,
    weights: Literal["inside", "beside"] = "inside",
    threads: int = THREADS,
    targets: str | None = None,
    linker: str | None = None,
    object_only: bool = False,
    version: str | None = None,
    bindings: str | Sequence[str] = (),
) -> list[str]:
    """Write a program as a shared library, or an object, and a header; returns the paths of the files.

    Args:
        deployable: the program.
        path: folder and NAME: that of the files, and of all functions in them.
        weights: `inside` the library, or `beside` it in NAME.safetensors, which it maps.
        threads: that a host's parallel-for may use at most.
        targets: the machine that it is for; None is this one.
        linker: `cc`, or None for whatever there is.
        object_only: write NAME.o, which needs no linker.
        version: of the library, MAJOR.MINOR.PATCH: libNAME.so is a link to libNAME.so.MAJOR then.
        bindings: files of other languages and builds beside it: see `bindings`.

    Raises:
        ArgumentError E337: a version of another form.
        CaptureError E455: the program prints.
        CodegenError E970-E974: see `compiled`; E973: there is no linker, or it failed.
    """
    folder, base = os.path.split(os.fspath(path))
    name = identifier(base)
    _check_version(version)
    deployable = changed(deployable, name=name)
    library = compiled(deployable, weights=weights, threads=threads, targets=targets, version=version)
    files = []
    if object_only:
        files.append(os.path.join(folder, library.platform.object(name)))
        write_atomically(files[0], [library.object])
    else:
        files.append(os.path.join(folder, library.platform.soname(name, version)))
        with tempfile.TemporaryDirectory() as work, replacing(files[0]) as temporary:
            object_path = os.path.join(work, library.platform.object(name))
            with open(object_path, "wb") as file:
                file.write(library.object)
            link_library(object_path, temporary, name, library.platform, linker, version)
        os.chmod(files[0], os.stat(files[0]).st_mode | 0o111)  # as linkers leave them, and some tools expect
    files.append(os.path.join(folder, f"{name}.h"))
    write_atomically(files[-1], [library.header.encode()])
    if library.weights:
        files.append(os.path.join(folder, f"{name}.safetensors"))
        write_atomically(files[-1], [library.weights])
    return [*files, *_beside(library, folder, version, bindings)] if version or bindings else files


def _beside(library: CompiledLibrary, folder: str, version: str | None, bindings: str | Sequence[str]) -> list[str]:
    """Write the link that linkers look for, and files of other languages."""
    name, platform = library.name, library.platform
    files = []
    if platform.soname(name, version) != platform.library(name):
        files.append(os.path.join(folder, platform.library(name)))
        with suppress(FileNotFoundError):
            os.unlink(files[-1])
        os.symlink(platform.soname(name, version), files[-1])
    with LOADING:
        from hybridize.formats.library.bindings import binding_texts  # late: few exports have them

    words = (bindings,) if isinstance(bindings, str) else tuple(bindings)
    for title, text in binding_texts(library.model, version or "0.0.0", platform, words).items():
        files.append(os.path.join(folder, title))
        os.makedirs(os.path.dirname(files[-1]) or ".", exist_ok=True)
        write_atomically(files[-1], [text.encode()])
    return files


def _check_version(version: str | None) -> None:
    if version is not None and not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        raise ArgumentError("E337", f"version of a library must be MAJOR.MINOR.PATCH, as in '1.0.2', got {version!r}")
