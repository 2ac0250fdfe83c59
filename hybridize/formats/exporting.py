# SPDX-License-Identifier: Apache-2.0
"""Exports: a saved program as files that run without this Python, each checked before it is in its place.

    export(program, path, "library")      -> Exported: the files, what was checked, what is not in them

| format  | files                                                         |
| ------- | ------------------------------------------------------------- |
| archive | `PATH`                                                        |
| library | `libNAME.so` (`.dylib`, `NAME.dll`), `NAME.h` in PATH's folder |
| object  | `NAME.o`, `NAME.h`                                            |
| wheel   | `NAME-VERSION-py3-none-PLATFORMS.whl`, `NAME-VERSION.tar.gz`   |
| wasm    | `NAME.wasm`, `NAME.mjs`, `NAME.d.mts`                          |
| web     | the same, for GPUs, too, and `NAME.html`                       |
| onnx    | `NAME.onnx`; weights above 1 GiB in `NAME.onnx.data`           |

NAME is what PATH is called, as an identifier of C. With `weights="beside"` a library has `NAME.safetensors` too, with
`bindings` the files of other languages and builds beside it (`formats.library.bindings`).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.formats import checking, file_set
from hybridize.formats.atomic import split
from hybridize.formats.deployable import Deployable, deployable
from hybridize.formats.saved import SavedProgram

FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "archive": ("targets",),
    "library": ("targets", "weights", "threads", "linker", "version", "bindings"),
    "object": ("targets", "weights", "threads"),
    "wheel": ("name", "version", "summary", "targets", "weights", "threads", "linker"),
    "wasm": (),
    "web": (),
    "onnx": ("opset", "input_names", "output_names"),
}
"""The formats that programs are exported as, and the options of each."""
STEPS: Final = ("library", "object")
"""The formats that hold trainers' steps: their models have states that a host reads, sets and stores."""
MACHINES: Final = ("x86_64-linux", "aarch64-linux", "x86_64-windows", "aarch64-macos", "x86_64-macos")
_SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "library": (".so", ".dylib", ".dll"),
    "object": (".o", ".obj"),
    "wheel": (".whl",),
    "wasm": (".wasm",),
    "web": (".html", ".wasm"),
    "onnx": (".onnx",),
}
BINDINGS: Final = ("cpp", "fortran", "rust", "cmake", "pkg-config")
"""Languages and builds that a library has files for beside it, where they are asked for."""
LEVELS: Final = ("avx512", "avx2", "baseline")
Check = Callable[[str], Sequence[str]]
"""Reads an archive back, runs its samples, and says what was compared."""


@frozen
class Exported:
    """The files that an export wrote, and how they were checked."""

    files: tuple[str, ...]
    checks: tuple[str, ...]
    """A line for each thing that was run and compared, and for each that could not be run here."""
    left_out: tuple[str, ...] = ()
    """Programs of the function that are not in the files (of other dtypes or numbers of axes, or of training), and what
    its calls only note in Python."""
    fixed: tuple[str, ...] = ()
    """Values fixed as in the call that was captured, and no input or output of the files: constants, training."""

    def __str__(self) -> str:
        lines = [f"{file}  {os.path.getsize(file):,} bytes" for file in self.files if os.path.exists(file)]
        lines += [f"checked: {line}" for line in self.checks]
        lines += [f"fixed: {line}" for line in self.fixed]
        lines += [f"left out: {line}" for line in self.left_out]
        return "\n".join(lines)


