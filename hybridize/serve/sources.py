# SPDX-License-Identifier: Apache-2.0
"""The files that the operator named, folders of them, their versions; copies that do not change while read.

A request names a model, never a file: names are looked up in what a scan of the operator's folders gives, and are no
part of any path.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hybridize.base.errors import HybridizeError, LoadError
from hybridize.formats import detect
from hybridize.formats.detection import SAVED_MODEL
from hybridize.formats.models import MODELS

SERVED: Final = {"archive": "hybridize_archive", "symbol": "mxnet", **{kind: kind for kind in MODELS}}
"""Kinds of files that can be served, and what metadata call them."""
_SYMBOL: Final = "-symbol.json"
_FRESH: Final = 0.5
"""Seconds for which a scan of the folders is good enough for a list."""
_FILES: Final = 10_000
"""Files of one model, at most."""


@dataclass(frozen=True)
class ModelSource:
    """A version of a model: a file, or the folder of a SavedModel. Of no kind: its files are there, and no model."""

    model: str
    version: str
    path: Path
    kind: str


def _named(argument: str) -> tuple[str | None, Path]:
    name, equals, path = argument.partition("=")
    if equals and name and "/" not in name:
        return name, Path(path)
    return None, Path(argument)


def _kind(path: Path) -> str | None:
    """Return the kind of a file or folder that can be served, None of any other."""
    if path.is_dir() and not (path / SAVED_MODEL).is_file():
        return None
    with suppress(HybridizeError, OSError, ValueError):
        kind = detect(path)
        return kind if kind in SERVED else None
    return None


def _name(path: Path) -> str:
    if path.name.endswith(_SYMBOL):
        return path.name.removesuffix(_SYMBOL)
    return path.name if path.is_dir() else path.stem


def _entries(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return []


def _inside(name: str, version: str, folder: Path) -> Iterator[ModelSource]:
    """The one model in the folder of a version; nothing where there is none or several."""
    sources = [ModelSource(name, version, path, kind) for path in _entries(folder) if (kind := _kind(path))]
    preferred = [one for one in sources if one.path.name.startswith("model.")] or sources
    if (folder / SAVED_MODEL).is_file():
        preferred = [ModelSource(name, version, folder, "saved_model")]
    if len(preferred) == 1:
        yield preferred[0]


def _versions(name: str, folder: Path) -> Iterator[ModelSource]:
    for path in _entries(folder):
        if path.is_dir() and path.name.isdecimal() and path.name.isascii():
            version = str(int(path.name))
            damaged = [ModelSource(name, version, path, "")] if _entries(path) else []
            yield from list(_inside(name, version, path)) or damaged


def _scan(argument: str) -> Iterator[ModelSource]:
    name, path = _named(argument)
    pair = path.with_name(path.name + _SYMBOL)
    if not path.exists() and pair.is_file():
        path = pair
    kind = _kind(path)
    if kind is not None:
        yield ModelSource(name or _name(path), "1", path, kind)
        return
    if not path.is_dir():
        return
    if name is not None:
        yield from list(_versions(name, path)) or _inside(name, "1", path)
        return
    own = list(_versions(path.name, path))
    if own:
        yield from own
        return
    for child in _entries(path):
        child_kind = _kind(child)
        if child_kind is not None:
            yield ModelSource(_name(child), "1", child, child_kind)
        elif child.is_dir():
            yield from list(_versions(child.name, child)) or _inside(child.name, "1", child)


class Sources:
    """The models that the operator named.

    Args:
        arguments: paths, or `NAME=PATH`: a model; the folder of a model with versions, `1/`, `2/`; a folder of these.

    Raises:
        LoadError E690: a path is, or holds, nothing that can be served; two are of one name.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments: tuple[str, ...] = tuple(arguments)
        self._scanned: dict[str, dict[str, ModelSource]] = {}
        self._at = 0.0
        for argument in self.arguments:
            if next(_scan(argument), None) is None:
                raise LoadError(
                    "E690",
                    f"{argument} is no model, and no folder that holds one",
                    help="name an archive, NAME-symbol.json, a model of ONNX or TFLite, the folder of a SavedModel, "
                    "or a folder of them: NAME/VERSION/model.onnx",
                )
        self.scan()

    def scan(self, *, fresh: bool = True) -> dict[str, dict[str, ModelSource]]:
        """Return all versions of all models by name, from the disk; not `fresh`: as they were half a second ago."""
        now = time.monotonic()
        if not fresh and now - self._at < _FRESH:
            return self._scanned
        models: dict[str, dict[str, ModelSource]] = {}
        for argument in self.arguments:
            for source in _scan(argument):
                other = models.setdefault(source.model, {}).setdefault(source.version, source)
                if other.path != source.path and not self._scanned:  # later ones do not end a server: the first stays
                    raise LoadError(
                        "E690",
                        f"{other.path} and {source.path} are both version {source.version} of {source.model}",
                        help="name one otherwise: NAME=PATH",
                    )
        for source in (source for versions in self._scanned.values() for source in versions.values()):
            if source.version not in models.get(source.model, {}) and source.path.exists():
                models.setdefault(source.model, {})[source.version] = replace(source, kind="")
        self._scanned, self._at = models, now
        return models


