# SPDX-License-Identifier: Apache-2.0
"""Making a model and giving it back.

    i32 NAME_create(ptr place, ptr options)
    void NAME_destroy(ptr model)
    i32 NAME_seed(ptr model, i64 seed)          where numbers are drawn

A model is one piece of memory: words, states, constants derived of weights (see `layout`). Nothing is kept elsewhere,
so that any number of models live side by side.
"""

from __future__ import annotations

from typing import Final

from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.call import CALL, LOCK
from hybridize.codegen.llvm.library.layout import LINE, WORD, Layout
from hybridize.codegen.llvm.library.model import MARKER_BYTES, LibraryModel
from hybridize.codegen.llvm.library.processor import PROCESSOR
from hybridize.codegen.llvm.library.sizes import renamed
from hybridize.codegen.llvm.library.threads import SHARED
from hybridize.codegen.llvm.library.weights_file import CLOSE, OPEN
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module
from hybridize.runtime.pool import TEAM

OPTION: Final = {"weights": 0, "processor": 8, "parallel_for": 16, "context": 24, "threads": 32}
"""Offsets of the members of `NAME_options`, in bytes."""
WEIGHTS = "weights"
_CHOOSE, _EQUAL = "choose", "equal"


def emit_create(module: Module, model: LibraryModel, layout: Layout) -> None:
    """Write the functions."""
    _emit_equal(module)
    _emit_choose(module, model)
    for level in range(len(model.levels)):
        _emit_setup(module, model, layout, level)
    _emit_create(module, model, layout)
    _emit_destroy(module, model)
    if model.random >= 0:
        _emit_seed(module, model, layout)


def threads_word(field: str) -> int:
    """Return the offset of a word of the thread team."""
    return WORD["team"] + 8 * TEAM[field]


def _emit_create(module: Module, model: LibraryModel, layout: Layout) -> None:
    w = Writer(module, f"{model.name}_create", [("ptr", "place"), ("ptr", "options")], linkage="")
    f = w.f
    w.fail(w.is_null("%place"), codes.code(codes.NULL, 0, 0))
    w.store("null", "%place")
    # Options that are not given are all zero.
    none = f.alloca("i64", 5, 8)
    for offset in OPTION.values():
        w.store("0", none, offset, "i64")
    options = f.op(f"select i1 {w.is_null('%options')}, ptr {none}, ptr %options")
    cell = f.alloca("i64", 1, 8)
    wrong = f.op(f"call i32 @{_CHOOSE}(ptr {w.load(options, OPTION['processor'])}, ptr {cell})")
    w.fail(w.test("ne", wrong, 0, "i32"), codes.code(codes.OPTION, 0, 0))
    level = w.load(cell, 0, "i64")
    threads = w.load(options, OPTION["threads"], "i32")
    host = w.load(options, OPTION["parallel_for"])
    w.fail(w.test("slt", threads, 0, "i32"), codes.code(codes.OPTION, 0, 1))
    several = w.test("sgt", threads, 1, "i32")
    w.fail(f.op(f"and i1 {several}, {w.is_null(host)}"), codes.code(codes.OPTION, 0, 2))
    nbytes = str(layout.nbytes[-1])
    for number, size in enumerate(layout.nbytes[:-1]):
        nbytes = f.op(f"select i1 {w.test('eq', level, number)}, i64 {size}, i64 {nbytes}")
    raw = w.external("malloc", "ptr", f"i64 {f.op(f'add i64 {nbytes}, {LINE}')}")
    w.fail(w.is_null(raw), codes.code(codes.MEMORY))
    instance = w.lined(raw)
    for word, value in (
        ("memory", raw),
        ("mapped", "null"),
        ("spare", "null"),
        ("parallel_for", host),
        ("context", w.load(options, OPTION["context"])),
        ("lock", "null"),
    ):
        w.store(value, instance, WORD[word])
    has_loops = any(version.built.plan.teams for variant in model.variants for version in variant.versions)
    w.store(f"@{SHARED}" if has_loops else "null", instance, threads_word("parallel"))
    w.store(instance, instance, threads_word("pool"))
    w.store(f.op(f"sext i32 {threads} to i64"), instance, threads_word("threads"), "i64")
    if model.marker:
        w.store(w.at(f"@{WEIGHTS}", MARKER_BYTES), instance, WORD["weights"])
    else:
        answer = f.op(f"call i32 @{OPEN}(ptr {w.load(options, OPTION['weights'])}, ptr {instance})")
        _return_failure(w, answer, raw)
    weights = w.load(instance, WORD["weights"])
    for (array, size), offset in zip(model.states, layout.states, strict=True):
        w.f.copy(w.at(instance, offset), w.at(weights, model.offsets[array]), size)
    labels, end = [f.fresh("level") for _ in model.levels], f.fresh("end")
    cases = " ".join(f"i64 {k}, label %{label}" for k, label in enumerate(labels[:-1]))
    f.do(f"switch i64 {level}, label %{labels[-1]} [ {cases} ]")
    answers = []
    for number, label in enumerate(labels):
        f.begin_block(label)
        answers.append(f"[ {f.op(f'call i32 @setup.{number}(ptr {instance}, ptr {weights})')}, %{label} ]")
        f.jump(end)
    f.begin_block(end)
    answer = f.op(f"phi i32 {', '.join(answers)}")
    _return_failure(w, answer, raw, "" if model.marker else instance)
    w.store(instance, "%place")
    w.finish()