def export(
    program: SavedProgram,
    path: str | os.PathLike[str],
    format: str,
    *,
    check: Check,
    notes: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Exported:
    """Write a program in a format, check what was written, and put it in place.

    Args:
        program: with samples.
        path: of an archive; of other formats, the folder and the name of the model.
        format: one of `FORMATS`.
        check: reads an archive back and runs its samples: programs in memory are above this package.
        notes: what is to stand among the checks besides.
        progress: hears what is being done.
        options: `targets`, `weights`, `threads`, `linker`, `bindings`, `name`, `version`, `summary`,
            `opset`, `input_names`, `output_names`; see the table in docs/guide/deploy.md.

    Raises:
        ArgumentError E335 to E338: the folder is not there, an unknown format or option, a value that it does not take,
            a path that names no file.
        CaptureError E450, E454 to E457, E464 to E467: what the format has no counterpart for, or only Python can do.
        VerificationError E810, E812: what was written does not give what is expected; nothing has changed on the disk.
    """
    options = checked_options(format, options)
    tell = progress or (lambda _: None)
    folder, base = split(path)
    base = model_name(base, format)
    with file_set.temporary_folder(path) as temporary:
        staged = os.path.join(temporary, base)
        left_out: tuple[str, ...] = ()
        fixed: tuple[str, ...] = ()
        if format == "archive":
            with LOADING:
                from hybridize.formats import write_archive  # late: most exports are of other formats

            tell(f"writing {base}")
            write_archive(staged, program, **options)
            tell("running it on its samples")
            files, checks = [staged], list(check(staged))
        else:
            model = deployable(changed(program, name=base))
            if format == "onnx":
                model = _widest(model, options)
            left_out, fixed = model.left_out, model.fixed
            write, run = _WRITERS.get(format, (_library, _check_library))
            tell(f"compiling {model.name} as {format}")
            files = write(model, staged, format, options)
            tell("running it on its samples")
            checks = run(model, files, options)
            left_out += tuple(_without_kernels(files)) if format == "web" else ()
        placed = file_set.put_in_place(files, folder, temporary)
    directory = os.path.dirname(os.fspath(path))  # as the user says it
    files = [os.path.join(directory, os.path.relpath(file, folder or ".")) for file in placed]
    return Exported(tuple(files), (*checks, *notes), (*left_out, *program.left_out), fixed)


def model_name(base: str, format: str) -> str:
    """Return the name of the model in a file of this name: `libnet.so` is the library of `net`.

    >>> [model_name(base, "library") for base in ("net", "libnet.so", "net.dll", "libnet")]
    ['net', 'net', 'net', 'libnet']
    """
    for suffix in _SUFFIXES.get(format, ()):
        if base.endswith(suffix) and base != suffix:
            base = base.removesuffix(suffix)
            return base.removeprefix("lib") or base if format == "library" else base
    return base


def checked_options(format: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a format takes, without those that are None.

    Raises:
        ArgumentError E336, E337: an unknown format or option, a value that an option does not take.
    """
    if format not in FORMATS:
        near = difflib.get_close_matches(str(format), FORMATS, 1)
        text = f"format must be one of {', '.join(map(repr, FORMATS))}, got {format!r}"
        remedy = f"did you mean {near[0]!r}?" if near else "Blocks have 'mxnet', too"
        raise ArgumentError("E336", text, help=remedy)
    settings = {name: value for name, value in options.items() if value is not None}
    for name, value in settings.items():
        known = FORMATS[format]
        if name not in known:
            text = f"format {format!r} has no option {name!r}"
            raise ArgumentError("E336", text, help=f"it has {', '.join(known)}" if known else "it has none")
        _check_value(format, name, value)
    return settings


def _check_value(format: str, name: str, value: Any) -> None:
    allowed: tuple[Any, ...]
    match name:
        case "threads":
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1024:
                raise ArgumentError("E337", f"threads must be an integer from 1 to 1024, got {value!r}")
            return
        case "opset":
            if not isinstance(value, int) or isinstance(value, bool) or not 13 <= value <= 25:
                raise ArgumentError("E337", f"opset must be an integer from 13 to 25, got {value!r}")
            return
        case "input_names" | "output_names":
            if isinstance(value, str) or not all(isinstance(one, str) and one for one in value):
                raise ArgumentError("E337", f"{name} must be a list of names, got {value!r}")
            if len({*value}) != len(value):
                raise ArgumentError("E337", f"{name} must be different ones, got {value!r}")
            return
        case "name" | "version" | "summary":
            if not isinstance(value, str) or not value.strip() or not value.isprintable():
                raise ArgumentError("E337", f"{name} must be a text of one line, got {value!r}")
            return
        case "bindings":
            _check_several(name, value, BINDINGS)
            return
        case "weights":
            allowed = ("inside", "beside")
        case "linker":
            allowed = ("cc", "zig")
        case _:
            if format == "archive":
                return
            allowed = MACHINES
            if format == "wheel" and not isinstance(value, str):
                _check_several(name, value, MACHINES)
                return
    if value not in allowed:
        several = name == "targets" and isinstance(value, Sequence) and {*map(str, value)} <= {*allowed}
        remedy = f"each of these files is for one machine: export once for each, targets={allowed[0]!r}"
        text = f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise ArgumentError("E337", text, help=remedy if several else "")


def _check_several(name: str, value: Any, known: Sequence[str]) -> None:
    words = [value] if isinstance(value, str) else list(value) if isinstance(value, Sequence) else []
    if not words or len({*map(str, words)}) != len(words) or not {*map(str, words)} <= {*known}:
        text = f"{name} must be one of {', '.join(map(repr, known))}, or several different ones, got {value!r}"
        raise ArgumentError("E337", text)


# --------------------------------------------------------------------------------------------------------- C libraries


def _library(model: Deployable, staged: str, format: str, options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.library import write_library  # late: the compiler

    return list(map(str, write_library(model, staged, object_only=format == "object", **options)))


def _check_library(model: Deployable, files: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.library.running import answers  # late: the compiler

    calls, missing = checking.trials(model)
    if not calls:
        return _unchecked(missing)
    outcomes = answers(model, files, [one.inputs for one in calls], **options)
    lines = [checking.compared(calls, answer, model, title) if answer else title for title, answer in outcomes]
    return [*lines, *_unchecked(missing)]


# -------------------------------------------------------------------------------------------------------------- wheels


def _wheel(model: Deployable, staged: str, format: str, options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.wheel.write import write_wheel  # late: the compiler

    folder, _ = os.path.split(staged)
    return write_wheel(model, folder, os.path.join(folder, "libraries"), **options)


def _check_wheel(model: Deployable, files: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.wheel.running import checked  # late: the compiler

    return checked(model, files[0], os.path.join(os.path.dirname(files[0]), "libraries"), options)


# --------------------------------------------------------------------------------------------------------- WebAssembly


def _wasm(model: Deployable, staged: str, format: str, options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.wasm import write_wasm  # late: the compiler

    return list(map(str, write_wasm(model, staged)))


def _check_wasm(model: Deployable, files: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    calls, missing = checking.trials(model)
    if not calls:
        return _unchecked(missing)
    if not checking.node():
        return ["not run here: no Node.js", *_unchecked(missing)]
    loader = next(file for file in files if file.endswith(".mjs"))
    types = [one.type for one in model.outputs]
    answers = checking.run_module(loader, [one.inputs for one in calls], types)
    return [checking.compared(calls, answers, model, f"{model.name}.wasm in Node.js"), *_unchecked(missing)]


def _web(model: Deployable, staged: str, format: str, options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.wasm import write_web  # late: the compiler

    return write_web(model, staged)


def _check_web(model: Deployable, files: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    lines = _check_wasm(model, files, options)
    calls, _ = checking.trials(model)
    if not calls or _without_kernels(files):
        return lines
    with LOADING:
        from hybridize.formats.browsers import run_by_webgpu  # late: few exports are for browsers

    loader = next(file for file in files if file.endswith(".mjs"))
    types = [one.type for one in model.outputs]
    where, answers = run_by_webgpu(loader, [one.inputs for one in calls], types, bool(model.states))
    return [*lines, checking.compared(calls, answers, model, f"{model.name}.wasm on {where}") if answers else where]


def _without_kernels(files: Sequence[str]) -> list[str]:
    """A line that says why a file for the web has no code for GPUs; none if it has."""
    with LOADING:
        from hybridize.formats.wasm import read_wasm  # late: few exports are for browsers

    file = next(file for file in files if file.endswith(".wasm"))
    refused = (read_wasm(file).kernels or {}).get("refused")
    return [f"code for GPUs, so that all browsers run WebAssembly: {refused}"] if refused else []


# ---------------------------------------------------------------------------------------------------------------- ONNX


def _widest(model: Deployable, options: dict[str, Any]) -> Deployable:
    with LOADING:
        from hybridize.formats.onnx.write import written  # late: the words of all ops

    return written(model, options.pop("input_names", None), options.pop("output_names", None))


def _onnx(model: Deployable, staged: str, format: str, options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.onnx.write import write  # late: the words of all ops

    return write(model, f"{staged}.onnx", **options)


def _check_onnx(model: Deployable, files: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    with LOADING:
        from hybridize.formats.onnx.write import check  # late: the words of all ops

    return check(model, files)


def _unchecked(missing: Sequence[str]) -> list[str]:
    return [f"not run: no call was found that {one} takes; give one with samples=[...]" for one in missing]


_WRITERS: Final = {
    "wheel": (_wheel, _check_wheel),
    "wasm": (_wasm, _check_wasm),
    "web": (_web, _check_web),
    "onnx": (_onnx, _check_onnx),
}
"""By format, what writes it and what checks it; C libraries and objects are the others."""
