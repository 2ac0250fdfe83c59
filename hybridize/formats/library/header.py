# SPDX-License-Identifier: Apache-2.0
"""The header of a library: C99 and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hybridize.base.dims import hint
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.describe import shape_text, shape_words
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.sizes import chosen
from hybridize.formats.library.names import KEYWORDS, MACROS

C_TYPES: Final = {
    "bool": "uint8_t", "float16": "uint16_t", "bfloat16": "uint16_t", "float32": "float", "float64": "double",
}  # fmt: skip
"""The C types of elements; integers are called as in C, with `_t`. Half floats have none: these are their bits."""


def c_type(dtype: str) -> str:
    """The C type of an element."""
    return C_TYPES.get(dtype, f"{dtype}_t")


def header(model: LibraryModel, version: str | None = None, stack: int | None = None) -> str:
    """The text.

    Args:
        model: what was emitted.
        version: of the library, MAJOR.MINOR.PATCH; None: it has none.
        stack: bytes that a call takes at most; None: nothing is promised.
    """
    parts = {
        "EXAMPLE": "\n".join(_example(model)),
        "KINDS": "\n".join(_kinds(model)),
        "SIZES": "\n".join(_sizes(model)),
        "ARRAYS": "\n".join(_arrays(model)),
        "PROCESSORS": ", ".join(f'"{target.name}"' for target in model.levels),
        "BESIDE": "not used: the weights are inside" if model.marker else f"path of {model.name}.safetensors",
        "STATE": _TURNS if model.states else _ANY,
        "SEED": _SEED.replace("NAME", model.name) if model.random >= 0 else "",
        "VERSION": model.version,
        "RELEASE": "".join(f"#define {model.name}_{word} {text}\n" for word, text in _release(version)),
        "STATES": "",
        "HOST": "",
        "REALTIME": "" if stack is None else _REALTIME.replace("NAME", model.name).replace("%BYTES%", str(stack)),
    }
    if model.state_tensors:
        parts["STATES"] = _FIELDS.replace("NAME", model.name)
        parts["HOST"] = _HOST.replace("NAME", model.name).replace("%LIST%", "\n".join(_states(model)))
    text = _TEMPLATE.replace("NAME", model.name)
    return _PLACE.sub(lambda match: parts[match[1]], text)


def _release(version: str | None) -> Iterator[tuple[str, str]]:
    """List macros of a version."""
    if version is not None:
        yield "VERSION", f'"{version}"'
        yield from zip(("VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"), version.split("."), strict=True)


def _example(model: LibraryModel) -> Iterator[str]:
    """A program, as ten lines of a comment."""
    arrays = (*model.inputs, *model.outputs)
    names = _variables(model)
    sized, own = chosen(model), model.name
    yield f" *     {own} *model;"  # first: a variable below may be called as the model's type is
    for number, (one, name) in enumerate(zip(arrays, names, strict=True)):
        count = 1
        for axis in range(one.type.ndim):
            count *= _shown(model, number, axis)
        text = " = {0}" if number < len(model.inputs) else ""
        variable = f"{c_type(one.type.dtype.name)} {name}[{max(1, count)}]{text}"
        yield f" *     static {variable};  // {shape_text(model, number)}"
    inputs, outputs = names[: len(model.inputs)], names[len(model.inputs) :]
    sizes = [_shown(model, number, axis) for number, one in enumerate(model.inputs) for axis in range(one.type.ndim)]
    if inputs:
        yield f" *     const void *inputs[] = {{{', '.join(inputs)}}};"
    if outputs:
        yield f" *     void *outputs[] = {{{', '.join(outputs)}}};"
    if sized and sizes:
        yield f" *     const int64_t sizes[] = {{{', '.join(map(str, sizes))}}};"
    if not model.marker:
        yield f' *     {own}_options options = {{"{own}.safetensors", NULL, NULL, NULL, 0}};'
    yield f" *     int32_t code = {own}_create(&model, {'NULL' if model.marker else '&options'});"
    text = ", ".join(
        ["inputs" if inputs else "NULL", "sizes" if sized and sizes else "NULL", "outputs" if outputs else "NULL"]
    )
    yield f" *     if (!code) code = {own}_run(model, {text}, NULL);"
    yield f' *     if (code) fprintf(stderr, "%s\\n", {own}_error(code));'
    yield f" *     {own}_destroy(model);"


def _shown(model: LibraryModel, number: int, axis: int) -> int:
    """A size of an axis for the example: that which the program was made with."""
    return int(hint((*model.inputs, *model.outputs)[number].type.shape[axis]))


def _variables(model: LibraryModel) -> list[str]:
    """Names of arrays that C takes, each once."""
    names = {"model", "code", "inputs", "outputs", "sizes", "options", "fprintf", "stderr", model.name} | MACROS
    variables = []
    for one in (*model.inputs, *model.outputs):
        name = (
            f"a_{one.name}" if one.name.startswith(f"{model.name}_") else one.name
        )  # no function or type of the header
        while name in names or name in KEYWORDS:
            name += "_"
        names.add(name)
        variables.append(name)
    return variables


def _kinds(model: LibraryModel) -> Iterator[str]:
    meanings = {
        "OK": "done",
        "NULL": "a null pointer",
        "SIZE": "a size that the program is not for",
        "UNALIGNED": "an array that does not lie at a multiple of its element's size",
        "MEMORY": "out of memory",
        "FILE": "the file of weights is absent or another one",
        "ASSERTION": "an assertion of the program failed",
        "OPTION": "an option that is not one",
        "STATE": "a state of another name, dtype or shape",
    }
    kinds = codes.KINDS if model.state_tensors else codes.KINDS[:-1]
    for number, kind in enumerate(kinds):
        end = "," if number < len(kinds) - 1 else ""
        yield f"{f'    {model.name}_{kind} = {number}{end}':<{len(model.name) + 20}} /* {meanings[kind]} */"


def _sizes(model: LibraryModel) -> Iterator[str]:
    """Numbers of arrays, and of elements where they are known."""
    yield f"#define {model.name}_INPUTS {len(model.inputs)}"
    yield f"#define {model.name}_OUTPUTS {len(model.outputs)}"
    totals: dict[str, set[int]] = {}
    for number, one in enumerate((*model.inputs, *model.outputs)):
        ranges = [codes.size_range(model, number, axis) for axis in range(one.type.ndim)]
        known = all(low == high for low, high in ranges)
        count = 1
        for low, _ in ranges:
            count *= low
        totals.setdefault(one.name.upper(), set()).add(count if known else -1)
    for name, counts in totals.items():
        if len(counts) == 1 and counts != {-1}:  # an input and an output may share a name and not the size
            yield f"#define {model.name}_{name}_SIZE {counts.pop()}"


def _states(model: LibraryModel) -> Iterator[str]:
    """Describe the states."""
    for one in model.state_tensors:
        shape = f"[{','.join(map(str, one.type.shape))}]"
        kind = one.type.dtype.name
        yield f' *    "{_literal(one.name)}"  {c_type(kind)}{shape}{_SPECIAL.get(kind, "")}'


def _literal(name: str) -> str:
    """Return a name as C's literals have it between quotes, which ends no comment."""
    marked = {'"', "\\"} | ({"/"} if "*" in name else set()) | ({"?"} if "??" in name else set())
    return "".join(f"\\{ord(one):03o}" if one in marked or ord(one) < 32 or ord(one) == 127 else one for one in name)


