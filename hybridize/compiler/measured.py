# SPDX-License-Identifier: Apache-2.0
"""The choices of this machine: measured once, kept beside the disk cache, the same for every process from then on.

The file is found by a digest of what the processor and its caches are, of the releases of LLVM and hybridize, and of
the choices that were measured against. Whatever is wrong with it (cut off, changed, of another machine), the machine is
measured anew. Of several processes that measure at once the first that writes has decided for all. Where nothing can be
kept nothing is measured: each process would decide anew, and results of two runs might round otherwise.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, Final

from hybridize.base.digests import digest
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.version import VERSION
from hybridize.compiler import disk, identity
from hybridize.compiler.folder import LASTING, Folder
from hybridize.compiler.host import HostFacts, this_host
from hybridize.machine.choices import CHOICES, with_fields
from hybridize.machine.target import Target

_FORMAT: Final = 1


@frozen
class MeasuredChoices:
    """The choices of a machine, and what they were made by."""

    fields: Mapping[str, int]
    """The value of each choice."""
    speeds: Mapping[str, Mapping[int, float]]
    """Speeds of the values that were compared with the table's, as multiples of its."""
    seconds: float
    """The time that measuring took."""


_choices: dict[str, MeasuredChoices] = {}
"""The choices that this process goes by, whatever becomes of the file; by folder."""
_full: set[str] = set()
"""Folders that took no file of this process, though they may be written to: nothing is measured for them again."""
_lock = renewed(threading.RLock())


def target() -> Target:
    """This machine with the choices that were measured; those of the table where nothing can be kept."""
    choices = measurement()
    return this_host().target if choices is None else with_fields(this_host().target, choices.fields)


def measurement() -> MeasuredChoices | None:
    """Return the choices of this machine, measured now if nobody has; None where nothing can be kept."""
    home = disk.folder()
    if home is None:
        return None
    choices = _choices.get(home.path)
    if choices is None:
        with _lock:  # a thread that comes meanwhile waits, or would disturb what is timed
            choices = _choices.get(home.path) or _looked_up(home)
            if choices is not None:
                _choices[home.path] = choices
    return choices


def _looked_up(home: Folder) -> MeasuredChoices | None:
    name = file_name()
    if name is None:
        return None
    choices = _load(home, name)
    if choices is None and home.path not in _full and home.writable():
        choices = _kept(home, name, _measured(this_host()), first=True)
        if choices is None:
            _full.add(home.path)
    return choices


def again() -> MeasuredChoices:
    """Measure anew, for this process and all later ones; what is found is returned even if it cannot be kept."""
    home, name = disk.folder(), file_name()
    with _lock:
        choices = _measured(this_host())
        if home is not None and name is not None:
            record = _kept(home, name, choices, first=False)
            if record is not None:
                _choices[home.path] = choices = record
    return choices


def file_name() -> str | None:
    """The name of the file of this machine; None where the operating system does not say what processor it is."""
    processor = identity.processor()
    if processor is None:
        return None
    host = this_host()
    parts = (_FORMAT, processor, VERSION, host.llvm, repr(host.target), sorted(CHOICES.items()))
    return digest(repr(parts).encode()).hex()


def _measured(host: HostFacts) -> MeasuredChoices:
    with LOADING:
        from hybridize.compiler.measuring import chosen, measured  # late: it is needed once in the life of a machine

    speeds, seconds = measured(host.target)
    choices = MeasuredChoices(chosen(host.target, speeds), speeds, seconds)
    fields = ", ".join(f"{name}={value}" for name, value in choices.fields.items())
    disk.note(f"this machine was measured, which took {1e3 * seconds:.0f} ms: {fields}")
    return choices


def _kept(home: Folder, name: str, choices: MeasuredChoices, *, first: bool) -> MeasuredChoices | None:
    """Write what was found; returns what stands in the file then, which another process may have written before."""
    if not home.write(name, _dumped(name, choices), LASTING, first=first):
        disk.tell(home.problem)
        return None
    record = _load(home, name)
    if record is None and first:  # what is there cannot be used, or is not to be trusted
        return _kept(home, name, choices, first=False)
    return record


def _load(home: Folder, name: str) -> MeasuredChoices | None:
    content = home.read(name, LASTING)
    if content is None:
        return None
    try:
        return _parsed(name, content)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        disk.note(f"this machine is measured anew: its file is damaged, or another's ({error})")
        return None


def _dumped(name: str, choices: MeasuredChoices) -> bytes:
    values = {
        "format": _FORMAT,
        "machine": name,
        "processor": f"{this_host().target.cpu} ({this_host().target.name})",
        "llvm": this_host().llvm,
        "hybridize": VERSION,
        "fields": dict(choices.fields),
        "speeds": {
            field: {str(value): speed for value, speed in others.items()} for field, others in choices.speeds.items()
        },
        "seconds": choices.seconds,
    }
    return json.dumps(values | {"checksum": _checksum(values)}, indent=2).encode() + b"\n"


def _parsed(name: str, content: bytes) -> MeasuredChoices:
    """Read the content of a file.

    Raises:
        ValueError, TypeError, AttributeError, LookupError: it is damaged, or the file of another machine.
    """
    values = json.loads(content.decode())
    if not isinstance(values, dict):
        raise ValueError("it holds no object")
    checksum = values.pop("checksum")
    if checksum != _checksum(values):
        raise ValueError("its checksum differs")
    if (values["format"], values["machine"]) != (_FORMAT, name):
        raise ValueError("it is of another machine")
    fields = values["fields"]
    if fields.keys() != CHOICES.keys() or any(fields[field] not in CHOICES[field] for field in fields):
        raise ValueError("it has other choices")
    speeds = {
        field: {int(value): float(speed) for value, speed in of.items()} for field, of in values["speeds"].items()
    }
    return MeasuredChoices(fields, speeds, float(values["seconds"]))


def _checksum(values: Mapping[str, Any]) -> str:
    return digest(json.dumps(values, sort_keys=True).encode()).hex()
