# SPDX-License-Identifier: Apache-2.0
"""The files of bindings, by their paths beside a library."""

from __future__ import annotations

from collections.abc import Collection

from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.formats.library.bindings.cpp import cpp_header
from hybridize.formats.library.bindings.fortran import fortran_module
from hybridize.formats.library.bindings.packages import cmake_config, cmake_version, pkg_config
from hybridize.formats.library.bindings.rust import rust_build, rust_library, rust_manifest
from hybridize.formats.library.platforms import Platform


def binding_texts(model: LibraryModel, version: str, platform: Platform, bindings: Collection[str]) -> dict[str, str]:
    """Return the texts of bindings by their paths beside the library.

    Args:
        model: what was emitted.
        version: MAJOR.MINOR.PATCH.
        platform: of the library.
        bindings: `cpp`, `fortran`, `rust`, `cmake`, `pkg-config`, or some of them.
    """
    name = model.name
    writers = {
        "cpp": lambda: {f"{name}.hpp": cpp_header(model)},
        "fortran": lambda: {f"{name}.f90": fortran_module(model)},
        "rust": lambda: {
            f"{name}-rust/Cargo.toml": rust_manifest(model, version),
            f"{name}-rust/build.rs": rust_build(model),
            f"{name}-rust/src/lib.rs": rust_library(model),
        },
        "cmake": lambda: {
            f"{name}Config.cmake": cmake_config(model, platform, version),
            f"{name}ConfigVersion.cmake": cmake_version(version),
        },
        "pkg-config": lambda: {f"{name}.pc": pkg_config(model, version)},
    }
    return {path: text for one in bindings for path, text in writers[one]().items()}
