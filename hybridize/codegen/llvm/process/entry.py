# SPDX-License-Identifier: Apache-2.0
"""The function that Python calls, as IR: checks the arguments against a table, makes the results, runs the program.

    ptr entry(ptr self, ptr args, i64 nargs, ptr names)        METH_FASTCALL | METH_KEYWORDS

One function serves every program: `self` is a `runtime.entry.State`, whose table says what the arguments must be and
what to call. The code holds no address and refers to no symbol (see `runtime.cpython.EXTERNALS`), so its image can be
mapped anywhere. It must not know graphs or plans.

The order matters: arrays are not garbage-collected objects, so nothing of the user's runs between the checks and the
end of the program; the wrappers, whose allocation may run the collector, are made afterwards. A program that prints or
asserts calls back to Python on its way, and one without the GIL lets other threads run: arguments are held from the
checks to the end.

Arrays may be another library's (`runtime.exchange`). Its results are made of blocks: what DLPack has to know of an
array, and then its elements, which begin on a cache line. The library frees a block with the array. Where its arrays
are looked at by the buffer protocol, that may wait for an array, and other threads run meanwhile: all arguments are
held before, and the flags are looked at once more. The views are released at the end of the call.
"""

from __future__ import annotations

from enum import IntEnum

from hybridize.base.promotion import EXACT
from hybridize.codegen.llvm.text import Function, Module, WordWriter
from hybridize.runtime import cpython, exchange
from hybridize.runtime.buffers import ALIGNMENT
from hybridize.runtime.entry import ARGUMENT, FIELD, FIGURES, GUARD, OUTPUT, ArgumentKind, Look, Returns
from hybridize.runtime.exchange import EXCHANGE
from hybridize.runtime.plan import FRAME

NAME = "hybridize_entry"
STACK_BYTES = 16 << 10
"""Scratch of at most so many bytes lies on the stack."""
_PAGED = 4 << 20
"""Results of so many bytes ask for large pages, as NumPy's do."""
_HUGE = 14
"""`MADV_HUGEPAGE`."""
_PAGE = 4096
_MOST_OPERANDS = 8
"""Of the function that makes an array of a capsule."""


def emit_entry(state_offset: int) -> Module:
    """The module of the entry; `state_offset` is where a State keeps its table (an int64 NumPy array)."""
    module = Module()
    params = [("ptr", "self"), ("ptr", "args"), ("i64", "nargs"), ("ptr", "names")]
    _Entry(Function(module, NAME, params, returns="ptr", linkage="")).write(state_offset)
    return module


