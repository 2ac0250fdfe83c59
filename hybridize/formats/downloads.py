# SPDX-License-Identifier: Apache-2.0
"""Files from the network, where the user asks for one: whole and with the digest that they must have, or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Final

from hybridize.base.advice import warn
from hybridize.base.errors import LoadError, ValueArgumentError
from hybridize.base.loading import LOADING
from hybridize.base.participation import outside_only
from hybridize.base.progress import showing
from hybridize.formats.atomic import replacing
from hybridize.formats.cursor import unreadable
from hybridize.system.interruptions import let_through

_PIECE: Final = 1 << 20
_PATIENCE: Final = 60.0
"""Seconds that a server may be silent."""
_PAUSE: Final = 0.1
"""Seconds between the first and the second try; each later one is twice as long, up to `_LONGEST`."""
_LONGEST: Final = 5.0


class _Failed(Exception):
    """A try that failed; the next one will fail too if it `is_final`."""

    def __init__(self, what: str, *, is_final: bool) -> None:
        super().__init__(what)
        self.is_final = is_final


def check_sha1(filename: str | os.PathLike[str], sha1_hash: str) -> bool:
    """Tell whether a file has this SHA-1.

    Args:
        filename: the file.
        sha1_hash: in hexadecimal.

    Raises:
        ReadError E600: it cannot be read.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     size = pathlib.Path(folder, "abc").write_bytes(b"abc")
    ...     gluon.utils.check_sha1(folder + "/abc", "a9993e364706816aba3e25717850c26c9cd0d89d")
    True
    """
    with LOADING:
        import hashlib  # late: it takes milliseconds to load

    sha1 = hashlib.sha1(usedforsecurity=False)
    try:
        with open(filename, "rb") as file:
            while piece := file.read(_PIECE):
                sha1.update(piece)
    except OSError as error:
        raise unreadable(filename, error) from error
    return sha1.hexdigest() == sha1_hash.lower()


@outside_only("reads from the network")
def download(
    url: str,
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetch a file by HTTP, unless it is there already. Return its path.

    Args:
        url: where it is, `http://` or `https://`.
        path: the file to write, or the folder to put it into; None: the present folder.
        overwrite: fetch it even if it is there.
        sha1_hash: the SHA-1 that it must have, in hexadecimal; a file that is there and has another is fetched anew.
        retries: how many times to try again where the network fails, or what came has another digest.
        verify_ssl: check who the server is.

    Raises:
        ValueArgumentError E361: another kind of address, or no number of retries.
        LoadError E668: it cannot be fetched, or has another digest; the file that was there is as it was.
        WriteError E335: it cannot be written there.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     size = pathlib.Path(folder, "data.csv").write_text("1,2")
    ...     path = gluon.utils.download("https://example.com/data.csv", path=folder)  # it is there: no request
    >>> pathlib.Path(path).name
    'data.csv'
    """
    if not (isinstance(url, str) and url.partition("://")[0].lower() in ("http", "https")):
        raise ValueArgumentError("E361", f"a URL must begin with http:// or https://, got {url!r}")
    if not isinstance(retries, int) or retries < 0:
        raise ValueArgumentError("E361", f"retries must be 0 or more, got {retries!r}")
    target = _target(url, path)
    if not overwrite and os.path.exists(target) and (not sha1_hash or check_sha1(target, sha1_hash)):
        return target
    if not verify_ssl:
        warn(f"nobody checks who the server of {url} is: verify_ssl=False")
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    pause = _PAUSE
    while True:
        try:
            _fetch(url, target, sha1_hash, verify_ssl)
        except _Failed as failed:
            if failed.is_final or not retries:
                raise LoadError(
                    "E668",
                    f"{url} cannot be fetched: {failed}",
                    help="without a network, download it elsewhere and put it at this path",
                ) from failed.__cause__
        else:
            return target
        retries -= 1
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)


def _target(url: str, path: str | os.PathLike[str] | None) -> str:
    """The file to write."""
    name = url.partition("?")[0].rpartition("/")[2]
    place = "" if path is None else os.path.expanduser(os.fspath(path))
    if place and not (os.path.isdir(place) or place.endswith(os.sep)):
        return place
    if not name:
        raise ValueArgumentError("E361", f"{url} does not end in a file name", help="pass path=")
    return os.path.join(place, name)


def _fetch(url: str, target: str, sha1_hash: str | None, verify_ssl: bool) -> None:
    """Try once.

    Raises:
        _Failed: it did not come, or is another file.
    """
    with replacing(target) as temporary:
        with open(temporary, "wb") as file:
            for piece in _pieces(url, verify_ssl):
                file.write(piece)
        if sha1_hash and not check_sha1(temporary, sha1_hash):
            raise _Failed(f"what came has another SHA-1 than {sha1_hash}", is_final=False)


def _pieces(url: str, verify_ssl: bool) -> Iterator[bytes]:
    """Give what a server sends, piece by piece.

    Raises:
        _Failed: it does not send it whole.
    """
    with LOADING:
        import http.client  # late, all of them: few programs fetch anything
        import ssl
        import urllib.error
        import urllib.request

    context = None if verify_ssl else ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE, context=context) as response:
            length, size = response.headers.get("Content-Length"), 0
            with showing(f"downloading {url}") as shown:
                while piece := response.read(_PIECE):
                    size += len(piece)
                    shown.say("bytes", size, int(length or 0))
                    yield piece
    except urllib.error.HTTPError as error:
        error.close()
        raise _Failed(f"the server says {error.code} {error.reason}", is_final=400 <= error.code < 500) from error
    except (OSError, http.client.HTTPException) as error:
        let_through(error)
        raise _Failed(str(getattr(error, "reason", "") or error or type(error).__name__), is_final=False) from error
    if length is not None and int(length) != size:
        raise _Failed(f"{size} of {length} bytes came", is_final=False)
