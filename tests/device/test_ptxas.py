"""What the interpreter runs is PTX for NVIDIA's assembler, too; kernels of ours fit into registers."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.errors import DeviceError, InternalError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.compiler.kernels import device_target
from hybridize.machine.target import named_target
from hybridize.schedule.steps import ContractionStep
from tests.device import ptxas, test_copies, test_opcodes, test_races
from tests.device.programs import SM_80, graph_of
from tests.device.test_mutations import PROGRAMS
from tests.device.test_samples import WORDS, of
from tests.device.written import module

pytestmark = [pytest.mark.long, ptxas.installed]
ARCHITECTURES = ["sm_80", "sm_90"]


def opcodes() -> list[tuple]:
    tables = [getattr(test_opcodes, name) for name in vars(test_opcodes) if name.isupper()]
    return [case for table in tables if isinstance(table, list) for case in table if isinstance(case, tuple)]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_opcode(arch, tmp_path):
    texts = [test_opcodes.text_of(opcode, result, operands) for opcode, result, operands, _ in opcodes()]
    assert len(texts) > 300
    text = ptxas.joined(texts).replace(".target sm_80", f".target {arch}")
    used = ptxas.assembled(text, arch, tmp_path)
    assert len(used) == len(texts)
    assert all(one.spilled == 0 for one in used.values())


def test_kernels_with_shared_memory_and_barriers(tmp_path):
    for body, shared in ((test_races.TURNED, 256), (test_races.WARP.format(31), 256), (test_copies.STAGED, 2048)):
        used = ptxas.assembled(module(body, ("u64 out", "u64 x")), "sm_80", tmp_path)
        assert used["k"].shared == shared
        assert used["k"].spilled == 0


def samples(words: Sequence[str]) -> Iterator[str]:
    """Return the code of each sample of some ops that has some."""
    for word in words:
        for sample in of(word):
            types = [TensorType(x.shape, x.dtype) for x in sample.inputs]
            try:
                graph = graph_of(lambda *xs, op=sample.op: list(ops.bind(op, *xs)), *types)
                yield build_kernels(graph, SM_80).ptx()
            except (DeviceError, InternalError):  # tests.device.test_samples knows which
                continue


PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_every_sample_of_every_op(part, tmp_path):
    words = WORDS[part::PARTS]
    count, rest = 0, (text for text in samples(words) if ".entry" in text)
    while texts := list(islice(rest, 50)):
        for arch in ARCHITECTURES:
            used = ptxas.assembled(ptxas.joined(texts), arch, tmp_path)
            assert {name: one for name, one in used.items() if one.spilled} == {}
        count += len(used)
    assert count > len(words)


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_registers_of_each_kind_of_kernel(name, arch, tmp_path):
    function, *types = PROGRAMS[name]
    program = build_kernels(graph_of(function, *types), named_target(arch))
    used = ptxas.assembled(program.ptx(), arch, tmp_path)
    assert all(one.spilled == 0 for one in used.values()), used
    has_tiles = any(isinstance(step, ContractionStep) for step in program.schedule.steps)
    most = 128 if has_tiles else 40  # six blocks of 256 threads a processor
    assert max(one.registers for one in used.values()) <= most, used


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("count", [511, 512, 2000])
def test_kernels_of_many_arrays(count, arch, tmp_path):
    graph = graph_of(lambda *xs: [ops.concat(*xs, axis=0)], *[TensorType((1,), float32)] * count)
    text = build_kernels(graph, named_target(arch)).ptx()
    used = ptxas.assembled(text, arch, tmp_path)
    assert text.count(".param .u64") == count + 1 and len(used) == 1


@pytest.mark.parametrize("arch", ["sm_86", "sm_87", "sm_89", "sm_100", "sm_103", "sm_120", "sm_121"])
def test_other_architectures_take_the_code_of_older_ones(arch, tmp_path):
    target = device_target(arch)
    texts = [build_kernels(graph_of(function, *types), target).ptx() for function, *types in PROGRAMS.values()]
    used = ptxas.assembled(ptxas.joined(texts), arch, tmp_path)
    assert all(one.spilled == 0 and one.registers <= 128 and one.shared <= 48 << 10 for one in used.values()), used


def test_what_is_refused_is_an_error(tmp_path):
    with pytest.raises(AssertionError, match="Unknown modifier"):
        ptxas.assembled(module("add.s99 %r1, %r2, %r3;"), "sm_80", tmp_path)