def newest(versions: Sequence[str]) -> list[str]:
    """Return versions, the newest last."""
    return sorted(versions, key=int)


_Fingerprint = tuple[tuple[str, int, int, int], ...]


def _files(source: ModelSource) -> list[Path]:
    """Return the files that a model is read from."""
    if source.path.is_dir():
        files = [path for path in sorted(source.path.rglob("*")) if path.is_file()]
    elif source.kind == "symbol":
        start = source.path.name.removesuffix(_SYMBOL)
        beside = [path for path in _entries(source.path.parent) if path.name.startswith(f"{start}-")]
        files = [source.path, *(path for path in beside if path.suffix == ".params")]
    elif source.kind == "onnx":
        content = source.path.read_bytes()
        folder = source.path.parent
        beside = [
            *_entries(folder),
            *(path for child in _entries(folder) if child.is_dir() for path in _entries(child)),
        ]
        # Weights in other files are called by their paths in the model.
        files = [source.path]
        files += [
            path
            for path in beside
            if path != source.path and path.is_file() and path.relative_to(folder).as_posix().encode() in content
        ]
    else:
        files = [source.path]
    if len(files) > _FILES:
        raise LoadError("E690", f"{source.path} holds {len(files)} files, more than {_FILES}")
    return files


def _fingerprint(files: Sequence[Path]) -> _Fingerprint:
    states = [(path, path.stat()) for path in files]
    return tuple((str(path), state.st_size, state.st_mtime_ns, state.st_ino) for path, state in states)


@contextmanager
def snapshot(source: ModelSource, *, in_place: bool = False) -> Iterator[Path]:
    """Give the path to load a model from: of a copy for the time of loading, which nobody changes or shortens.

    An archive stays mapped to its copy, which has no name any more then.

    Args:
        source: the model.
        in_place: give the files themselves. Processes that map the same file have its pages once in memory.

    Raises:
        LoadError E608, E690: the files are no model.
        LoadError E691: the files changed while they were copied, or are gone; or, `in_place`, while they were loaded.
    """
    if not source.kind:
        if source.path.is_file():
            detect(source.path)
        text = f"{source.path} is no model that can be served, nor a folder that holds one and no other"
        raise LoadError("E690", text, help="rename a whole file into place")
    with tempfile.TemporaryDirectory(prefix="hybridize-serve-") as folder:
        with _unchanged(source) as files:
            if in_place:
                yield source.path
                return
            base = source.path if source.path.is_dir() else source.path.parent
            target = Path(folder, "model")
            for path in files:
                copy = target / path.relative_to(base)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        yield target if source.path.is_dir() else target / source.path.name


@contextmanager
def _unchanged(source: ModelSource) -> Iterator[list[Path]]:
    """Give the files of a model; refuse it if they are others at the end."""
    try:
        files = _files(source)
        before = _fingerprint(files)
        yield files
        changed = _fingerprint(_files(source)) != before
    except OSError as error:
        what = f"{source.path} cannot be read: {error.strerror or error} ({error.filename or source.path})"
        raise LoadError("E691", what, help="put a new version beside it, or rename it into place") from None
    if changed:
        what = f"{source.path} changed while it was read"
        raise LoadError("E691", what, help="write the files elsewhere, rename them into place, and load again")


def fingerprint(source: ModelSource) -> _Fingerprint:
    """Return names, sizes, times and inodes of the files of a model; empty if they cannot be read."""
    with suppress(OSError):
        return _fingerprint(_files(source))
    return ()
