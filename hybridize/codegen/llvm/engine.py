# SPDX-License-Identifier: Apache-2.0
"""The one door to LLVM: what machine this is, and LLVM IR text made into code that can be called.

llvmlite is loaded when something is first compiled (0.1-0.2 s), never by `import hybridize`. No pass over the IR is
run: it is written vectorised, and code generation is all that pays.
"""

from __future__ import annotations

import dataclasses
import functools
import platform
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hybridize.base.errors import CodegenError
from hybridize.base.forks import awaited
from hybridize.base.interruptions import let_through
from hybridize.base.loading import LOADING
from hybridize.codegen.functions import CodeStore, FunctionKey, function_key, named, outlined
from hybridize.codegen.levels import runnable as runnable
from hybridize.codegen.link import link, link_functions
from hybridize.codegen.llvm.parts import Parts
from hybridize.codegen.llvm.text import Module
from hybridize.codegen.split import split
from hybridize.machine.families import of_family
from hybridize.machine.target import Target, named_target
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.processors import cache_bytes

_LOCK = awaited(threading.RLock(), 2)
"""Held whenever LLVM is called: llvmlite has a lock around each call, which no child that is forked meanwhile gets."""


@functools.cache
def _llvm() -> Any:
    """`llvmlite.binding`, ready for this machine."""
    with LOADING:
        import llvmlite.binding as llvm

    with _LOCK:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()  # for the instructions by which a library asks what processor this is
    return llvm


@functools.cache
def host_target() -> Target:
    """The machine this runs on: its own processor and features, at the widest level it reaches."""
    llvm = _llvm()
    with _LOCK:
        features, name = llvm.get_host_cpu_features(), llvm.get_host_cpu_name()
    # What is absent is said too: a processor's name may promise a feature that the operating system withholds.
    flat = ",".join(f"{'+' if present else '-'}{one}" for one, present in sorted(features.items()))
    target = dataclasses.replace(
        named_target(runnable()[0]),
        cpu=_processor_name(name, features),
        features=flat,
        l1_bytes=cache_bytes(1) or Target.l1_bytes,
        l2_bytes=cache_bytes(2) or Target.l2_bytes,
    )
    return of_family(target, "intel" if "GenuineIntel" in _cpu_facts() else "other")


def version() -> str:
    """Name the release of LLVM."""
    return ".".join(map(str, _llvm().llvm_version_info))


@functools.cache
def _cpu_facts() -> str:
    """Read what the operating system tells of the first processor; empty where it tells nothing."""
    try:
        return Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError as error:
        let_through(error)
        return ""


def _processor_name(name: str, features: dict[str, bool]) -> str:
    """LLVM's name of the processor: a hypervisor may hide the model, and then LLVM guesses an older one."""
    return "sapphirerapids" if features.get("amx-tile") and name in _BEFORE_AMX else name


_BEFORE_AMX = frozenset({"skylake-avx512", "cascadelake", "cooperlake", "icelake-server", "icelake-client",
                         "rocketlake", "tigerlake", "x86-64", "x86-64-v4"})  # fmt: skip


class _Machine:
    """LLVM's code generator for all targets that are one to LLVM, kept for the life of the process."""

    def __init__(self, triple: str, cpu: str, features: str, level: int) -> None:
        processor = triple.partition("-")[0]
        if processor != platform.machine():
            _llvm().initialize_all_targets()
            _llvm().initialize_all_asmprinters()
        # The linker of WebAssembly places data itself; code that finds its own address exists there for shared modules.
        reloc = "static" if processor == "wasm32" else "pic"
        self.generator = (
            _llvm()
            .Target.from_triple(triple)
            .create_target_machine(cpu=cpu, features=features, opt=level, reloc=reloc, codemodel="small")
        )
        self.layout = str(self.generator.target_data)


def _machine(target: Target, level: int = 2) -> _Machine:
    return _machine_of(target.triple, target.cpu, target.features, level)


@functools.cache
def _machine_of(triple: str, cpu: str, features: str, level: int) -> _Machine:
    return _Machine(triple, cpu, features, level)


def _parsed(text: str, target: Target) -> Any:
    try:
        module = _llvm().parse_assembly(text)
    except RuntimeError as problem:
        let_through(problem)
        where = _numbered(text, str(problem))
        raise CodegenError("E962", f"LLVM does not take this module: {problem}\n{where}") from None
    module.triple = target.triple
    module.data_layout = _machine(target).layout
    return module


