# SPDX-License-Identifier: Apache-2.0
"""Files by which builds find a library that lies beside them: CMake's find_package, pkg-config."""

from __future__ import annotations

from typing import Final

from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.formats.library.bindings.arrays import filled
from hybridize.formats.library.platforms import Platform


def cmake_config(model: LibraryModel, platform: Platform, version: str) -> str:
    """Return the text of NAMEConfig.cmake: the target NAME::NAME."""
    library = platform.library(model.name)
    properties = [f'    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/{library}"']
    if platform.system == "linux":
        properties.append(f'    IMPORTED_SONAME "{platform.soname(model.name, version)}"')
    if platform.system == "windows":  # the linkers of MinGW take the DLL itself
        properties.append(f'    IMPORTED_IMPLIB "${{CMAKE_CURRENT_LIST_DIR}}/{library}"')
    return filled(_CONFIG, model, {"PROPERTIES": properties})


def cmake_version(version: str) -> str:
    """Return the text of NAMEConfigVersion.cmake: versions of one first number fit each other."""
    return _VERSION.replace("%VERSION%", version).replace("%MAJOR%", version.partition(".")[0])


def pkg_config(model: LibraryModel, version: str) -> str:
    """Return the text of NAME.pc."""
    return filled(_PC, model, {"VERSION": version})


_CONFIG: Final = """\
# find_package(NAME CONFIG REQUIRED PATHS folder): target_link_libraries(program NAME::NAME)
if(NOT TARGET NAME::NAME)
  add_library(NAME::NAME SHARED IMPORTED)
  set_target_properties(NAME::NAME PROPERTIES
%PROPERTIES%
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}")
endif()
"""
_VERSION: Final = """\
set(PACKAGE_VERSION "%VERSION%")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION_MAJOR STREQUAL "%MAJOR%")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""
_PC: Final = """\
prefix=${pcfiledir}

Name: NAME
Description: the model NAME, compiled by hybridize
Version: %VERSION%
Libs: -L${prefix} -lNAME
Cflags: -I${prefix}
"""
