# SPDX-License-Identifier: Apache-2.0
"""LLVM IR text made into code that can be called, and what machine this is for LLVM."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from heapq import heapreplace
from operator import itemgetter

from hybridize import system
from hybridize.base import platforms
from hybridize.base.errors import CodegenError
from hybridize.codegen.functions import CodeStore, FunctionKey, function_key, named, outlined
from hybridize.codegen.levels import runnable as runnable
from hybridize.codegen.link import link, link_functions
from hybridize.codegen.llvm.objects import LOCK, ModuleText, binding, emit_object, emit_objects, version
from hybridize.codegen.llvm.parts import PLAIN_SPEED, SHARE, Parts
from hybridize.codegen.llvm.text import Module
from hybridize.codegen.split import split
from hybridize.machine.families import of_family
from hybridize.machine.target import Target, named_target
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.processors import features as processor_features


@functools.cache
def host_target() -> Target:
    """The machine this runs on: its own processor and features, at the widest level it reaches."""
    llvm = binding()
    with LOCK:
        features, name = llvm.get_host_cpu_features(), llvm.get_host_cpu_name()
    # What is absent is said too: a processor's name may promise a feature that the operating system withholds.
    named = named_target(runnable()[0])
    if named.processor == "aarch64":  # LLVM reads a file for it, which emulators and containers may lack
        features = {**features, "dotprod": features.get("dotprod", False) or "asimddp" in processor_features()}
    flat = [f"{'+' if present else '-'}{one}" for one, present in sorted(features.items())]
    target = dataclasses.replace(
        named,
        cpu=_processor_name(named, name, features),
        features=",".join(filter(None, [named.features, *flat])),
        l1_bytes=system.cache_bytes(1) or Target.l1_bytes,
        l2_bytes=system.cache_bytes(2) or Target.l2_bytes,
    )
    is_intel = any("GenuineIntel" in fact for fact in system.processor_facts())
    return of_family(target, "intel" if is_intel else "other")


def _processor_name(named: Target, name: str, features: dict[str, bool]) -> str:
    """LLVM's name of the processor: a hypervisor may hide the model, and then LLVM guesses an older one.

    On AArch64 that of the named target, whose tiles fill the registers: the schedules of some models spill, and LLVM 22
    ends the process over one of them (Oryon), whose model lacks loads of pairs. The features are the processor's own.
    """
    if named.processor == "aarch64":
        return named.cpu
    return "sapphirerapids" if features.get("amx-tile") and name in _BEFORE_AMX else name


_BEFORE_AMX = frozenset({"skylake-avx512", "cascadelake", "cooperlake", "icelake-server", "icelake-client",
                         "rocketlake", "tigerlake", "x86-64", "x86-64-v4"})  # fmt: skip


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
    return 1 if target.processor == "x86_64" else 2


def check_runnable(target: Target) -> None:
    """Make sure that code for `target` may be loaded here.

    Raises:
        CodegenError E965: the target is another machine than this one.
    """
    if target.name not in runnable():
        raise CodegenError("E965", f"{target.name} does not run on this machine, which runs {', '.join(runnable())}")
    if target.system != system.NAME:
        raise CodegenError(
            "E965",
            f"{target.label} does not run on this machine: its code is for {platforms.machine_title(target.machine)}, "
            f"and this is {platforms.machine_title(platforms.here())}",
            help=f"name the level alone, {target.name}, to run it here; code for other systems is for files that are "
            "loaded there",
        )


def compile_image(text: str, target: Target, level: int = 2) -> Image:
    """Compile a module of LLVM IR to an image, which can be stored, and loaded where the target is at home.

    Args:
        text: the module.
        target: the machine to compile for.
        level: of code generation: 0 takes a third of the time, for code that seldom runs.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
    """
    return link(emit_object(text, target, level), target.machine)


def compile_program(module: Module, target: Target, store: CodeStore | None = None, threads: int = 1) -> Image:
    """Compile a program to an image: what works as `compile_image` does, what seldom runs or only calls at level 0.

    Half of a program's functions only call others. Level 0 takes a third of the time for them, and gives them as many
    instructions: they have no others than those of their IR. Functions that are in `store` are not compiled, and others
    are kept there, but for those that the image exports: they are the program's own. Up to `threads` threads compile.

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
    missing = {name: level for name, level in levels.items() if name not in code}
    for content in emit_objects(_dealt(parts, missing, threads), target, threads):
        code |= split(content)
    if store is not None:
        others = module.functions.keys() | module.variables
        store.keep(
            {
                key: outlined(code[name], names[name])
                for name, key in keys.items()
                if key not in known and code[name].refers_to(others) <= set(names[name])
            }
        )
    return link_functions({name: code[name] for name in levels}, parts.exported, module.variables, target.machine)


def _dealt(parts: Parts, levels: Mapping[str, int], threads: int) -> list[ModuleText]:
    """Deal functions out to modules that threads compile at once; what takes longest comes first."""
    weights = {name: parts.length(name) // (1 if level else PLAIN_SPEED) for name, level in levels.items()}
    share = max(SHARE, sum(weights.values()) // threads)
    modules: list[tuple[int, int, list[str]]] = []
    for level in sorted(set(levels.values()), reverse=True):
        names = sorted((name for name in levels if levels[name] == level), key=weights.__getitem__, reverse=True)
        count = min(threads, max(1, round(sum(weights[name] for name in names) / share)))
        members: list[list[str]] = [[] for _ in range(count)]
        lightest = [(0, number) for number in range(count)]  # a heap
        for name in names:
            weight, number = lightest[0]
            members[number].append(name)
            heapreplace(lightest, (weight + weights[name], number))
        modules += ((weight, level, members[number]) for weight, number in lightest)
    modules.sort(key=itemgetter(0), reverse=True)
    return [ModuleText(parts.text(names), level) for _, level, names in modules]