def _numbered(text: str, problem: str) -> str:
    """The lines around the one that LLVM complains of."""
    match = re.search(r":(\d+):\d+: error", problem)
    line = int(match[1]) if match else 1
    lines = text.splitlines()
    return "\n".join(f"{n + 1:5} {lines[n]}" for n in range(max(0, line - 6), min(len(lines), line + 3)))


@contextmanager
def _no_strength_reduction() -> Iterator[None]:
    """Switch one pass of code generation off: a third of the time, and our loops run no faster with it.

    LLVM has it as an option of the process. llvmlite's lock is held until it is back, so that nobody else who generates
    code here (Numba, say) runs without that pass.
    """
    llvm = _llvm()
    with llvm.ffi.lib._lock:
        llvm.set_option("", "-disable-lsr=true")
        try:
            yield
        finally:
            llvm.set_option("", "-disable-lsr=false")


def compile_module(text: str, target: Target) -> Loaded:
    """Compile a module of LLVM IR and load it, resolving libm, the C library and CPython from this process.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
        CodegenError E963: the module names a symbol that is nowhere.
        CodegenError E965: the target is another machine than this one.
    """
    check_runnable(target)
    return Loaded(compile_image(text, target))


def working_level(target: Target) -> int:
    """Return the level of code generation for what works on the machine that a target is.

    For x86-64 level 1 gives the instructions of level 2, for a tenth to a fifth less of LLVM's time. Where they differ
    (Zen), it is in their order within a block once registers are given, and in some of these: such processors choose
    the order anew, and 15 programs, measured in turn, were as fast.
    """
    return 1 if target.triple.startswith("x86_64") else 2


def check_runnable(target: Target) -> None:
    """Make sure that code for `target` may be loaded here.

    Raises:
        CodegenError E965: the target is another machine than this one.
    """
    if target.name not in runnable():
        raise CodegenError("E965", f"{target.name} does not run on this machine, which runs {', '.join(runnable())}")


def compile_image(text: str, target: Target, level: int = 2) -> Image:
    """Compile a module of LLVM IR to an image, which can be stored, and loaded where the target is at home.

    Args:
        text: the module.
        target: the machine to compile for.
        level: of code generation: 0 takes a third of the time, for code that seldom runs.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
    """
    return link(emit_object(text, target, level))


def compile_program(module: Module, target: Target, store: CodeStore | None = None) -> Image:
    """Compile a program to an image: what works as `compile_image` does, what seldom runs or only calls at level 0.

    Half of a program's functions only call others. Level 0 takes a third of the time for them, and gives them as many
    instructions: they have no others than those of their IR. Functions that are in `store` are not compiled, and others
    are kept there, but for those that the image exports: they are the program's own.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
    """
    parts, working, machine = (
        Parts(module),
        working_level(target),
        repr((target.triple, target.cpu, target.features, version())),
    )
    levels = {name: 0 if name in parts.plain else working for name in module.functions}
    keys: dict[str, FunctionKey] = {}
    names: dict[str, tuple[str, ...]] = {}
    if store is not None:
        for name in (name for name in levels if name not in parts.exported):
            text, names[name] = parts.outline(name)
            keys[name] = function_key(f"{machine} {levels[name]}\n{text}")
    known = {} if store is None else store.find(keys.values())
    code = {name: named(known[key], names[name]) for name, key in keys.items() if key in known}
    for level in sorted(set(levels.values()), reverse=True):
        missing = [name for name in levels if name not in code and levels[name] == level]
        if missing:
            code |= split(emit_object(parts.text(missing), target, level))
    if store is not None:
        others = module.functions.keys() | module.variables
        store.keep(
            {
                key: outlined(code[name], names[name])
                for name, key in keys.items()
                if key not in known and code[name].refers_to(others) <= set(names[name])
            }
        )
    return link_functions({name: code[name] for name in levels}, parts.exported, module.variables)


def emit_object(text: str, target: Target, level: int = 2) -> bytes:
    """Compile a module of LLVM IR for any target, to a relocatable object: ELF, or WebAssembly's own form.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
    """
    with _LOCK:
        return _emitted(text, target, level)


def _emitted(text: str, target: Target, level: int) -> bytes:
    """Return the object; a function of its own, so that the module is freed, which is a call, while LLVM is locked."""
    module = _parsed(text, target)
    with _no_strength_reduction():
        object_bytes: bytes = _machine(target, level).generator.emit_object(module)
    return object_bytes


def assembly(text: str, target: Target) -> str:
    """The module as assembly, to read: `explain` shows it, and spills are looked for in it."""
    with _LOCK:
        return _assembled(text, target)


def _assembled(text: str, target: Target) -> str:
    module = _parsed(text, target)
    with _no_strength_reduction():
        return str(_machine(target).generator.emit_assembly(module))
