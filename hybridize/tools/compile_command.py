# SPDX-License-Identifier: Apache-2.0
"""`hybridize compile`: compile an object of a Python module for given inputs, and export it.

    exported("train:net", ["f32[n,512]"], "library", "build/net")

A size that is a name is left open: it is captured at two sizes, which makes it a symbol, and at 1, which is a program
of its own.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import hybridize
from hybridize.base.dtypes import BY_CODE
from hybridize.base.errors import ArgumentError, HybridizeError, StateError
from hybridize.base.loading import LOADING
from hybridize.base.locations import location_in
from hybridize.capture import Function
from hybridize.formats.atomic import write_atomically
from hybridize.formats.exporting import Exported
from hybridize.gluon import Block, HybridBlock
from hybridize.gluon.imported_block import ImportedBlock
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.programs import Program

_TYPE = re.compile(r"([a-z]+\d*)\[([^\]]*)\]")
_SIZES: Final = ((12, 20), (28, 36), (44, 52), (60, 68), (76, 84), (92, 100), (108, 116), (124, 132))
"""For each name the sizes of two calls: all different, so that no two names are taken for one, and even, so that halves
and quarters exist."""
KERNELS: Final = {"ptx": ("sm_80", "sm_90"), "wgsl": ("webgpu",)}
"""The languages of GPUs' kernels, with the targets of each, the usual one first."""
"""The format of kernels as text."""
Tell = Callable[[str], None]


def target_object(thing: str) -> Any:
    """The object called `MODULE:NAME`, the module looked for in the current folder first; or a saved file.

    Raises:
        ArgumentError E349: there is none.
    """
    if Path(thing).is_file() and ":" not in thing:
        return hybridize.load(thing)
    module, colon, name = thing.partition(":")
    if not (module and colon and name):
        text = f"{thing!r} is neither MODULE:NAME nor a saved file"
        raise ArgumentError("E349", text, help="for `net` in train.py write train:net")
    if module.endswith(".py"):
        module = module[:-3].replace("/", ".")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        at: Any = importlib.import_module(module)
    except HybridizeError:
        raise
    except Exception as error:
        text = f"importing {module} raises {type(error).__name__}: {error}"
        remedy = f"python -c 'import {module}' shows where"
        raise ArgumentError("E349", text, loc=location_in(error), help=remedy) from error
    for part in name.split("."):
        if not hasattr(at, part):
            raise ArgumentError("E349", f"{module} has no {name!r}", help="pass the object's name in the module")
        at = getattr(at, part)
    return at


def callable_of(thing: Any, name: str) -> Any:
    """An object as something that compiles: itself where it is hybridized, else hybridized.

    Raises:
        ArgumentError E301, E349: it is nothing that can be compiled.
    """
    if isinstance(thing, type):
        raise ArgumentError("E349", f"{name} is a class", help="pass an object of the class: net = Net() in the module")
    if isinstance(thing, Block) and not isinstance(thing, HybridBlock):
        text = f"{name} is a {type(thing).__name__}, which runs as Python only"
        raise ArgumentError("E349", text, help="derive it from HybridBlock; use HybridSequential instead of Sequential")
    door = sys.modules.get("hybridize.torch")
    if isinstance(thing, Function) or (door is not None and isinstance(thing, door.TorchFunction)):
        return thing
    if isinstance(thing, HybridBlock) and thing.active:
        return thing
    return hybridize.hybridize(thing)


def calls(specs: Sequence[str]) -> tuple[list[list[Any]], list[str]]:
    """The specifications of the calls to compile for, and the names of sizes that are to be left open.

    Raises:
        ArgumentError E339: a text is neither a type nor a number; there are too many names.
    """
    names: dict[str, None] = {}
    for spec in specs:
        names.update((part, None) for part in _dims(spec) if not part.isdecimal())
    if len(names) > len(_SIZES):
        text = f"{len(names)} sizes are left open ({', '.join(names)}), {len(_SIZES)} can be"
        raise ArgumentError("E339", text, help="give numbers for some of the sizes")
    if not names:
        return [[_spec(spec, {}) for spec in specs]], []
    both = [{name: sizes[k] for name, sizes in zip(names, _SIZES, strict=False)} for k in (0, 1)]
    ones = [dict.fromkeys(names, 1)]
    return [[_spec(spec, sizes) for spec in specs] for sizes in (*both, *ones)], list(names)


def _dims(spec: str) -> Iterator[str]:
    match = _TYPE.fullmatch(spec.replace(" ", ""))
    for part in match[2].split(",") if match and match[2] else ():
        if not (part.isdecimal() or part.isidentifier()):
            raise ArgumentError("E339", f"{spec!r}: {part!r} is not a size", help="use a number or a name for any size")
        yield part


def _spec(spec: str, sizes: dict[str, int]) -> Any:
    match = _TYPE.fullmatch(spec.replace(" ", ""))
    if match is not None and match[1] in BY_CODE:
        return f"{match[1]}[{','.join(str(sizes.get(part, part)) for part in _dims(spec))}]"
    for number in (int, float):
        try:
            return number(spec)
        except ValueError:
            continue
    text = f"{spec!r} is neither a type nor a number"
    raise ArgumentError("E339", text, help=f"write it as in f32[1,512], i64[n] or 0.5; dtypes are {', '.join(BY_CODE)}")


