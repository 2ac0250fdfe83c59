# SPDX-License-Identifier: Apache-2.0
"""The one door to LLVM: text of its IR made into objects and assembly.

llvmlite is loaded when something is first compiled (0.1-0.2 s), never by `import hybridize`. No pass over the IR is
run: it is written vectorised, and code generation is all that pays.

llvmlite lets one thread at a time into LLVM. LLVM itself asks for less: modules of different contexts may be compiled
at once, by code generators of their own. So we hold llvmlite's lock while several threads of ours call the functions
of its library, each in a context that goes with the module.
"""

from __future__ import annotations

import ctypes
import functools
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from hybridize import system
from hybridize.base.errors import CodegenError
from hybridize.base.forks import awaited
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.requirements import load
from hybridize.machine.target import Target, family
from hybridize.system.interruptions import let_through

TRIED: Final = "0.50.0"
"""The newest release of llvmlite that hybridize has been tried with."""
LOCK: Final = awaited(threading.RLock(), 2)
"""Held whenever LLVM is called: no child that is forked meanwhile gets LLVM, or llvmlite's lock, in mid-call."""


@frozen
class ModuleText:
    """A module as text, and the level of code generation for it: 0 takes a third of the time, for code that seldom
    runs.
    """

    text: str
    level: int = 2


@functools.cache
def binding() -> Any:
    """`llvmlite.binding`, ready for this machine.

    Raises:
        ImportError: it is not installed, or of another release than hybridize takes, or the system does not load it.
    """
    try:
        with LOADING:
            load("llvmlite")
            import llvmlite.binding as llvm
    except OSError as error:
        let_through(error)
        reason = error.__context__ or error  # llvmlite says that there is no file, whatever the system says
        text = f"the system does not load llvmlite: {reason}: free memory, or raise its limit (ulimit -v)"
        raise ImportError(f"{text}; or install llvmlite again", name="llvmlite") from None

    with LOCK:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()  # for the instructions by which a library asks what processor this is
    return llvm


def version() -> str:
    """Name the release of LLVM."""
    return ".".join(map(str, binding().llvm_version_info))


def emit_object(text: str, target: Target, level: int = 2) -> bytes:
    """Compile a module of LLVM IR for any target, to a relocatable object: ELF, or WebAssembly's own form.

    Raises:
        CodegenError E962: LLVM rejects the text, which is our bug; the lines at fault are in the message.
    """
    return emit_objects([ModuleText(text, level)], target)[0]


def emit_objects(sources: Sequence[ModuleText], target: Target, threads: int = 1) -> list[bytes]:
    """Compile modules as `emit_object` does, up to `threads` of them at once, the first ones first."""
    with LOCK:
        return _Emission(sources, target, _OBJECT).run(threads)


def assembly(text: str, target: Target, level: int = 2) -> str:
    """The module as assembly, to read: `explain` shows it, and spills are looked for in it."""
    with LOCK:
        return _Emission([ModuleText(text, level)], target, _ASSEMBLY).run(1)[0].decode()


_ASSEMBLY, _OBJECT = 0, 1
"""Kinds of output, in LLVM's numbers."""


class _Emission:
    """Modules on their way to output of one kind."""

    def __init__(self, sources: Sequence[ModuleText], target: Target, kind: int) -> None:
        self._sources, self._target, self._kind = sources, target, kind
        # Before the first line, not above it: LLVM counts lines.
        self._head = f'target datalayout = "{_layout(target)}" target triple = "{target.triple}" '
        self._numbers = iter(range(len(sources)))  # `next` of it is one step for all threads
        self._results: list[bytes] = [b""] * len(sources)
        self._problems: dict[int, Exception] = {}

    def run(self, threads: int) -> list[bytes]:
        """Compile all; raises what the first one that fails raises."""
        levels = {source.level for source in self._sources}
        # A thread that an interrupt leaves behind has its generators for itself.
        kits = [
            {level: _lent(self._target, level) for level in levels}
            for _ in range(max(1, min(threads, len(self._sources))))
        ]
        helpers = [threading.Thread(target=self._work, args=(kit,), name="hybridize-llvm") for kit in kits[1:]]
        running: list[threading.Thread] = []
        with _no_strength_reduction():
            try:
                for helper in helpers:
                    try:
                        helper.start()
                    except RuntimeError:  # no thread is to be had: this one does it all
                        break
                    running.append(helper)
                self._work(kits[0])
            finally:
                for helper in running:
                    helper.join()
        for kit in kits:
            for level, generator in kit.items():
                _generators(self._target, level).append(generator)
        if self._problems:
            raise self._problems[min(self._problems)]
        return self._results

    def _work(self, generators: dict[int, Any]) -> None:
        for number in self._numbers:
            source = self._sources[number]
            try:
                self._results[number] = _library().output(
                    self._head + source.text, generators[source.level], self._kind
                )
            except CodegenError as problem:
                self._problems[number] = problem