def _arrays(model: LibraryModel) -> Iterator[str]:
    """Describe the inputs and outputs."""
    for title, first, tensors in (("inputs", 0, model.inputs), ("outputs", len(model.inputs), model.outputs)):
        for number, one in enumerate(tensors):
            shape = shape_text(model, first + number)
            kind = c_type(one.type.dtype.name)
            note = _SPECIAL.get(one.type.dtype.name, "")
            ranges = [codes.size_range(model, first + number, axis) for axis in range(one.type.ndim)]
            words = shape_words(model, first + number)
            free = [
                f"{word} from {low}" + (f" to {high}" if high < codes.NO_LIMIT else "")
                for word, (low, high) in zip(words, ranges, strict=True)
                if low != high and word.isidentifier()
            ]
            yield f" *   {title}[{number}]  {kind} {one.name}{shape}{note}{': ' if free else ''}{', '.join(free)}"
    scope = model.variants[-1].scope
    for condition in scope.conditions if scope is not None else ():
        yield f" *   where {condition}"


_PLACE = re.compile(r"%([A-Z]+)%")
_SPECIAL = {"bool": " (0 or 1)", "float16": " (bits of a float16)", "bfloat16": " (bits of a bfloat16)"}
_ANY = "Any number of threads may run one model at once."
_TURNS = "A call changes the state of the model: calls of one model take turns."
_SEED = """
/** Begins the model's random numbers anew from a seed. A model that is given none draws, from its first call on, what
 *  the program would have drawn next when it was saved: the same in each process. */
int32_t NAME_seed(NAME *model, uint64_t seed);
"""

