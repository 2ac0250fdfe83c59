# SPDX-License-Identifier: Apache-2.0
"""A wheel, and the archive of its sources, from a folder of files, by the standard library: no pip is needed.

    python backend.py FOLDER       in the sources: writes the wheel to a folder; `pip wheel .` does the same

Sources hold PKG-INFO (the metadata), WHEEL (the tags) and the folder of the package. The formats are those of the
specifications "binary distribution format" and "source distribution format"; the functions are those of PEP 517. Files
have one date, so that the same sources give the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import sys
import tarfile
import zipfile
from typing import Any

_DATE = (1980, 1, 1, 0, 0, 0)
"""The first that a zip file can hold."""
_FILES = ("PKG-INFO", "WHEEL", "backend.py", "pyproject.toml")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Write the wheel of the sources in the current folder; returns the name of its file."""
    return write_wheel(".", wheel_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Write the archive of the sources in the current folder; returns the name of its file."""
    return write_sources(".", sdist_directory)


def write_wheel(sources: str, folder: str) -> str:
    """Write the wheel of `sources` to `folder`; returns the name of its file."""
    title, metadata = _title(sources)
    with open(os.path.join(sources, "WHEEL"), encoding="utf-8") as file:
        tags = file.read()
    parts = [line.partition(": ")[2].split("-") for line in tags.splitlines() if line.startswith("Tag: ")]
    tag = "-".join(".".join(dict.fromkeys(column)) for column in zip(*parts, strict=True))
    name = f"{title}-{tag}.whl"
    info = f"{title}.dist-info"
    files = dict(_package(sources))
    files.update({f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": tags.encode()})
    record = [f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith((".so", ".dylib", ".dll")) else 0o100644) << 16
            archive.writestr(entry, content)
    return name


def write_sources(sources: str, folder: str) -> str:
    """Write the archive of `sources` to `folder`; returns the name of its file."""
    title, _ = _title(sources)
    files = dict(_package(sources))
    for one in _FILES:
        with open(os.path.join(sources, one), "rb") as file:
            files[one] = file.read()
    name = f"{title}.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{title}/{path}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    with open(os.path.join(folder, name), "wb") as output:
        output.write(gzip.compress(packed.getvalue(), mtime=0))
    return name


def _title(sources: str) -> tuple[str, str]:
    """Return NAME-VERSION as file names have it, and the metadata."""
    with open(os.path.join(sources, "PKG-INFO"), encoding="utf-8") as file:
        metadata = file.read()
    fields = dict(line.partition(": ")[::2] for line in metadata.partition("\n\n")[0].splitlines())
    words = fields["Name"].replace("-", "_").replace(".", "_").lower().split("_")
    return f"{'_'.join(word for word in words if word)}-{fields['Version']}", metadata


def _package(sources: str) -> Any:
    """Iterate over the paths of the package's files, and what is in them."""
    for folder, folders, names in os.walk(sources):
        folders[:] = sorted(one for one in folders if one != "__pycache__" and not one.endswith(".dist-info"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), sources).replace(os.sep, "/")
            if "/" in path:
                with open(os.path.join(folder, name), "rb") as file:
                    yield path, file.read()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(write_wheel(os.path.dirname(os.path.abspath(__file__)), *sys.argv[1:] or ["."]))