class _Entry(WordWriter):
    def __init__(self, f: Function) -> None:
        super().__init__(f)
        self.table = ""
        self.process = ""
        self.refused = "slow"
        """The label of calls that the entry does not take; `unfit` while it holds arguments."""

    # Memory

    def field(self, name: str, type_: str = "i64") -> str:
        return self.load(self.table, 8 * FIELD[name], type_)

    def external(self, name: str, type_: str = "ptr") -> str:
        return self.load(self.process, 8 * cpython.WORD[name], type_)

    def row(self, base: str, index: str, words: int) -> str:
        return self.at(base, self.f.op(f"mul i64 {index}, {8 * words}"))

    def call(self, name: str, returns: str, *args: str) -> str:
        text = f"call {returns} {self.external(name)}({', '.join(args)})"
        if returns == "void":
            self.f.do(text)
            return ""
        return self.f.op(text)

    def unless(self, condition: str, label: str) -> None:
        """Go on when the condition holds, else to `label`."""
        following = self.f.fresh("on")
        self.f.branch(condition, following, label, begin=following)

    def release_unless(self, condition: str, reference: str) -> None:
        """Go on when the condition holds, else let go of an object, and fail."""
        with self.f.otherwise(condition, "failed"):
            self.call("Py_DecRef", "void", f"ptr {reference}")

    def switch(self, value: str, members: type[IntEnum], orelse: str = "") -> dict[IntEnum, str]:
        """Go to a block for each member of an enumeration, or else to another one; returns their labels."""
        orelse = orelse or self.refused
        labels = {member: self.f.fresh(member.name.lower()) for member in members}
        cases = " ".join(f"i64 {int(member)}, label %{label}" for member, label in labels.items())
        self.f.do(f"switch i64 {value}, label %{orelse} [ {cases} ]")
        return labels

    def same(self, x: str, y: str, type_: str = "ptr") -> str:
        return self.f.op(f"icmp eq {type_} {x}, {y}")

    def some(self, pointer: str) -> str:
        """Tell whether a pointer is not null."""
        return self.f.op(f"icmp ne ptr {pointer}, null")

    # Parts

    def write(self, state_offset: int) -> None:
        """The whole function."""
        f = self.f
        self.table = self.load(self.load("%self", state_offset), cpython.ARRAY_DATA)
        self.process = self.field("process", "ptr")
        self.check_call()
        self.check_guards()
        self.check_flags()
        count, outputs_count = self.field("row_count"), self.field("output_count")
        objects = f.op(f"alloca ptr, i64 {count}, align 16")
        references = f.op(f"alloca ptr, i64 {count}, align 16")
        scalars = f.op(f"alloca i64, i64 {count}, align 16")
        inputs_count = self.field("input_count")
        inputs = f.op(f"alloca ptr, i64 {inputs_count}, align 16")
        with f.loop(0, inputs_count) as loop:
            word = self.load(self.element(self.field("inputs", "ptr"), loop.index))
            self.store(word, self.element(inputs, loop.index))
        arguments_count = f.op(f"add i64 {self.field('argument_count')}, {self.field('keyword_count')}")
        with f.loop(0, arguments_count) as loop:
            self.store(self.load(self.element("%args", loop.index)), self.element(objects, loop.index))
        self.check_arguments(count, objects, inputs, references, scalars)
        views_count = self.field("view_count")
        views = f.op(f"alloca i8, i64 {f.op(f'mul i64 {views_count}, {exchange.VIEW_BYTES}')}, align 16")
        with f.loop(0, views_count) as loop:
            self.store("null", self.view(views, loop.index), exchange.VIEW["owner"])
        self.each_reference(references, count, "Py_IncRef")
        self.refused = "unfit"
        with f.when(f.op(f"icmp ne i64 {views_count}, 0")):
            self.check_views(views_count, views, inputs, references)
            self.check_flags()
        figures = self.find_figures(inputs)
        outputs = f.op(f"alloca ptr, i64 {outputs_count}, align 16")
        results_count = self.field("result_count")
        results = f.op(f"alloca ptr, i64 {results_count}, align 16")
        blocks = f.op(f"alloca ptr, i64 {results_count}, align 16")
        with f.loop(0, results_count) as loop:
            self.store("null", self.element(results, loop.index))
            self.store("null", self.element(blocks, loop.index))
        self.make_results(figures, results_count, results, blocks, outputs)
        scratch, scratch_bytes = self.take_scratch(figures)
        whole = self.run(figures, inputs, outputs, scratch, results_count, outputs_count)
        self.give_scratch(scratch, scratch_bytes)
        self.unless(whole, "failed")
        self.wrap(results_count, results, blocks)
        returned = self.hand_over(results_count, results, references, count)
        self.release(views_count, views, references, count)
        f.do(f"ret ptr {returned}")
        f.begin_block("unfit")
        self.release(views_count, views, references, count)
        f.jump("slow")
        self.write_slow()
        f.begin_block("failed")
        self.free_results(results_count, results, blocks)
        self.release(views_count, views, references, count)
        f.do("ret ptr null")

    def check_call(self) -> None:
        """Number of arguments, and the keywords: their very names, in order."""
        f = self.f
        self.unless(self.same("%nargs", self.field("argument_count"), "i64"), self.refused)
        none, some, checked = f.fresh("none"), f.fresh("some"), f.fresh("checked")
        count = self.field("keyword_count")
        f.branch(self.same("%names", "null"), none, some, begin=none)
        f.branch(self.same(count, "0", "i64"), checked, self.refused)
        f.begin_block(some)
        self.unless(self.same(self.load("%names", cpython.SEQUENCE_SIZE, "i64"), count, "i64"), self.refused)
        with f.loop(0, count) as loop:
            name = self.load(self.element(self.at("%names", cpython.TUPLE_ITEMS), loop.index))
            self.unless(
                self.same(name, self.load(self.element(self.field("keywords", "ptr"), loop.index))), self.refused
            )
        f.enter(checked)

    def check_flags(self) -> None:
        """Nothing dirty, no thread in a special mode, and no other thread that writes in place.

        After the guards, which may call Python: from here on no other thread runs before the program does.
        """
        f = self.f
        odd = self.field("dirty")
        for name in ("busy", "writer"):
            odd = f.op(f"or i64 {odd}, {self.load(self.field(name, 'ptr'), 0, 'i64')}")
        self.unless(self.same(odd, "0", "i64"), self.refused)

    def check_guards(self) -> None:
        """Check the guards, that is, compare what the program read outside with the world of this call.

        Where another object is found, all of them are checked by Python, as it may be an equal one.
        """
        f = self.f
        rows = self.field("guards", "ptr")
        doubt, question, guarded = f.fresh("doubt"), f.fresh("asked"), f.fresh("guarded")
        number = f.alloca("i64", 1, align=8)
        self.store("0", number, 0, "i64")
        head, body, following = f.fresh("head"), f.fresh("body"), f.fresh("following")
        f.enter(head)
        index = self.load(number, 0, "i64")
        f.branch(f.op(f"icmp slt i64 {index}, {self.field('guard_count')}"), body, guarded, begin=body)
        row = self.row(rows, index, len(GUARD))
        owner, expected = (self.load(row, 8 * GUARD.index(name)) for name in ("owner", "expected"))
        labels = self.switch(self.load(row, 0, "i64"), Look)
        f.begin_block(labels[Look.VERSION])
        self.compare_version(row, owner, number, index, following)
        f.begin_block(labels[Look.STAMP])
        first = self.row(row, f.op(f"sub i64 0, {self.load(row, 8 * GUARD.index('key'), 'i64')}"), len(GUARD))
        self.store(self.load(owner, cpython.DICT_VERSION, "i64"), first, 8 * GUARD.index("expected"), "i64")
        f.jump(following)
        for look, orelse in ((Look.ITEM, doubt), (Look.SETTING, self.refused)):
            f.begin_block(labels[look])
            key = self.load(row, 8 * GUARD.index("key"))
            item = self.call("PyDict_GetItemWithError", "ptr", f"ptr {owner}", f"ptr {key}")
            f.branch(self.same(item, expected), following, orelse)
        f.begin_block(labels[Look.WORD])
        offset = self.load(row, 8 * GUARD.index("key"), "i64")
        f.branch(self.same(self.load(owner, offset), expected), following, doubt)
        f.begin_block(labels[Look.PLACE])
        f.branch(self.same(self.load(self.load(row, 8 * GUARD.index("key"))), expected), following, doubt)
        f.begin_block(labels[Look.CALL])
        self.ask(owner, expected, following)
        f.begin_block(labels[Look.TENSOR])
        self.compare_tensor(owner, self.load(row, 8 * GUARD.index("key")), expected, following, doubt)
        f.begin_block(labels[Look.ATTRIBUTE])
        name = self.load(row, 8 * GUARD.index("key"))
        self.compare_attribute(owner, name, expected, following)
        f.begin_block(following)
        self.store(f.op(f"add i64 {self.load(number, 0, 'i64')}, 1"), number, 0, "i64")
        f.jump(head)
        f.begin_block(doubt)
        check = self.field("doubt", "ptr")
        f.branch(self.same(check, "null"), self.refused, question, begin=question)
        self.ask(check, self.external("True"), guarded)
        f.begin_block(guarded)

    def compare_version(self, row: str, owner: str, number: str, index: str, following: str) -> None:
        """Leave the rows of a dict out that has not changed since they were found right; else forget that they were.

        Args:
            row: of the look at the version.
            owner: the dict.
            number: where the number of the row is kept.
            index: that number.
            following: where to go on.
        """
        f = self.f
        same, other = f.fresh("same"), f.fresh("other")
        cell = 8 * GUARD.index("expected")
        version = self.load(owner, cpython.DICT_VERSION, "i64")
        f.branch(self.same(version, self.load(row, cell, "i64"), "i64"), same, other, begin=same)
        skip = self.load(row, 8 * GUARD.index("key"), "i64")
        self.store(f.op(f"add i64 {index}, {skip}"), number, 0, "i64")
        f.jump(following)
        f.begin_block(other)
        self.store("0", row, cell, "i64")
        f.jump(following)

    def compare_tensor(self, owner: str, library: str, expected: str, following: str, doubt: str) -> None:
        """Go on at `following` where the elements of an array are where, and what, they were."""
        f = self.f
        tensor = self.look(owner, library, doubt)
        address, word = (self.load(tensor, offset, "i64") for offset in (exchange.DATA, exchange.WORD))
        for number, item in enumerate((address, word)):
            self.unless(self.same(item, self.load(expected, 8 * number, "i64"), "i64"), doubt)
        rank = f.op(f"and i64 {word}, {0xFFFFFFFF}")
        sizes = self.at(expected, 16)
        for offset, start in ((exchange.SHAPE, sizes), (exchange.STRIDES, self.element(sizes, rank))):
            words = self.load(tensor, offset)
            with f.loop(0, rank) as loop:
                now, then = (self.load(self.element(one, loop.index), 0, "i64") for one in (words, start))
                self.unless(self.same(now, then, "i64"), doubt)
        f.jump(following)

    def look(self, object_: str, library: str, orelse: str) -> str:
        """The `DLTensor` of an array of another library, proven to be one in the computer's memory.

        Args:
            object_: an instance of its class.
            library: the words of its exchange.
            orelse: where to go otherwise.
        """
        f = self.f

        def word(name: str, type_: str = "i64") -> str:
            return self.load(library, 8 * EXCHANGE.index(name), type_)

        traits = self.load(self.load(object_, word("body")), word("traits"), "i64")
        plain = [self.same(traits, word(name), "i64") for name in ("usual", "other")]
        self.unless(f.op(f"or i1 {plain[0]}, {plain[1]}"), orelse)
        tensor = f.alloca("i64", exchange.TENSOR_BYTES // 8, align=8)
        code = f.op(f"call i32 {word('look', 'ptr')}(ptr {object_}, ptr {tensor})")
        with self.f.otherwise(self.same(code, "0", "i32"), orelse):
            self.call("PyErr_Clear", "void")
        here = self.same(self.load(tensor, exchange.DEVICE, "i64"), str(exchange.CPU), "i64")
        at_once = self.same(self.load(tensor, exchange.BYTE_OFFSET, "i64"), "0", "i64")
        self.unless(f.op(f"and i1 {here}, {at_once}"), orelse)
        return tensor

    def compare_attribute(self, owner: str, name: str, expected: str, following: str) -> None:
        """Go on at `following` where an attribute is the expected object, else to the slow path."""
        f = self.f
        value = self.call("PyObject_GetAttr", "ptr", f"ptr {owner}", f"ptr {name}")
        with self.f.otherwise(self.some(value), self.refused):
            self.call("PyErr_Clear", "void")
        self.call("Py_DecRef", "void", f"ptr {value}")
        f.branch(self.same(value, expected), following, self.refused)

    def ask(self, function: str, expected: str, following: str) -> None:
        """Go on at `following` where a Python function answers as expected, else to the slow path."""
        f = self.f
        answered, failed = f.fresh("answered"), f.fresh("failed")
        answer = self.call("PyObject_CallNoArgs", "ptr", f"ptr {function}")
        f.branch(self.some(answer), answered, failed)
        f.begin_block(failed)  # guards that cannot be checked do not hold; what comes here is an interruption
        f.do("ret ptr null")
        f.begin_block(answered)
        self.call("Py_DecRef", "void", f"ptr {answer}")
        f.branch(self.same(answer, expected), following, self.refused)

    def check_arguments(self, count: str, objects: str, inputs: str, references: str, scalars: str) -> None:
        f = self.f
        rows = self.field("arguments", "ptr")
        with f.loop(0, count) as loop:
            row = self.row(rows, loop.index, len(ARGUMENT))
            object_ = self.load(self.element(objects, loop.index))
            expected = self.load(row, 8 * ARGUMENT.index("object"))
            holds, cell = self.element(references, loop.index), self.element(scalars, loop.index)
            self.store("null", holds)
            labels = self.switch(self.load(row, 0, "i64"), ArgumentKind)
            done, next_ = f.fresh("done"), f.fresh("next")
            f.begin_block(labels[ArgumentKind.ARRAY])
            array = self.check_array(row, object_, expected, inputs)
            self.store(array, holds)
            pointer = self.load(array, cpython.ARRAY_DATA)
            array_end = f.label
            f.jump(done)
            f.begin_block(labels[ArgumentKind.TENSOR])
            elements = self.check_tensor(row, object_, inputs)
            self.store(object_, holds)
            tensor_end = f.label
            f.jump(done)
            f.begin_block(labels[ArgumentKind.VIEW])
            cls = self.load(self.field("exchange", "ptr"), 8 * EXCHANGE.index("type"))
            self.unless(self.same(self.load(object_, cpython.OB_TYPE), cls), self.refused)
            self.store(object_, holds)
            f.jump(next_)
            f.begin_block(labels[ArgumentKind.FLOAT])
            self.check_float(object_, expected, cell)
            float_end = f.label
            f.jump(done)
            f.begin_block(labels[ArgumentKind.INT])
            self.check_int(object_, cell)
            int_end = f.label
            f.jump(done)
            f.begin_block(labels[ArgumentKind.SAME])
            f.branch(self.same(object_, expected), next_, self.refused)
            for kind_ in (ArgumentKind.TUPLE, ArgumentKind.LIST, ArgumentKind.DICT):
                f.begin_block(labels[kind_])
                self.take_apart(kind_, row, object_, expected, objects)
                f.jump(next_)
            f.begin_block(done)
            ends = {array_end: pointer, tensor_end: elements, float_end: cell, int_end: cell}
            value = f.op(f"phi ptr {', '.join(f'[ {value}, %{label} ]' for label, value in ends.items())}")
            self.store(value, self.element(inputs, self.load(row, 8 * ARGUMENT.index("slot"), "i64")))
            f.enter(next_)

    def check_array(self, row: str, object_: str, descr: str, inputs: str) -> str:
        """The NumPy array of an argument, proven to have the type of the row."""
        f = self.f
        wrapper = self.field("wrapper", "ptr")
        wrapped, checked, start = f.fresh("wrapped"), f.fresh("checked"), f.label
        f.branch(self.same(wrapper, "null"), checked, wrapped, begin=wrapped)
        self.unless(self.same(self.load(object_, cpython.OB_TYPE), wrapper), self.refused)
        inner = self.load(object_, self.field("data_offset"))
        self.unless(self.some(inner), self.refused)
        end = f.label
        f.enter(checked)
        array = f.op(f"phi ptr [ {object_}, %{start} ], [ {inner}, %{end} ]")
        exact = self.same(self.load(array, cpython.OB_TYPE), self.external("ndarray"))
        self.unless(exact, self.refused)
        ndim = self.load(array, cpython.ARRAY_NDIM, "i32")
        rank = f.op(f"zext i32 {ndim} to i64")
        flags = f.op(f"and i32 {self.load(array, cpython.ARRAY_FLAGS, 'i32')}, {cpython.USABLE}")
        right = f.op(
            f"and i1 {self.same(self.load(array, cpython.ARRAY_DESCR), descr)}, "
            f"{self.same(flags, str(cpython.USABLE), 'i32')}"
        )
        same_rank = self.same(rank, self.load(row, 8 * ARGUMENT.index("ndim"), "i64"), "i64")
        self.unless(f.op(f"and i1 {right}, {same_rank}"), self.refused)
        self.check_sizes(self.load(array, cpython.ARRAY_DIMS), rank, row, inputs)
        return array

    def check_sizes(self, dims: str, rank: str, row: str, inputs: str) -> None:
        """Compare the sizes of an array with those of the row."""
        f = self.f
        expected = self.load(row, 8 * ARGUMENT.index("dims"))
        with f.loop(0, rank) as loop:
            size = self.load(self.element(dims, loop.index), 0, "i64")
            word = self.load(self.element(expected, loop.index), 0, "i64")
            following = f.fresh("following")
            with f.when(f.op(f"icmp ne i64 {size}, {word}")):
                self.unless(f.op(f"icmp slt i64 {word}, 0"), self.refused)
                self.check_symbol(size, word, inputs, following)
                f.begin_block(following)

    def check_tensor(self, row: str, object_: str, inputs: str) -> str:
        """Return the address of the elements of another library's array, proven to have the type of the row, and to be
        laid out row by row.
        """
        f = self.f
        library = self.field("exchange", "ptr")
        cls = self.load(object_, cpython.OB_TYPE)
        known = [self.same(cls, self.load(library, 8 * EXCHANGE.index(one))) for one in ("type", "parameter")]
        self.unless(f.op(f"or i1 {known[0]}, {known[1]}"), self.refused)
        self.check_flag(row, object_, self.load(library, 8 * EXCHANGE.index("flag")))
        tensor = self.look(object_, library, self.refused)
        word = self.load(tensor, exchange.WORD, "i64")
        self.unless(self.same(word, self.load(row, 8 * ARGUMENT.index("object"), "i64"), "i64"), self.refused)
        data = self.load(tensor, exchange.DATA)
        self.check_address(data, self.itemsize(word))
        rank = f.op(f"and i64 {word}, {0xFFFFFFFF}")
        dims, strides = self.load(tensor, exchange.SHAPE), self.load(tensor, exchange.STRIDES)
        self.check_sizes(dims, rank, row, inputs)
        dense = f.alloca("i64", 1, align=8)
        self.store("1", dense, 0, "i64")
        with f.loop(0, rank) as loop:
            number = f.op(f"sub i64 {f.op(f'sub i64 {rank}, 1')}, {loop.index}")
            size, stride = (self.load(self.element(one, number), 0, "i64") for one in (dims, strides))
            expected = self.load(dense, 0, "i64")
            single = self.same(size, "1", "i64")
            self.unless(f.op(f"or i1 {single}, {self.same(stride, expected, 'i64')}"), self.refused)
            self.store(f.op(f"mul i64 {expected}, {size}"), dense, 0, "i64")
        return data

    def view(self, views: str, index: str) -> str:
        """The `Py_buffer` of a row."""
        return self.at(views, self.f.op(f"mul i64 {index}, {exchange.VIEW_BYTES}"))

    def check_views(self, count: str, views: str, inputs: str, references: str) -> None:
        """Take the memory of arrays that show it by the buffer protocol, proven to have the types of their rows."""
        f = self.f
        rows, library = self.field("arguments", "ptr"), self.field("exchange", "ptr")
        with f.loop(0, count) as loop:
            row = self.row(rows, loop.index, len(ARGUMENT))
            following = f.fresh("following")
            is_view = self.same(self.load(row, 0, "i64"), str(int(ArgumentKind.VIEW)), "i64")
            self.unless(is_view, following)
            object_ = self.load(self.element(references, loop.index))
            self.check_flag(row, object_, self.load(library, 8 * EXCHANGE.index("flag")))
            view = self.view(views, loop.index)
            code = self.call("PyObject_GetBuffer", "i32", f"ptr {object_}", f"ptr {view}", f"i32 {exchange.VIEW_FLAGS}")
            with f.otherwise(self.same(code, "0", "i32"), self.refused):
                self.call("PyErr_Clear", "void")
            word = self.format_word(self.load(view, exchange.VIEW["format"]))
            self.unless(self.same(word, self.load(row, 8 * ARGUMENT.index("object"), "i64"), "i64"), self.refused)
            rank = f.op(f"zext i32 {self.load(view, exchange.VIEW['ndim'], 'i32')} to i64")
            self.unless(self.same(rank, self.load(row, 8 * ARGUMENT.index("ndim"), "i64"), "i64"), self.refused)
            data = self.load(view, exchange.VIEW["data"])
            self.check_address(data, self.load(view, exchange.VIEW["itemsize"], "i64"))
            self.check_sizes(self.load(view, exchange.VIEW["shape"]), rank, row, inputs)
            self.store(data, self.element(inputs, self.load(row, 8 * ARGUMENT.index("slot"), "i64")))
            f.enter(following)

    def format_word(self, text: str) -> str:
        """The bytes of a format, at most eight, as a word."""
        f = self.f
        self.unless(self.some(text), self.refused)
        word, place = (f.alloca("i64", 1, align=8) for _ in range(2))
        for cell in (word, place):
            self.store("0", cell, 0, "i64")
        head, body, end = f.fresh("head"), f.fresh("body"), f.fresh("end")
        f.enter(head)
        at = self.load(place, 0, "i64")
        byte = f.op(f"zext i8 {self.load(self.at(text, at), 0, 'i8')} to i64")
        more = f.op(f"and i1 {f.op(f'icmp ne i64 {byte}, 0')}, {f.op(f'icmp ult i64 {at}, 8')}")
        f.branch(more, body, end, begin=body)
        shifted = f.op(f"shl i64 {byte}, {f.op(f'shl i64 {at}, 3')}")
        self.store(f.op(f"or i64 {self.load(word, 0, 'i64')}, {shifted}"), word, 0, "i64")
        self.store(f.op(f"add i64 {at}, 1"), place, 0, "i64")
        f.jump(head)
        f.begin_block(end)
        return self.load(word, 0, "i64")

    def check_address(self, data: str, itemsize: str) -> None:
        """See that elements are somewhere, at a multiple of their size."""
        f = self.f
        odd = f.op(f"and i64 {f.op(f'ptrtoint ptr {data} to i64')}, {f.op(f'sub i64 {itemsize}, 1')}")
        present = self.some(data)
        self.unless(f.op(f"and i1 {present}, {self.same(odd, '0', 'i64')}"), self.refused)

    def check_flag(self, row: str, object_: str, name: str) -> None:
        """Compare the flag of an array with what the row says, where it does."""
        f = self.f
        flag = self.load(row, 8 * ARGUMENT.index("flag"))
        right = f.fresh("right")
        with f.when(self.some(flag)):
            self.compare_attribute(object_, name, flag, right)
            f.begin_block(right)

    def itemsize(self, word: str) -> str:
        """The bytes of an element, of `tensor_word`."""
        return self.f.op(f"and i64 {self.f.op(f'lshr i64 {word}, 43')}, 31")

    def take_apart(self, kind: ArgumentKind, row: str, object_: str, cls: str, objects: str) -> None:
        """Put the items of a container into the rows for them."""
        f = self.f
        self.unless(self.same(self.load(object_, cpython.OB_TYPE), cls), self.refused)
        count = self.load(row, 8 * ARGUMENT.index("ndim"), "i64")
        size = cpython.DICT_USED if kind is ArgumentKind.DICT else cpython.SEQUENCE_SIZE
        self.unless(self.same(self.load(object_, size, "i64"), count, "i64"), self.refused)
        rows = self.element(objects, self.load(row, 8 * ARGUMENT.index("slot"), "i64"))
        if kind is not ArgumentKind.DICT:
            items = self.at(object_, cpython.TUPLE_ITEMS)
            if kind is ArgumentKind.LIST:
                items = self.load(object_, cpython.LIST_ITEMS)
            with f.loop(0, count) as loop:
                self.store(self.load(self.element(items, loop.index)), self.element(rows, loop.index))
            return
        keys = self.load(row, 8 * ARGUMENT.index("dims"))
        place, key, value = (f.alloca("i64", 1, align=8) for _ in range(3))
        self.store("0", place, 0, "i64")
        with f.loop(0, count) as loop:
            self.call("PyDict_Next", "i32", f"ptr {object_}", f"ptr {place}", f"ptr {key}", f"ptr {value}")
            self.unless(self.same(self.load(key), self.load(self.element(keys, loop.index))), self.refused)
            self.store(self.load(value), self.element(rows, loop.index))

    def check_symbol(self, size: str, word: str, inputs: str, following: str) -> None:
        """Take down a size that the call brings along, or compare it with what it was before (`size_word`)."""
        f = self.f
        code = f.op(f"xor i64 {word}, -1")
        number = f.op(f"add i64 {f.op(f'lshr i64 {code}, 1')}, {self.field('size_slot')}")
        cell = self.at(self.element(inputs, number), 8)
        first, again = f.fresh("first"), f.fresh("again")
        f.branch(self.same(f.op(f"and i64 {code}, 1"), "0", "i64"), first, again, begin=first)
        self.store(size, cell, 0, "i64")
        f.jump(following)
        f.begin_block(again)
        f.branch(self.same(self.load(cell, 0, "i64"), size, "i64"), following, self.refused)

    def find_figures(self, inputs: str) -> str:
        """Return the address of the sizes of scratch and results: in the table, or made by `prepare` for this call."""
        f = self.f
        prepare = self.field("prepare", "ptr")
        fixed = self.at(self.table, 8 * FIGURES)
        sized, ready, start = f.fresh("sized"), f.fresh("ready"), f.label
        f.branch(self.same(prepare, "null"), ready, sized, begin=sized)
        cell = self.element(inputs, self.field("size_slot"))
        sizes = self.at(cell, 8)
        self.store(sizes, cell)
        frame = f.op(f"alloca i64, i64 {self.field('frame_words')}, align 16")
        holds = f.op(f"call i64 {prepare}(ptr {sizes}, ptr {frame})")
        self.unless(f.op(f"icmp ne i64 {holds}, 0"), self.refused)
        end = f.label
        f.enter(ready)
        return f.op(f"phi ptr [ {fixed}, %{start} ], [ {frame}, %{end} ]")

    def check_float(self, object_: str, width: str, cell: str) -> None:
        """Store a Python float in its cell, as f32 or f64."""
        f = self.f
        self.unless(self.same(self.load(object_, cpython.OB_TYPE), self.external("float")), self.refused)
        value = self.load(object_, cpython.FLOAT_VALUE, "double")
        bits64 = f.op(f"bitcast double {value} to i64")
        single = f.op(f"fptrunc double {value} to float")
        bits32 = f.op(f"zext i32 {f.op(f'bitcast float {single} to i32')} to i64")
        narrow = self.same(f.op(f"ptrtoint ptr {width} to i64"), "4", "i64")
        self.store(f.op(f"select i1 {narrow}, i64 {bits32}, i64 {bits64}"), cell, 0, "i64")

    def check_int(self, object_: str, cell: str) -> None:
        """Store a Python int in its cell; one beyond `EXACT`, which programs know by value, goes to the fallback."""
        f = self.f
        self.unless(self.same(self.load(object_, cpython.OB_TYPE), self.external("int")), self.refused)
        value = self.call("PyLong_AsLongLong", "i64", f"ptr {object_}")
        self.store(value, cell, 0, "i64")
        with f.when(self.same(value, "-1", "i64")):
            fine = self.same(self.call("PyErr_Occurred", "ptr"), "null")
            with self.f.otherwise(fine, self.refused):
                self.call("PyErr_Clear", "void")
        self.unless(f.op(f"icmp ule i64 {f.op(f'add i64 {value}, {EXACT}')}, {2 * EXACT}"), self.refused)

    def make_results(self, figures: str, count: str, results: str, blocks: str, outputs: str) -> None:
        """One new NumPy array for each result, or a block that becomes another library's array."""
        f = self.f
        rows, library = self.field("outputs", "ptr"), self.field("exchange", "ptr")
        with f.loop(0, count) as loop:
            row = self.row(rows, loop.index, len(OUTPUT))
            descr = self.load(row)
            ndim = self.load(row, 8 * OUTPUT.index("ndim"), "i32")
            dims = self.at(figures, self.load(row, 8 * OUTPUT.index("dims"), "i64"))
            nbytes = self.load(dims, -8, "i64")
            small, large, merge = f.fresh("small"), f.fresh("large"), f.fresh("made")
            ours, theirs, following = f.fresh("ours"), f.fresh("theirs"), f.fresh("following")
            f.branch(self.same(library, "null"), ours, theirs, begin=theirs)
            block, data = self.new_block(self.load(row, 0, "i64"), dims)
            self.store(block, self.element(blocks, loop.index))
            self.store(data, self.element(outputs, loop.index))
            f.jump(following)
            f.begin_block(ours)
            f.branch(self.same(nbytes, "0", "i64"), small, large, begin=small)
            anywhere = self.new_array(descr, ndim, dims)
            self.unless(self.some(anywhere), "failed")
            small_end = f.label
            f.jump(merge)
            f.begin_block(large)
            on_line = self.make_on_line(descr, ndim, dims, nbytes)
            large_end = f.label
            f.enter(merge)
            array = f.op(f"phi ptr [ {anywhere}, %{small_end} ], [ {on_line}, %{large_end} ]")
            self.store(array, self.element(results, loop.index))
            self.store(self.load(array, cpython.ARRAY_DATA), self.element(outputs, loop.index))
            f.enter(following)

    def new_block(self, word: str, dims: str) -> tuple[str, str]:
        """A `DLManagedTensorVersioned` with its sizes, strides and elements behind it; and where these begin."""
        f = self.f
        rank = f.op(f"and i64 {word}, {0xFFFFFFFF}")
        tensor_end = exchange.HEADER + exchange.TENSOR_BYTES
        total = f.alloca("i64", 1, align=8)
        self.store(self.itemsize(word), total, 0, "i64")
        with f.loop(0, rank) as loop:
            size = self.load(self.element(dims, loop.index), 0, "i64")
            self.store(f.op(f"mul i64 {self.load(total, 0, 'i64')}, {size}"), total, 0, "i64")
        before = f.op(f"add i64 {f.op(f'shl i64 {rank}, 4')}, {tensor_end}")
        nbytes = self.load(total, 0, "i64")
        count = f.op(f"add i64 {f.op(f'add i64 {before}, {nbytes}')}, {ALIGNMENT}")
        need = f.op(f"and i64 {f.op(f'add i64 {count}, {ALIGNMENT - 1}')}, {-ALIGNMENT}")
        # Not aligned more than all memory is: what is freed of such blocks fits no later one, and memory grows.
        block = self.call("aligned_alloc", "ptr", "i64 16", f"i64 {need}")
        with self.f.otherwise(self.some(block), "failed"):
            self.call("PyErr_NoMemory", "ptr")
        mask = f.module.declare("llvm.ptrmask.p0.i64", "ptr", ["ptr", "i64"])
        advise = self.external("madvise")
        large = f.op(f"icmp uge i64 {nbytes}, {_PAGED}")
        with f.when(f.op(f"and i1 {large}, {f.op(f'icmp ne ptr {advise}, null')}")):
            page = f.op(f"call ptr {mask}(ptr {self.at(block, _PAGE - 1)}, i64 {-_PAGE})")
            f.op(f"call i32 {advise}(ptr {page}, i64 {f.op(f'sub i64 {need}, {_PAGE}')}, i32 {_HUGE})")
        elements = self.at(self.at(block, before), ALIGNMENT - 1)
        data = f.op(f"call ptr {mask}(ptr {elements}, i64 {-ALIGNMENT})")
        sizes = self.at(block, tensor_end)
        strides = self.element(sizes, rank)
        for value, offset in ((1, 0), (0, 8), (0, 24)):  # in the way of an unversioned tensor, which comes after them
            self.store(str(value), block, offset, "i64")
        library = self.field("exchange", "ptr")
        places = {name: self.load(library, 8 * EXCHANGE.index(name), "i64") for name in ("tensor", "deleter")}
        self.store(self.external("free"), block, places["deleter"])
        tensor = self.at(block, places["tensor"])
        self.store(data, tensor, exchange.DATA)
        self.store(str(exchange.CPU), tensor, exchange.DEVICE, "i64")
        self.store(word, tensor, exchange.WORD, "i64")
        self.store(sizes, tensor, exchange.SHAPE)
        self.store(strides, tensor, exchange.STRIDES)
        self.store("0", tensor, exchange.BYTE_OFFSET, "i64")
        self.store("1", total, 0, "i64")
        with f.loop(0, rank) as loop:
            number = f.op(f"sub i64 {f.op(f'sub i64 {rank}, 1')}, {loop.index}")
            size, stride = self.load(self.element(dims, number), 0, "i64"), self.load(total, 0, "i64")
            self.store(size, self.element(sizes, number), 0, "i64")
            self.store(stride, self.element(strides, number), 0, "i64")
            some = f.op(f"select i1 {self.same(size, '0', 'i64')}, i64 1, i64 {size}")
            self.store(f.op(f"mul i64 {stride}, {some}"), total, 0, "i64")
        return block, data

    def new_array(self, descr: str, ndim: str, dims: str, data: str = "null", flags: int = 0) -> str:
        """A new NumPy array, or null; over `data` where that is given."""
        self.call("Py_IncRef", "void", f"ptr {descr}")  # NewFromDescr takes a reference away, also when it fails
        return self.call(
            "PyArray_NewFromDescr",
            "ptr",
            f"ptr {self.external('ndarray')}",
            f"ptr {descr}",
            f"i32 {ndim}",
            f"ptr {dims}",
            "ptr null",
            f"ptr {data}",
            f"i32 {flags}",
            "ptr null",
        )

    def make_on_line(self, descr: str, ndim: str, dims: str, nbytes: str) -> str:
        """A new NumPy array that begins on a cache line, which NumPy's own memory does not: a view of bytes."""
        f = self.f
        length = f.alloca("i64", 1, align=8)
        self.store(f.op(f"add i64 {nbytes}, {ALIGNMENT}"), length, 0, "i64")
        owner = self.new_array(self.external("bytes"), "1", length)
        self.unless(self.some(owner), "failed")
        past = self.at(self.load(owner, cpython.ARRAY_DATA), ALIGNMENT - 1)
        name = f.module.declare("llvm.ptrmask.p0.i64", "ptr", ["ptr", "i64"])
        data = f.op(f"call ptr {name}(ptr {past}, i64 {-ALIGNMENT})")
        array = self.new_array(descr, ndim, dims, data, cpython.USABLE_AND_WRITABLE)
        self.release_unless(self.some(array), owner)
        self.call("PyArray_SetBaseObject", "i32", f"ptr {array}", f"ptr {owner}")
        return array

    def take_scratch(self, figures: str) -> tuple[str, str]:
        """Memory for the call and its size: the stack, the process' cached block (the GIL guards it), or a new one."""
        f = self.f
        own = self.load(figures, 8 * FRAME.index("scratch_bytes"), "i64")
        need = f.op(f"add i64 {own}, {self.field('write_bytes')}")
        stack, heap, cached, fresh, ready = (f.fresh(x) for x in ("stack", "heap", "cached", "fresh", "ready"))
        f.branch(f.op(f"icmp ule i64 {need}, {STACK_BYTES}"), stack, heap, begin=stack)
        local = f.op(f"alloca i8, i64 {need}, align 64")
        f.jump(ready)
        f.begin_block(heap)
        available = self.external("scratch_bytes", "i64")
        enough = f.op(f"icmp uge i64 {available}, {need}")
        block = self.external("scratch")
        f.branch(enough, cached, fresh, begin=cached)
        self.store("null", self.process, 8 * cpython.WORD["scratch"])
        self.store("0", self.process, 8 * cpython.WORD["scratch_bytes"], "i64")
        f.jump(ready)
        f.begin_block(fresh)
        # What is too small would be freed after the call: not held beside the larger block until then.
        self.store("null", self.process, 8 * cpython.WORD["scratch"])
        self.store("0", self.process, 8 * cpython.WORD["scratch_bytes"], "i64")
        self.call("free", "void", f"ptr {block}")
        new = self.call("aligned_alloc", "ptr", "i64 64", f"i64 {need}")
        with self.f.otherwise(self.some(new), "failed"):
            self.call("PyErr_NoMemory", "ptr")
        got = f.label
        f.enter(ready)
        return (
            f.op(f"phi ptr [ {local}, %{stack} ], [ {block}, %{cached} ], [ {new}, %{got} ]"),
            f.op(f"phi i64 [ 0, %{stack} ], [ {available}, %{cached} ], [ {need}, %{got} ]"),
        )

    def give_scratch(self, scratch: str, scratch_bytes: str) -> None:
        """Keep the larger of this block and the one that another call may have given back meanwhile."""
        f = self.f
        with f.when(f.op(f"icmp ne i64 {scratch_bytes}, 0")):
            larger = f.op(f"icmp ugt i64 {scratch_bytes}, {self.external('scratch_bytes', 'i64')}")
            old = self.external("scratch")
            self.call("free", "void", f"ptr {f.op(f'select i1 {larger}, ptr {old}, ptr {scratch}')}")
            with f.when(larger):
                self.store(scratch, self.process, 8 * cpython.WORD["scratch"])
                self.store(scratch_bytes, self.process, 8 * cpython.WORD["scratch_bytes"], "i64")

    def run(
        self,
        figures: str,
        inputs: str,
        outputs: str,
        scratch: str,
        results_count: str,
        outputs_count: str,
    ) -> str:
        """The program, without the GIL when that pays; then the writes: all of them, or none where it raises.

        Returns false where it does; its exception is set then.
        """
        f = self.f
        rows, program = self.field("outputs", "ptr"), self.field("program", "ptr")
        with f.loop(results_count, outputs_count) as loop:
            row = self.row(rows, loop.index, len(OUTPUT))
            offset, target = self.load(row, 8 * OUTPUT.index("offset"), "i64"), self.target(row)
            direct = f.op(f"icmp slt i64 {offset}, 0")
            buffer = f.op(f"select i1 {direct}, ptr {target}, ptr {self.at(scratch, offset)}")
            self.store(buffer, self.element(outputs, loop.index))
        scratch = self.at(scratch, self.field("write_bytes"))
        call = f"call void {program}(ptr {inputs}, ptr {outputs}, ptr {scratch})"
        short, careful, done = f.fresh("short"), f.fresh("careful"), f.fresh("done")
        release, pending = self.load(figures, 8 * FRAME.index("release"), "i64"), self.field("pending")
        f.branch(self.same(f.op(f"or i64 {release}, {pending}"), "0", "i64"), short, careful, begin=careful)
        raised = self.run_while_python_may(call, release)
        careful_end = f.label
        f.jump(done)
        f.begin_block(short)
        f.do(call)
        f.enter(done)
        whole = f.op(f"phi i1 [ {raised}, %{careful_end} ], [ true, %{short} ]")
        stop = f.op(f"select i1 {whole}, i64 {outputs_count}, i64 {results_count}")
        with f.loop(results_count, stop) as loop:
            row = self.row(rows, loop.index, len(OUTPUT))
            target, source = self.target(row), self.load(self.element(outputs, loop.index))
            with f.when(f.op(f"icmp ne ptr {target}, {source}")):
                nbytes = self.load(row, 8 * OUTPUT.index("nbytes"), "i64")
                self.call("memcpy", "ptr", f"ptr {target}", f"ptr {source}", f"i64 {nbytes}")
        return whole

    def run_while_python_may(self, call: str, release: str) -> str:
        """The program where it gives the GIL away, or calls back to print or assert; returns false where it raises.

        It is one of the readers meanwhile (`base.access`).
        """
        f = self.f
        self.count_reader(1)
        with_gil, free, back = f.fresh("kept"), f.fresh("free"), f.fresh("back")
        f.branch(self.same(release, "0", "i64"), with_gil, free, begin=free)
        thread = self.call("PyEval_SaveThread", "ptr")
        f.do(call)
        self.call("PyEval_RestoreThread", "void", f"ptr {thread}")
        f.jump(back)
        f.begin_block(with_gil)
        f.do(call)
        f.enter(back)
        self.count_reader(-1)
        return self.raise_pending()

    def count_reader(self, change: int) -> None:
        """Add to the readers, which are counted by who holds the GIL."""
        readers = self.external("readers")
        self.store(self.f.op(f"add i64 {self.load(readers, 0, 'i64')}, {change}"), readers, 0, "i64")

    def raise_pending(self) -> str:
        """Set the exception that the program has left behind, see `runtime.effects`; returns false if there is one.

        The flag is up where any thread has one, so that this thread is asked, by a call to Python.
        """
        f = self.f
        whole = f.alloca("i1", 1, align=8)
        f.do(f"store i1 true, ptr {whole}")
        flag = self.field("pending", "ptr")
        with f.when(self.some(flag)), f.when(f.op(f"icmp ne i64 {self.load(flag, 0, 'i64')}, 0")):
            exception = self.call("PyObject_CallNoArgs", "ptr", f"ptr {self.field('taken', 'ptr')}")
            none = self.same(exception, self.external("None"))
            f.do(f"store i1 {none}, ptr {whole}")
            some = self.some(exception)  # null: an interruption, which is set already
            with f.when(some):
                with f.when(f.op(f"xor i1 {none}, true")):
                    kind = self.load(exception, cpython.OB_TYPE)
                    self.call("PyErr_SetObject", "void", f"ptr {kind}", f"ptr {exception}")
                self.call("Py_DecRef", "void", f"ptr {exception}")
        return f.op(f"load i1, ptr {whole}")

    def target(self, row: str) -> str:
        """Return the address that an output is to have in the end."""
        return self.load(row, 8 * OUTPUT.index("target"))

    def each_reference(self, references: str, count: str, function: str) -> None:
        """Another thread may replace an argument's array, or an item of a container: they are held; null is allowed."""
        with self.f.loop(0, count) as loop:
            self.call(function, "void", f"ptr {self.load(self.element(references, loop.index))}")

    def wrap(self, count: str, results: str, blocks: str) -> None:
        """Put each result into an instance of the array class: its first slot is the array, the second None.

        Of a block the other library makes an array, which owns it from then on.
        """
        f = self.f
        library = self.field("exchange", "ptr")
        with f.when(self.some(library)):
            make = self.load(library, 8 * EXCHANGE.index("make"))
            with f.loop(0, count) as loop:
                slot, result = self.element(blocks, loop.index), self.element(results, loop.index)
                block = self.load(slot)
                by_function, by_capsule, over = f.fresh("function"), f.fresh("capsule"), f.fresh("over")
                self.store("null", slot)
                f.branch(self.some(make), by_function, by_capsule, begin=by_function)
                code = f.op(f"call i32 {make}(ptr {block}, ptr {result})")
                self.unless(self.same(code, "0", "i32"), "failed")
                f.jump(over)
                f.begin_block(by_capsule)
                self.make_of_capsule(library, block, result)
                f.enter(over)
        wrapper = self.field("wrapper", "ptr")
        with f.when(self.some(wrapper)):
            none = self.external("None")
            with f.loop(0, count) as loop:
                object_ = self.call("PyType_GenericAlloc", "ptr", f"ptr {wrapper}", "i64 0")
                self.unless(self.some(object_), "failed")
                slot = self.element(results, loop.index)
                self.store(self.load(slot), object_, self.field("data_offset"))
                self.call("Py_IncRef", "void", f"ptr {none}")
                self.store(none, object_, self.field("storage_offset"))
                self.store(object_, slot)

    def make_of_capsule(self, library: str, block: str, result: str) -> None:
        """Put an array of a block to an address: made by the function of the library that takes capsules, whose the
        block is from then on. One that it has not taken is freed.
        """
        f = self.f
        name = self.load(library, 8 * EXCHANGE.index("capsule"))
        count = self.load(library, 8 * EXCHANGE.index("operand_count"), "i64")
        rest = self.load(library, 8 * EXCHANGE.index("operands"))
        operands = f.alloca("i64", _MOST_OPERANDS, align=8)
        with f.loop(0, count) as loop:
            self.store(self.load(self.element(rest, loop.index)), self.element(operands, loop.index))
        capsule = self.call("PyCapsule_New", "ptr", f"ptr {block}", f"ptr {name}", "ptr null")
        with f.otherwise(self.some(capsule), "failed"):
            self.call("free", "void", f"ptr {block}")
        self.store(capsule, operands)
        maker = self.load(library, 8 * EXCHANGE.index("maker"))
        array = self.call("PyObject_Vectorcall", "ptr", f"ptr {maker}", f"ptr {operands}", f"i64 {count}", "ptr null")
        self.store(array, result)
        ours = self.call("PyCapsule_IsValid", "i32", f"ptr {capsule}", f"ptr {name}")  # whoever takes it renames it
        left = f.op(f"select i1 {self.same(ours, '0', 'i32')}, ptr null, ptr {block}")
        self.call("free", "void", f"ptr {left}")
        self.call("Py_DecRef", "void", f"ptr {capsule}")
        self.unless(self.some(array), "failed")

    def hand_over(self, count: str, results: str, references: str, rows: str) -> str:
        """Tell of the writes, then return the results in their structure; null where that cannot be made."""
        f = self.f
        committed = self.field("committed", "ptr")
        with f.when(self.some(committed)):
            answer = self.call("PyObject_CallNoArgs", "ptr", f"ptr {committed}")
            self.unless(self.some(answer), "failed")
            self.call("Py_DecRef", "void", f"ptr {answer}")
        over, values = f.fresh("over"), {}
        for member, label in self.switch(self.field("kind"), Returns, "failed").items():
            f.begin_block(label)
            value = self.returned(Returns(member), count, results, references, rows)
            values[f.label] = value
            f.jump(over)
        f.begin_block(over)
        return f.op(f"phi ptr {', '.join(f'[ {value}, %{label} ]' for label, value in values.items())}")

    def returned(self, kind: Returns, count: str, results: str, references: str, rows: str) -> str:
        """The object that is returned."""
        match kind:
            case Returns.LEAF:
                return self.load(results)
            case Returns.NONE:
                none = self.external("None")
                self.call("Py_IncRef", "void", f"ptr {none}")
                return none
            case Returns.TUPLE:
                return self.sequence("Tuple", count, results)
            case Returns.LIST:
                return self.sequence("List", count, results)
        finish, flat = f"ptr {self.field('finish', 'ptr')}", self.sequence("Tuple", count, results)
        if kind is Returns.FINISH:
            value = self.call("PyObject_CallOneArg", "ptr", finish, f"ptr {flat}")
            self.call("Py_DecRef", "void", f"ptr {flat}")
            return value
        arrays = self.tuple_of_arrays(references, rows, flat)
        both = self.f.alloca("i64", 2, align=8)
        self.store(flat, both)
        self.store(arrays, both, 8)
        value = self.call("PyObject_Vectorcall", "ptr", finish, f"ptr {both}", "i64 2", "ptr null")
        for one in (flat, arrays):
            self.call("Py_DecRef", "void", f"ptr {one}")
        return value

    def tuple_of_arrays(self, references: str, rows: str, flat: str) -> str:
        """A tuple of the arrays among the arguments, None in the place of others."""
        f = self.f
        arrays = self.call("PyTuple_New", "ptr", f"i64 {rows}")
        self.release_unless(self.some(arrays), flat)
        nothing = self.external("None")
        with f.loop(0, rows) as loop:
            one = self.load(self.element(references, loop.index))
            item = f.op(f"select i1 {self.same(one, 'null')}, ptr {nothing}, ptr {one}")
            self.call("Py_IncRef", "void", f"ptr {item}")
            self.call("PyTuple_SetItem", "i32", f"ptr {arrays}", f"i64 {loop.index}", f"ptr {item}")
        return arrays

    def sequence(self, kind: str, count: str, results: str) -> str:
        """A new tuple or list that takes over the results, which are null then."""
        f = self.f
        container = self.call(f"Py{kind}_New", "ptr", f"i64 {count}")
        self.unless(self.some(container), "failed")
        with f.loop(0, count) as loop:
            slot = self.element(results, loop.index)
            item = self.load(slot)
            self.store("null", slot)
            self.call(f"Py{kind}_SetItem", "i32", f"ptr {container}", f"i64 {loop.index}", f"ptr {item}")
        return container

    def write_slow(self) -> None:
        """Anything odd: the same call goes to Python."""
        f = self.f
        f.begin_block("slow")
        fallback = self.field("fallback", "ptr")
        f.do(
            "ret ptr "
            + self.call("PyObject_Vectorcall", "ptr", f"ptr {fallback}", "ptr %args", "i64 %nargs", "ptr %names")
        )

    def free_results(self, count: str, results: str, blocks: str) -> None:
        """Let go of what was made, null where it was not: out of memory, or an exception is set."""
        with self.f.loop(0, count) as loop:
            self.call("Py_DecRef", "void", f"ptr {self.load(self.element(results, loop.index))}")
            self.call("free", "void", f"ptr {self.load(self.element(blocks, loop.index))}")

    def release(self, views_count: str, views: str, references: str, rows: str) -> None:
        """Let go of what was held for the call."""
        with self.f.loop(0, views_count) as loop:
            self.call("PyBuffer_Release", "void", f"ptr {self.view(views, loop.index)}")
        self.each_reference(references, rows, "Py_DecRef")
