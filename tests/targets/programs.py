"""Programs for machines that this one is not: emitted, written beside their inputs, run elsewhere, read back.

The file `given` holds little-endian int64 numbers and arrays, each array filled up to a multiple of 8 bytes: for every
program the count of inputs and each as size and bytes; the count of constants (the values of size symbols are one more)
and each as the number of the function that packs it (-1: none), its packed size, its size and bytes; the count of
outputs and their sizes; the size of the scratch. `found` holds the outputs, end to end.
"""

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy

import hybridize.codegen.wasm
from hybridize.base.dims import parse_scope
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.llvm.program import build
from hybridize.codegen.wasm.link import link
from hybridize.formats.library.declared import undefined
from hybridize.machine.target import Target, named_target
from hybridize.runtime.buffers import dense
from tests.platforms.compilers import commands

LIBRARY = Path(hybridize.codegen.wasm.__file__).with_name("library.mjs")
HERE = Path(__file__).parent
NODE = shutil.which("node")
ARGUMENTS = dict.fromkeys(("atan2", "fmod", "hypot", "nextafter", "pow", "remainder", "copysign"), 2) | {"fma": 3}
"""Of functions of C's mathematics library, where there are several."""


class Programs:
    """Graphs with their inputs, built for a target, by its name or itself, into a folder."""

    def __init__(self, jobs, target, folder):
        self.folder = folder
        self.jobs = [(graph, [dense(x) for x in inputs]) for graph, inputs in jobs]
        self.target = target if isinstance(target, Target) else named_target(target)
        self.built = [
            build(graph, self.target, f"program{k}", interruptible=False) for k, (graph, _) in enumerate(self.jobs)
        ]
        self.objects = [emit_object(built.module.text(), self.target) for built in self.built]
        (folder / "given").write_bytes(
            b"".join(_given(b, inputs) for b, (_, inputs) in zip(self.built, self.jobs, strict=True))
        )

    def in_node(self, timed=False):
        """Outputs of each program, and with `timed` the microseconds of a call of each."""
        names = []
        for k, (built, object_bytes) in enumerate(zip(self.built, self.objects, strict=True)):
            (self.folder / f"{k}.wasm").write_bytes(link(object_bytes).module)
            names.append({"program": f"program{k}", "derivations": [one.function for one in built.plan.derivations]})
        (self.folder / "names").write_text(json.dumps(names))
        command = [NODE, HERE / "run.mjs", self.folder, LIBRARY, "timed" if timed else "once"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return self._found(), json.loads((self.folder / "times").read_text())

    def in_c(self):
        """Outputs of each program, all linked into one static executable.

        It is one of Linux, whatever system the code is for: what differs is how functions are called.
        """
        compiler, *emulator = commands(self.target.processor)
        windows = self.target.system == "windows"
        table = [_called_by_windows(name) for name in sorted(self._needs()) if windows and name != "__chkstk"]
        for k, built in enumerate(self.built):
            functions = [one.function for one in built.plan.derivations]
            # Names of ours have dots, which C's do not.
            declared = [f'extern derivation d{k}_{n} __asm__("{name}");' for n, name in enumerate(functions)]
            listed = ", ".join(f"d{k}_{n}" for n in range(len(functions)))
            table += [f"extern program program{k};", *declared]
            table.append(f"static derivation *derivations{k}[] = {{{listed or 0}}};")
            (self.folder / f"{k}.o").write_bytes(self.objects[k])
            if windows:
                renamed = [f"--redefine-sym={name}=by_windows_{name}" for name in self._needs() - {"__chkstk"}]
                subprocess.run(["objcopy", *renamed, self.folder / f"{k}.o"], check=True)
        count = range(len(self.built))
        table.append(f"static program *programs[] = {{{', '.join(f'program{k}' for k in count)}}};")
        table.append(f"static derivation **derivations[] = {{{', '.join(f'derivations{k}' for k in count)}}};")
        (self.folder / "table.h").write_text("\n".join(table))
        run, objects = self.folder / "run", [self.folder / f"{k}.o" for k in count]
        # Each program of several sizes brings its own `prepare`, which nothing here calls.
        flags = ["-static", "-O1", "-fno-omit-frame-pointer", f"-I{self.folder}", "-Wl,--allow-multiple-definition"]
        flags += ["-DWINDOWS"] if windows else []
        subprocess.run([compiler, *flags, HERE / "run.c", *objects, "-lm", "-o", run], check=True)
        with (self.folder / "given").open("rb") as given, (self.folder / "found").open("wb") as found:
            subprocess.run([*emulator, run], stdin=given, stdout=found, check=True)
        return self._found()

    def _needs(self):
        """The names that the objects do not define."""
        return {name for one in self.objects for name in undefined(one)}

    def _found(self):
        raw, at, results = (self.folder / "found").read_bytes(), 0, []
        for built, (_, inputs) in zip(self.built, self.jobs, strict=True):
            results.append([])
            plan, _ = _plan(built, inputs)
            for type_ in plan.types(plan.outputs):
                part = raw[at : at + type_.nbytes]
                results[-1].append(numpy.frombuffer(part, numpy.uint8).view(type_.dtype).reshape(type_.shape))
                at += type_.nbytes
        assert at == len(raw)
        return results


def _called_by_windows(name):
    """C for a function that programs call as Windows does, and that calls the one of this system."""
    if name in ("memcpy", "memmove", "memset"):
        second = "int" if name == "memset" else "const void *"
        taken, passed, returned = f"void *x, {second} y, size_t n", "x, y, n", "void *"
    else:
        returned = "float" if name.endswith("f") and name != "erf" else "double"
        names = ["x", "y", "z"][: ARGUMENTS.get(name.removesuffix("f") if returned == "float" else name, 1)]
        taken, passed = ", ".join(f"{returned} {one}" for one in names), ", ".join(names)
    head = f"CALLED __attribute__((noinline)) {returned} by_windows_{name}({taken})"
    return f"{head} {{ {returned} made = {name}({passed}); SCRIBBLE; return made; }}"


def _number(*values):
    return struct.pack(f"<{len(values)}q", *values)


def _array(x):
    raw = x.tobytes()
    return _number(len(raw)) + raw + bytes(-len(raw) % 8)


def _plan(built, inputs):
    """The plan at the sizes of the inputs, and the values of its symbols."""
    plan = built.plan
    if not plan.sizes:
        return plan, []
    shapes = [(buffer.shape, x.shape) for buffer, x in zip(plan.inputs, inputs, strict=True)]
    seen = {one: size for pair in shapes for one, size in zip(*pair, strict=True) if isinstance(one, str)}
    sizes = {symbol.name: seen[symbol.name] for symbol in parse_scope(plan.sizes)[0].symbols}
    # The program finds the values behind its constants.
    return plan.at(sizes), [numpy.array(list(sizes.values()))]


def _given(built, inputs):
    plan, sizes = _plan(built, inputs)
    derived = {one.slot: (number, one) for number, one in enumerate(plan.derivations)}
    constants = [*built.constants, *sizes]
    parts = [_number(len(inputs)), *map(_array, inputs), _number(len(constants))]
    for slot, constant in enumerate(constants):
        number, one = derived.get(slot, (-1, None))
        if one is None:
            parts += [_number(number), _array(dense(constant))]
            continue
        assert not one.inputs
        sources = [_array(dense(built.sources[source.number])) for source in one.sources]
        parts += [_number(number, one.nbytes, one.scratch_bytes, len(sources)), *sources]
    sizes = [output.nbytes for output in plan.outputs]
    return b"".join([*parts, _number(len(sizes), *sizes, plan.scratch_bytes)])