def _return_failure(w: Writer, answer: str, raw: str, mapped: str = "") -> None:
    """Return a code other than 0, after the memory of the model was given back, and its file of weights."""
    with w.f.otherwise(w.test("eq", answer, 0, "i32")):
        if mapped:
            w.f.do(f"call void @{CLOSE}(ptr {mapped})")
        w.external("free", "void", f"ptr {raw}")
        w.f.do(f"ret i32 {answer}")


def _emit_setup(module: Module, model: LibraryModel, layout: Layout, level: int) -> None:
    """`i32 setup.L(ptr model, ptr weights)`: the functions of a level, and its derived constants."""
    w = Writer(module, f"setup.{level}", [("ptr", "model"), ("ptr", "weights")])
    calls = w.at("%model", WORD["calls"])
    for number in range(len(model.variants)):
        w.store(f"@{renamed(CALL, number, level)}", w.element(calls, number, "ptr"))
    derived = layout.derived[level]
    most = max((len(one.arrays) for one in derived), default=0)
    sources, outputs = w.f.alloca("ptr", max(1, most), 8), w.f.alloca("ptr", 1, 8)
    scratch_bytes, raw, scratch = max((one.scratch_bytes for one in derived), default=0), "", "null"
    if scratch_bytes:
        raw = w.external("malloc", "ptr", f"i64 {scratch_bytes + LINE}")
        w.fail(w.is_null(raw), codes.code(codes.MEMORY))
        scratch = w.lined(raw)
    for one in derived:
        for number, array in enumerate(one.arrays):
            w.store(w.at("%weights", model.offsets[array]), w.element(sources, number, "ptr"))
        w.store(w.at("%model", one.offset), outputs)
        function = renamed(one.function, one.variant, level)
        w.f.do(f"call void @{function}(ptr {sources}, ptr {outputs}, ptr {scratch})")
    if raw:
        w.external("free", "void", f"ptr {raw}")
    w.finish()


def _emit_destroy(module: Module, model: LibraryModel) -> None:
    w = Writer(module, f"{model.name}_destroy", [("ptr", "model")], returns="void", linkage="")
    f = w.f
    with f.when(f.op("icmp ne ptr %model, null")):
        spare = w.load("%model", WORD["spare"])
        with f.when(f.op(f"icmp ne ptr {spare}, null")):
            w.external("free", "void", f"ptr {w.load(spare)}")
        if not model.marker:
            f.do(f"call void @{CLOSE}(ptr %model)")
        w.external("free", "void", f"ptr {w.load('%model', WORD['memory'])}")


def _emit_seed(module: Module, model: LibraryModel, layout: Layout) -> None:
    """The generator begins anew: nothing drawn yet."""
    w = Writer(module, f"{model.name}_seed", [("ptr", "model"), ("i64", "seed")], linkage="")
    w.fail(w.is_null("%model"), codes.code(codes.NULL, 0, 1))
    words = w.at("%model", layout.states[model.random])
    w.f.do(f"call void @{LOCK}(ptr {w.at('%model', WORD['lock'])})")
    w.store("%seed", words, 0, "i64")
    w.store("0", words, 8, "i64")
    w.f.do(f"store atomic i32 0, ptr {w.at('%model', WORD['lock'])} release, align 4")
    w.finish()


def _emit_equal(module: Module) -> None:
    """`i1 equal(ptr x, ptr y)`: of zero-terminated texts."""
    w = Writer(module, _EQUAL, [("ptr", "x"), ("ptr", "y")], returns="i1")
    f = w.f
    f.enter("turn")
    index, following = "%index", "%following"
    f.do(f"{index} = phi i64 [ 0, %start ], [ {following}, %more ]")
    x, y = (w.load(w.at(text, index), 0, "i8") for text in ("%x", "%y"))
    f.branch(w.test("eq", x, y, "i8"), "same", "differs", begin="same")
    f.branch(w.test("eq", x, 0, "i8"), "over", "more", begin="more")
    f.do(f"{following} = add i64 {index}, 1")
    f.jump("turn")
    f.begin_block("over")
    f.do("ret i1 true")
    f.begin_block("differs")
    f.do("ret i1 false")


def _emit_choose(module: Module, model: LibraryModel) -> None:
    """`i32 choose(ptr name, ptr level)`: the best level there is, at most the one that is named; 1: no such name."""
    w = Writer(module, _CHOOSE, [("ptr", "name"), ("ptr", "level")])
    f = w.f
    best = f.op(f"call i64 @{PROCESSOR}()")
    w.store(best, "%level", 0, "i64")
    named, done = f.fresh("named"), f.fresh("done")
    f.branch(w.is_null("%name"), done, named, begin=named)
    for number, target in enumerate(model.levels):
        size = len(target.name) + 1
        text = module.constant(f"processor.{target.name}", f"[{size} x i8]", f'c"{target.name}\\00"')
        match, other = f.fresh("found"), f.fresh("other")
        f.branch(f.op(f"call i1 @{_EQUAL}(ptr %name, ptr {text})"), match, other, begin=match)
        lower = w.test("sgt", best, number)
        w.store(f.op(f"select i1 {lower}, i64 {best}, i64 {number}"), "%level", 0, "i64")
        f.jump(done)
        f.begin_block(other)
    f.do("ret i32 1")
    f.begin_block(done)
    f.do("ret i32 0")