class _Library:
    """The functions of LLVM's library that are called here, without llvmlite's lock."""

    def __init__(self) -> None:
        functions = ctypes.CDLL(binding().ffi.lib._name)  # the one that is loaded already, with types of our own

        def function(name: str, returns: Any, *takes: Any) -> Any:
            one = getattr(functions, f"LLVMPY_{name}", None)
            if one is None:
                what = f"hybridize needs LLVMPY_{name}, which this llvmlite does not have"
                raise ImportError(f"{what}: pip install 'llvmlite=={TRIED}'", name="llvmlite")
            one.restype, one.argtypes = returns, takes
            return one

        pointer, message = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
        self._create_context = function("ContextCreate", pointer)
        self._dispose_context = function("ContextDispose", None, pointer)
        self._parse = function("ParseAssembly", pointer, pointer, ctypes.c_char_p, message)
        self._dispose_module = function("DisposeModule", None, pointer)
        self._verify = function("VerifyModule", ctypes.c_int, pointer, message)
        self._emit = function("TargetMachineEmitToMemory", pointer, pointer, pointer, ctypes.c_int, message)
        self._start = function("GetBufferStart", pointer, pointer)
        self._size = function("GetBufferSize", ctypes.c_size_t, pointer)
        self._dispose_buffer = function("DisposeMemoryBuffer", None, pointer)
        self._dispose_string = function("DisposeString", None, pointer)

    def output(self, text: str, generator: Any, kind: int) -> bytes:
        """Compile a module in a context of its own.

        Raises:
            CodegenError E962: LLVM rejects it.
        """
        context = self._create_context()
        try:
            problem = ctypes.c_void_p()
            module = self._parse(context, text.encode(), ctypes.byref(problem))
            try:
                if problem:
                    raise _rejection(text, self._message(problem))
                if kind == _ASSEMBLY:  # that is, of a device's kernels: for a value that is not there LLVM aborts
                    failed = self._verify(module, ctypes.byref(problem))
                    complaint = self._message(problem) if problem else ""
                    if failed:
                        raise _rejection(text, complaint)
                    problem = ctypes.c_void_p()
                buffer = self._emit(generator, module, kind, ctypes.byref(problem))
            finally:
                if module:
                    self._dispose_module(module)
            if not buffer:
                raise _rejection(text, self._message(problem))
            try:
                return ctypes.string_at(self._start(buffer), self._size(buffer))
            finally:
                self._dispose_buffer(buffer)
        finally:
            self._dispose_context(context)

    def _message(self, problem: ctypes.c_void_p) -> str:
        assert problem.value is not None
        text = ctypes.string_at(problem.value).decode(errors="replace")
        self._dispose_string(problem)
        return text


_library = functools.cache(_Library)


def _rejection(text: str, problem: str) -> CodegenError:
    """The error, with the lines around the one that LLVM complains of."""
    match = re.search(r":(\d+):\d+: error", problem)
    line = int(match[1]) if match else 1
    lines = text.splitlines()
    where = "\n".join(f"{n + 1:5} {lines[n]}" for n in range(max(0, line - 6), min(len(lines), line + 3)))
    return CodegenError("E962", f"LLVM does not take this module: {problem}\n{where}")


def _lent(target: Target, level: int) -> Any:
    """A code generator that no other thread has."""
    free = _generators(target, level)
    return free.pop() if free else _generator(target.triple, target.cpu, target.features, level)


def _generators(target: Target, level: int) -> list[Any]:
    """The code generators that nobody uses now; targets that are one to LLVM share them."""
    return _free(target.triple, target.cpu, target.features, level)


@functools.cache
def _free(triple: str, cpu: str, features: str, level: int) -> list[Any]:
    return []


def _generator(triple: str, cpu: str, features: str, level: int) -> Any:
    processor = family(triple)
    if processor != system.PROCESSOR:
        binding().initialize_all_targets()
        binding().initialize_all_asmprinters()
    # The linker of WebAssembly places data itself; code that finds its own address exists there for shared modules.
    reloc = "static" if processor == "wasm32" else "pic"
    return (
        binding()
        .Target.from_triple(triple)
        .create_target_machine(cpu=cpu, features=features, opt=level, reloc=reloc, codemodel="small")
    )


def _layout(target: Target) -> str:
    return _layout_of(target.triple, target.cpu, target.features)


@functools.cache
def _layout_of(triple: str, cpu: str, features: str) -> str:
    return str(_generator(triple, cpu, features, 2).target_data)


@contextmanager
def _no_strength_reduction() -> Iterator[None]:
    """Switch one pass of code generation off: a third of the time, and our loops run no faster with it.

    LLVM has it as an option of the process. llvmlite's lock is held until it is back, so that nobody else who generates
    code here (Numba, say) runs without that pass.
    """
    llvm = binding()
    with llvm.ffi.lib._lock:
        llvm.set_option("", "-disable-lsr=true")
        try:
            yield
        finally:
            llvm.set_option("", "-disable-lsr=false")
