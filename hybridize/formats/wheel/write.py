# SPDX-License-Identifier: Apache-2.0
"""Writes a program as a wheel, and the sources of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from typing import Literal

from hybridize.base.frozen import changed
from hybridize.formats import checking
from hybridize.formats.deployable import Deployable
from hybridize.formats.library.platforms import Platform, host, named_platform
from hybridize.formats.library.reading import read_library
from hybridize.formats.library.write import THREADS, write_library
from hybridize.formats.wheel.naming import check_package, tags
from hybridize.formats.wheel.parts import backend
from hybridize.formats.wheel.samples import samples
from hybridize.formats.wheel.texts import (
    Package,
    PackagePort,
    metadata_text,
    module_text,
    project_text,
    stub_text,
    wheel_text,
)

_PARTS = {"_binding.py": "binding.py", "__main__.py": "selftest.py"}
"""Files of a package, and those here that they are."""


def write_wheel(
    deployable: Deployable,
    folder: str,
    libraries: str,
    *,
    name: str | None = None,
    version: str = "1.0",
    summary: str | None = None,
    targets: str | Sequence[str] | None = None,
    weights: Literal["inside", "beside"] = "inside",
    threads: int = THREADS,
    linker: str | None = None,
) -> list[str]:
    """Write a program as a wheel and as an archive of its sources; returns their paths.

    Args:
        deployable: the program.
        folder: for both files.
        libraries: a folder that takes the libraries, and keeps them: MACHINE/libNAME.so and so on.
        name: as pip knows the package; None is the program's name.
        version: of the package, in its normal form.
        summary: one line of the metadata; None is one about the arrays.
        targets: the machines that it is for, one or several; None is this one.
        weights: in each library, or once in a file of the package.
        threads: that the libraries' code could share work between; Python's callers run it on their own.
        linker: `cc`, or None for whatever there is.

    Raises:
        ArgumentError E337: a package cannot have that name or version.
        CaptureError E455: the program prints.
        CodegenError E970-E974: see `formats.library.write.compiled`.
    """
    name = deployable.name if name is None else name
    module = check_package(name, version)
    deployable = changed(deployable, name=module)
    platforms = [named_platform(one) for one in ([targets] if targets is None or isinstance(targets, str) else targets)]
    content: dict[str, bytes] = {}
    tables: dict[str, tuple[str, int]] = {}
    wheel_tags: list[str] = []
    beside = ""
    for platform in platforms:
        part = platform.name.replace("-", "_")  # checkers of wheels take a library for a module in packages
        for path in _written(deployable, libraries, platform, weights, threads, linker):
            with open(path, "rb") as file:
                data = file.read()
            title = os.path.basename(path)
            if title == platform.library(module):
                tables[platform.name] = (f"{part}/{title}", len(data))
                wheel_tags += tags(platform, data)
            beside = title if title.endswith(".safetensors") else beside
            content[title if title.endswith(".h") else f"{part}/{title}"] = data
    path = os.path.join(libraries, platforms[0].name, platforms[0].library(module))
    package = _described(read_library(path).description, name, module, version, summary, tables, beside)
    content["samples.safetensors"] = samples(deployable, checking.trials(deployable)[0], content)
    for title, text in _texts(package).items():
        content[title] = text.encode()
    outside = {
        "PKG-INFO": metadata_text(package).encode(), "WHEEL": wheel_text(wheel_tags).encode(),
        "pyproject.toml": project_text(package).encode(), "backend.py": _part("backend.py"),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hybridize-") as sources:
        for title, data in (*outside.items(), *((f"{module}/{one}", data) for one, data in content.items())):
            path = os.path.join(sources, title)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        names = [backend.write_wheel(sources, folder), backend.write_sources(sources, folder)]
    return [os.path.join(folder, one) for one in names]


def _written(
    deployable: Deployable, libraries: str, platform: Platform, weights: Literal["inside", "beside"],
    threads: int, linker: str | None,
) -> list[str]:  # fmt: skip
    directory = os.path.join(libraries, platform.name)
    os.makedirs(directory)
    path = os.path.join(directory, deployable.name)
    named = None if platform.name == host() else platform.name
    return write_library(deployable, path, weights=weights, threads=threads, targets=named, linker=linker)


def _described(
    description: dict[str, object], name: str, module: str, version: str, summary: str | None,
    libraries: dict[str, tuple[str, int]], weights: str,
) -> Package:  # fmt: skip
    def ports(key: str) -> tuple[PackagePort, ...]:
        entries: list[dict[str, object]] = description[key]  # type: ignore[assignment]
        return tuple(
            PackagePort(str(one["name"]), str(one["dtype"]), f"[{','.join(map(str, one['shape']))}]")  # type: ignore[call-overload]
            for one in entries
        )

    inputs, outputs, sizes = ports("inputs"), ports("outputs"), description["sizes"]
    text = summary or f"{name}: a model that takes {', '.join(map(str, inputs)) or 'nothing'}"
    assert isinstance(sizes, list), "the description of a library lists its sizes"
    return Package(
        name=name, module=module, version=version, summary=text, inputs=inputs, outputs=outputs,
        sizes=tuple(map(str, sizes)), random=bool(description["random"]), libraries=libraries, weights=weights,
    )  # fmt: skip


def _texts(package: Package) -> dict[str, str]:
    """Return the texts of the package, by the names of their files."""
    texts = {"__init__.py": module_text(package), "__init__.pyi": stub_text(package), "py.typed": ""}
    return texts | {name: _part(source).decode() for name, source in _PARTS.items()}


def _part(name: str) -> bytes:
    return files("hybridize.formats.wheel.parts").joinpath(name).read_bytes()
