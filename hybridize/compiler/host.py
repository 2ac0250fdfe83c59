# SPDX-License-Identifier: Apache-2.0
"""This machine as a target, and the modules that a process needs once, whatever its programs are.

LLVM knows the machine and makes the modules; where another process of this machine has asked it before, the answer is
on the disk and LLVM is not loaded. Files that the user trusts bring such modules along, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from hybridize.base import platforms
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.compiler import disk
from hybridize.machine.target import Target
from hybridize.runtime.image import Image, Loaded


@frozen
class HostFacts:
    """This machine as LLVM tells, or told an earlier process."""

    target: Target
    llvm: str
    """The release of LLVM that told."""


@cache
def this_host() -> HostFacts:
    """This machine and who told, by the disk where an earlier process asked LLVM."""
    entry = disk.find(_name(), [HostFacts, Target])
    if isinstance(entry, HostFacts):
        return entry
    host = _by_llvm()
    disk.keep(_name(), host)
    return host


def _name() -> str | None:
    return disk.name("host", platforms.here())


def host_target() -> Target:
    """This machine, its choices those of the table: all that the modules of a process depend on."""
    return this_host().target


@cache
def renew() -> None:
    """Ask LLVM again, once it is loaded: another release may know the machine better. Later processes go by that."""
    if _by_llvm() != this_host():
        disk.keep(_name(), _by_llvm())


def _by_llvm() -> HostFacts:
    with LOADING:
        from hybridize.codegen.llvm.engine import host_target as ask  # late: see the package
        from hybridize.codegen.llvm.objects import version

    return HostFacts(ask(), version())


_offered: dict[tuple[str, tuple[int, ...]], Callable[[], Image]] = {}


def offer(kind: str, numbers: tuple[int, ...], image: Callable[[], Image]) -> None:
    """Let `process_module` use a module that is there already, for a machine such as this one."""
    _offered.setdefault((kind, numbers), image)


def process_image(kind: str, target: Target, numbers: Sequence[int]) -> Image:
    """Compile a module that a process needs once.

    Args:
        kind: `entry`, `device_entry` or `pool`. That of the threads is plainly generated: the first program that is
            shared waits for it, and what it does takes no time beside loops that pay to be shared.
        target: the machine.
        numbers: what it depends on besides the machine and the compiler.
    """
    with LOADING:
        from hybridize.codegen import runtimes  # late: see the package
        from hybridize.codegen.llvm.engine import compile_image, working_level

    if kind != "pool":
        return compile_image(runtimes.text(kind, table_offset=numbers[0]), target, working_level(target))
    return compile_image(runtimes.text("pool", target.machine), target, 0)


def process_module(kind: str, *numbers: int) -> Loaded:
    """A module for this machine, compiled unless it is on offer or on the disk; see `process_image`."""
    offered = _offered.get((kind, numbers))
    if offered is not None:
        return Loaded(offered())
    target = host_target()
    name = disk.name(kind, repr(target), repr(numbers))
    image = disk.find(name, [Image])
    if isinstance(image, Image):
        return Loaded(image)
    image = process_image(kind, target, numbers)
    disk.keep(name, image)
    return Loaded(image)
