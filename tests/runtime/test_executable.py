# SPDX-License-Identifier: Apache-2.0
"""Executables over a hand-written program: checks, copies, constants, effects, life time."""

import gc
import weakref

import numpy as np
import pytest

from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.codegen import runtimes
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.runtime.buffers import aligned_copy, dense
from hybridize.runtime.entry import state_offset
from hybridize.runtime.executable import Executable
from hybridize.runtime.plan import Buffer, Plan

F3 = TensorType((2, 3), np.dtype(np.float32))

# y = x + constant, through scratch
PROGRAM = """
define void @program(ptr %i, ptr %o, ptr %s) {
  %a = load ptr, ptr %i
  %b0 = getelementptr ptr, ptr %i, i64 1
  %b = load ptr, ptr %b0
  %c = load ptr, ptr %o
  br label %body
body:
  %k = phi i64 [ 0, %0 ], [ %n, %body ]
  %pa = getelementptr float, ptr %a, i64 %k
  %pb = getelementptr float, ptr %b, i64 %k
  %ps = getelementptr float, ptr %s, i64 %k
  %pc = getelementptr float, ptr %c, i64 %k
  %x = load float, ptr %pa, align 4
  %y = load float, ptr %pb, align 4
  %z = fadd float %x, %y
  store float %z, ptr %ps, align 4
  %w = load float, ptr %ps, align 4
  store float %w, ptr %pc, align 4
  %n = add i64 %k, 1
  %more = icmp slt i64 %n, 6
  br i1 %more, label %body, label %end
end:
  ret void
}
"""
ENTRY = compile_module(runtimes.text("entry", table_offset=state_offset()), host_target())


def executable(entry=True):
    loaded = compile_module(PROGRAM, host_target())
    plan = Plan((Buffer.of(F3),), (Buffer.of(F3),), (Buffer.of(F3),), 64, ())
    constant = np.arange(6, dtype=np.float32).reshape(2, 3)
    code = (lambda: ENTRY.address("hybridize_entry")) if entry else None
    return Executable(loaded, loaded.address("program"), plan, [constant], code_bytes=1, entry_code=code)


@pytest.mark.parametrize("entry", [True, False])
def test_runs_checks_and_copies(entry):
    program = executable(entry)
    want = np.ones((2, 3)) + np.arange(6).reshape(2, 3)
    strided = np.ones((2, 6), np.float32)[:, ::2]
    swapped = np.ones((2, 3), np.dtype(np.float32).newbyteorder())
    shifted = np.concatenate([np.zeros(1, np.uint8), np.ones(6, np.float32).view(np.uint8)])[1:]
    for x in (np.ones((2, 3), np.float32), strided, swapped, shifted.view(np.float32).reshape(2, 3)):
        (y,) = program.run([x])
        np.testing.assert_array_equal(y, want)
    with pytest.raises(ArgumentError, match="E310: program takes 1 arrays, got 0"):
        program.run([])
    with pytest.raises(DTypeError, match=r"E210: input 0 of program must be f32\[2,3\], got dtype float64"):
        program.run([np.ones((2, 3))])
    with pytest.raises(ShapeError, match=r"E120: input 0 of program must be f32\[2,3\], got f32\[3,2\]"):
        program.run([np.ones((3, 2), np.float32)])
    with pytest.raises(ArgumentError, match="is a list, not a NumPy array"):
        program.run([[1.0]])


def test_the_entry_is_asked_for_at_the_second_run():
    program, asked = executable(), []
    program._entry_code = lambda: asked.append(1) or ENTRY.address("hybridize_entry")
    x = np.ones((2, 3), np.float32)
    expected = x + np.arange(6).reshape(2, 3)
    for count in (0, 1, 1):
        np.testing.assert_array_equal(program.run([x])[0], expected)
        assert len(asked) == count


def test_what_a_call_reads_lives_until_it_returns():
    program, alive = executable(entry=False), []
    operand = program._checked._operand
    made = []

    def copied(*given):
        array = operand(*given)
        made.append(weakref.ref(array))
        return array

    program._checked._operand = copied
    program._checked.program = lambda *_: alive.append(made[0]() is not None)
    program.run([np.ones((2, 6), np.float32)[:, ::2]])
    assert alive == [True] and made[0]() is None


def test_describes_itself():
    program = executable()
    assert program.peak_bytes == 64 + 24
    assert program.parameters == [F3] == program.results
    assert program.constant_bytes == 24
    assert program.constants[0].ctypes.data % 64 == 0
    assert not program.constants[0].flags.writeable
    assert program.kernels == ()


def test_a_dropped_executable_is_freed_at_once():
    program = executable()
    owner = weakref.ref(program._owner)
    gone = weakref.ref(program)
    gc.disable()
    try:
        del program
        assert gone() is None
        assert owner() is None
    finally:
        gc.enable()


def test_buffers():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert dense(x) is x
    assert dense(x.T).flags.c_contiguous
    np.testing.assert_array_equal(dense(x.T), x.T)
    assert dense(np.array(3.0)).shape == ()
    scalar = aligned_copy(np.array(3.0))
    assert scalar.shape == ()
    assert scalar == 3
    assert aligned_copy(np.zeros((0, 3))).shape == (0, 3)