def compiled(thing: Any, specs: Sequence[str], tell: Tell) -> tuple[list[Program], list[str]]:
    """Compile for inputs of these types; the second result says what of the open sizes could not be had.

    Raises:
        ArgumentError E339, E349: a specification that is none, a size that cannot be left open; the call
            itself raises something.
    """
    wanted, names = calls(specs)
    notes: list[str] = []
    programs: list[Program] = []
    for number, call in enumerate(wanted):
        tell(f"compiling for {', '.join(map(str, call))}")
        try:
            programs.append(thing.compile(*call))
        except HybridizeError as error:
            if number < 2:
                raise
            notes.append(f"not for {', '.join(f'{name} = 1' for name in names)}: {error.what}")
        except Exception as error:
            text = f"calling it with {', '.join(map(str, call))} raises {type(error).__name__}: {error}"
            remedy = "give --input once per argument, of the types that it takes"
            raise ArgumentError("E349", text, loc=location_in(error), help=remedy) from error
    if names:
        general = programs[1]
        if general.captured.scope is None:
            text = f"{', '.join(names)} cannot be left open: {general.reason or 'the program needs the very size'}"
            raise ArgumentError("E339", text, help="give a number; each size then gets its own program")
        if programs[0] is not general:
            thing.forget(programs[0])  # the general one runs what it is for
            del programs[0]
    return programs, notes


def exported(
    name: str, specs: Sequence[str], format: str, path: str, *, tell: Tell, options: dict[str, Any]
) -> tuple[Exported, list[str]]:
    """Compile and export; see `hybridize compile --help`."""
    tell(f"importing {name}")
    thing = callable_of(target_object(name), name)
    model = isinstance(thing, ImportedBlock)
    declared = [str(port).rpartition(": ")[2] for port in thing.inputs] if model else []
    if model and all(port.shape is not None and all(type(one) is int for one in port.shape) for port in thing.inputs):
        specs = specs or declared
    programs, notes = compiled(thing, specs, tell) if specs else ([], [])
    if format in KERNELS:
        return kernels(programs, name, path, format, **options), notes
    try:
        export = thing.export(path, format=format, **options)
    except StateError as error:
        if error.code not in ("E506", "E533"):
            raise
        text = f"{name} was not called yet, so nothing says what goes in"
        example = " ".join(f'--input "{spec}"' for spec in declared or ["f32[1,512]"])
        raise StateError(error.code, text, help=f"give --input once per argument, as in {example}") from None
    if not isinstance(export, Exported):  # MXNet's pair
        export = Exported(tuple(file for file in export if file is not None), ("read back and run as expected",))
    return export, notes


def kernels(
    programs: Sequence[Program], name: str, path: str, format: str, targets: str = "", **others: Any
) -> Exported:
    """Write the kernels that a program is on a GPU, as text to look at, behind the schedule that they are made of.

    Raises:
        ArgumentError E337: an option of other formats, or a machine that is no GPU.
        DeviceError E705: a part of the program has no code on GPUs yet.
        StateError E506: no input says what to compile for.
    """
    target, known = targets or KERNELS[format][0], KERNELS[format]
    if others or target not in known:
        what = f"the option {next(iter(others))!r}" if others else f"the target {target!r}"
        remedy = f"it takes a target: {', '.join(known)}"
        raise ArgumentError("E337", f"the format {format} does not take {what}", help=remedy)
    if not programs:
        text = f"{name} has no inputs to be compiled for"
        raise StateError("E506", text, help='give --input once per argument, as in --input "f32[1,512]"')
    with LOADING:
        from hybridize.codegen.llvm.device.program import build_kernels  # late: most commands compile nothing
        from hybridize.codegen.wgsl.binding import WgslBinder

    program = build_kernels(PIPELINE.run(programs[0].captured), named_target(target))
    binder = WgslBinder()
    if format == "wgsl":
        binder.bind(program)
    code = program.ptx() if format == "ptx" else binder.text()
    comments = "".join(f"// {line}\n" for line in str(program.schedule).splitlines())
    file = path if path.endswith(f".{format}") else f"{path}.{format}"
    write_atomically(file, [f"{comments}{code}".encode()])
    return Exported((file,), ("nothing: no GPU has run these kernels",))


def targets(format: str, machines: Sequence[str] | None) -> Any:
    """The option `targets` of a format: a machine, or levels.

    Raises:
        ArgumentError E337: several machines.
    """
    if not machines:
        return None
    if format in ("archive", "wheel"):
        return tuple(machines) if len(machines) > 1 else machines[0]
    if len(machines) > 1:
        text = f"a {format} is for one machine, got {', '.join(machines)}"
        raise ArgumentError("E337", text, help="export once for each, to different folders")
    return machines[0]


def text(exported: Exported, notes: Sequence[str]) -> str:
    """Describe the files that were written and checked, and what else is worth telling."""
    return "\n".join([str(exported), *(f"note: {line}" for line in notes)])
