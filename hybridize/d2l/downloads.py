# SPDX-License-Identifier: Apache-2.0
"""The book's files under the names that it downloads them by; here they are looked for in a local folder."""

from __future__ import annotations

import hashlib
import os
import tarfile
import zipfile

from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, LoadError

DATA_URL = "http://d2l-data.s3-accelerate.amazonaws.com/"
"""The folder in which the book's files are published."""
DATA_HUB = {
    "airfoil": (DATA_URL + "airfoil_self_noise.dat", "76e5be1548fd8222e5074cf0faae75edff8cf93f"),
    "time_machine": (DATA_URL + "timemachine.txt", "090b5e7e70c295757f55df93cb0a180b9691891a"),
    "fra-eng": (DATA_URL + "fra-eng.zip", "94646ad1522d915e7b0f9296181140edcf86a4f5"),
}
"""Addresses of files and their SHA-1, by name; programs add their own."""


def download(url: str, folder: str = "../data", sha1_hash: str | None = None) -> str:
    """Return the path of a file that the book downloads. hybridize downloads nothing: the file must be there.

    Args:
        url: its address, or its name in `DATA_HUB`.
        folder: where it lies, under the last part of its address.
        sha1_hash: its SHA-1 in hexadecimal. A file with another one is taken, with a warning.

    Raises:
        ArgumentError E381: the file is not there.
        ArgumentError E300: `DATA_HUB` has no file of this name.

    >>> import os, tempfile
    >>> from hybridize import d2l
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "words.txt"), "w") as file:
    ...         _ = file.write("some words")
    ...     path = d2l.download("http://example.org/words.txt", folder)
    >>> os.path.basename(path)
    'words.txt'
    """
    if not url.startswith("http"):
        if url not in DATA_HUB:
            raise ArgumentError("E300", f"DATA_HUB has no {url!r}, it has {', '.join(map(repr, DATA_HUB)) or 'none'}")
        url, sha1_hash = DATA_HUB[url]
    path = os.path.join(folder, url.rpartition("/")[2])
    if not os.path.exists(path):
        raise ArgumentError("E381", f"there is no file {path}", help=f"nothing is downloaded: copy {url} there")
    if sha1_hash is not None:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha1").hexdigest()
        if digest != sha1_hash:
            warn(f"{path} is not the file that is published as {url}: its SHA-1 is {digest}, not {sha1_hash}")
    return path


def extract(filename: str, folder: str | None = None) -> None:
    """Unpack a .zip, .tar or .gz file.

    Args:
        filename: its path.
        folder: where to put the files; None: the folder that it lies in.

    Raises:
        LoadError E682: it has another ending, or is damaged.

    >>> import os, tempfile, zipfile
    >>> from hybridize import d2l
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words.zip")
    ...     with zipfile.ZipFile(path, "w") as packed:
    ...         packed.writestr("words.txt", "some words")
    ...     d2l.extract(path)
    ...     sorted(os.listdir(folder))
    ['words.txt', 'words.zip']
    """
    folder = os.path.dirname(filename) if folder is None else folder
    try:
        if filename.endswith(".zip"):
            with zipfile.ZipFile(filename) as packed:
                packed.extractall(folder)
        elif filename.endswith((".tar", ".gz")):
            with tarfile.open(filename) as packed_tar:
                packed_tar.extractall(folder, filter="data")
        else:
            raise LoadError("E682", f"{filename} is not a .zip, .tar or .gz file", help="unpack it with another tool")
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise LoadError("E682", f"{filename} cannot be unpacked: {error}", help="download it again") from error


def download_extract(name: str, folder: str | None = None) -> str:
    """Unpack a file of `DATA_HUB` in its folder, `../data`, and return the path of the folder that it gives.

    hybridize downloads nothing: the file must be there.

    Args:
        name: in `DATA_HUB`.
        folder: the name of the folder that it gives; None: the file's own name without its ending.

    Raises:
        ArgumentError E381: the file is not there.
        LoadError E682: it cannot be unpacked.

    >>> from hybridize import d2l
    >>> d2l.download_extract("fra-eng")
    '../data/fra-eng'
    """
    path = download(name)
    extract(path)
    return os.path.join(os.path.dirname(path), folder) if folder else os.path.splitext(path)[0]
