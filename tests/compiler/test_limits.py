"""The loops that measure what a core can do do what they say, as wide as the target's programs."""

import ctypes

import numpy
import pytest

from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.compiler import limits
from hybridize.compiler.limits import MOVING, MULTIPLY_ADDS, READING, Probes
from hybridize.machine.target import named_target

HOST = host_target()
LEVELS = [
    named_target(name)
    for name in ("baseline", "avx2", "avx512")
    if named_target(name).vector_bytes <= HOST.vector_bytes
]


@pytest.mark.parametrize("target", [HOST, *LEVELS], ids=lambda target: f"{target.name} {target.cpu}")
def test_probes_are_as_wide_as_the_target(target):
    probe = Probes(target).probe(MULTIPLY_ADDS)
    assert probe.amount == 2 * target.vector_bytes // 4 * limits.CHAINS * limits.STEPS
    assert f"<{target.vector_bytes // 4} x float>" in limits.source(target.lanes(4))


def test_loops_compute_what_they_say():
    lanes = HOST.lanes(4)
    code = compile_module(limits.source(lanes), HOST)
    i64, f32, address = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
    count = limits.CHAINS * limits.STREAMS * lanes
    memory = numpy.arange(3 * count + 16, dtype=numpy.float32)
    begin = (-memory.ctypes.data % 64) // 4
    x, y, out = (memory[begin + i * count : begin + (i + 1) * count] for i in range(3))
    ctypes.CFUNCTYPE(None, address, address, address, i64, i64)(code.address("move"))(
        x.ctypes.data, y.ctypes.data, out.ctypes.data, 4 * count, 2
    )
    assert (out == x + y).all()
    first = x.reshape(-1, lanes)[:, 0].sum()  # the first lane of all vectors
    read = ctypes.CFUNCTYPE(f32, address, i64, i64)(code.address("read"))
    assert read(x.ctypes.data, 4 * count, 3) == pytest.approx(3 * first)
    multiply_add = ctypes.CFUNCTYPE(f32, f32, f32, i64)(code.address("multiply_add"))
    assert multiply_add(0.5, 0.5, 2) == pytest.approx(limits.CHAINS * 0.75)  # ((0 x + y) x + y) in each chain


@pytest.mark.parametrize(("nbytes", "inputs"), [(1, 1), (100_000, 2), (40 << 20, 1)])
def test_amounts_are_bytes_of_a_call(nbytes, inputs):
    probes = Probes(HOST)
    for kind, arrays in ((READING, 1), (MOVING, inputs + 1)):
        probe = probes.probe(kind, nbytes, inputs)
        probe.call()
        assert probe.amount % arrays == 0
        once = max(nbytes, 1024)
        assert 0.5 * max(limits.PASSED_BYTES, once) < probe.amount / arrays < 4 * max(limits.PASSED_BYTES, once)


def test_other_probes_are_refused():
    with pytest.raises(ValueError, match="no probe"):
        Probes(HOST).probe("flying")
    with pytest.raises(ValueError, match="no probe of 3 inputs"):
        Probes(HOST).probe(MOVING, 1024, 3)
