# SPDX-License-Identifier: Apache-2.0
"""List what PyInstaller puts into a program that imports hybridize: modules are loaded by name, so it sees none.

The doors of other libraries come as files alone: they are found there, and draw no library in that a program lacks.
"""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules  # type: ignore[import-untyped]

DOORS = tuple(f"hybridize.{door}" for door in ("torch", "tensorflow", "jax", "serve"))

hiddenimports = collect_submodules("hybridize", filter=lambda name: not name.startswith(DOORS), on_error="raise")
datas = collect_data_files("hybridize", include_py_files=True)