_FIELDS = """
    const NAME_tensor *states; /**< that NAME_get reads */
    int32_t state_count;"""
_HOST = """
/** The states of a model, which its calls change, are
 *
%LIST%
 *
 *  A function that fails changes nothing: no state, and no file that was there. Calls of one model take turns. */

/** Reads a state: `nbytes` is that of its elements, row by row. */
int32_t NAME_get(NAME *model, const char *name, void *data, int64_t nbytes);

/** Sets a state. */
int32_t NAME_set(NAME *model, const char *name, const void *data, int64_t nbytes);

/** Writes all states to a safetensors file, by way of PATH.part: the file is the old one or the new one, whole. */
int32_t NAME_save(NAME *model, const char *path);

/** Reads all states from a safetensors file: names, dtypes and shapes must be those above; others may be there. */
int32_t NAME_load(NAME *model, const char *path);
"""

_REALTIME = """
/** In real time: while a model runs one call at a time and `parallel_for` is NULL, calls of NAME_run allocate nothing,
 *  make no system call, wait for nobody, and take at most so many bytes of the stack of their thread. Threads that run
 *  at once need a model each. NAME_create touches the memory of the model and all pages of the library. The host does
 *  so for arrays, stack and the C library, by a first call, and keeps all of it in memory, by mlockall. How long a loop
 *  runs that data ends is not limited. */
#define NAME_STACK_BYTES %BYTES%
"""

_TEMPLATE: Final = """\
/* Written by hybridize %VERSION%. C99 and C++.
 *
%EXAMPLE%
 */
#ifndef NAME_H
#define NAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model in memory. */
typedef struct NAME NAME;

/** What functions return: one of these in the low byte, above it the array (from 1 on, inputs first) and the axis
 *  (from bit 24 on). `NAME_error` has a text for each. */
enum {
%KINDS%
};

%SIZES%
%RELEASE%%REALTIME%
/** How a model is made; what is zero is as it is without. */
typedef struct {
    const char *weights;   /**< %BESIDE% */
    const char *processor; /**< at most this: %PROCESSORS%; NULL: the best there is */
    /** Calls task(work, number) once for each number from 0 to count - 1, in any order, by any threads, and returns
     *  when all calls have: by return, not by an exception. NULL: everything runs on the caller's thread. */
    void (*parallel_for)(void *context, void (*task)(void *work, int64_t number), void *work, int64_t count);
    void *context;   /**< handed to parallel_for */
    int32_t threads; /**< that parallel_for has: no more tasks than that are made at once; 0 or 1: none are */
} NAME_options;

/** An array that goes in or out. */
typedef struct {
    const char *name, *dtype;
    int32_t itemsize, ndim;
    const int64_t *smallest, *largest; /**< of each axis: equal where the size is fixed; INT64_MAX: no limit */
    const char *shape;                 /**< as in "[n0,512]" */
} NAME_tensor;

/** What goes in and out of a model. */
typedef struct {
    const char *json; /**< all of this as text */
    const char *name, *version;
    int32_t input_count, output_count;
    const NAME_tensor *inputs, *outputs;%STATES%
} NAME_description;

/** Makes a model. `options` may be NULL. Nothing is left behind where it fails, and *model is NULL. */
int32_t NAME_create(NAME **model, const NAME_options *options);

/** The sizes of all outputs, one after the other, for sizes of all inputs, one after the other; see NAME_run. */
int32_t NAME_sizes(const int64_t *input_sizes, int64_t *output_sizes);

/** Runs the model. Arrays are row-major without gaps, aligned to their elements; outputs overlap nothing else.
 *
%ARRAYS%
 *
 *  `input_sizes` are the sizes of all inputs, one after the other: [2,3], [] and [4] give {2, 3, 4}. They may be NULL
 *  where all are fixed. `output_sizes` says what room was made, in the same way; NULL: it is not looked at.
 *  %STATE%
 */
int32_t NAME_run(NAME *model, const void *const *inputs, const int64_t *input_sizes, void *const *outputs,
                 const int64_t *output_sizes);

/** What goes in and out, the same for every model. */
const NAME_description *NAME_describe(void);

/** Gives a model back; NULL is fine. No call of it may be running, and none may follow: nothing tells it apart then. */
void NAME_destroy(NAME *model);

/** The text of what a function returned; never NULL. */
const char *NAME_error(int32_t code);
%SEED%%HOST%
#ifdef __cplusplus
}
#endif

#endif
"""
