"""Kernels of a GPU as PTX: what LLVM writes of them, without running them."""

import re

import pytest

from hybridize import ops
from hybridize.base.dtypes import float16
from hybridize.base.errors import CodegenError, DeviceError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.llvm.objects import assembly, binding
from hybridize.machine.target import DEVICE_NAMES, named_target
from hybridize.passes import PIPELINE
from hybridize.schedule.device.contractions import BlockPlan
from hybridize.schedule.steps import ContractionStep
from tests.refusals import refusal
from tests.schedule import goldens
from tests.schedule.goldens import f32, unknown

SM_80 = named_target("sm_80")
PROGRAMS = {
    "softmax of a product": (goldens.weighted, f32(40, 20), f32(20, 150), f32(150)),
    "rows as threads": (goldens.softmax_over(0), f32(3, 300)),
    "rows as warps": (goldens.softmax_over(1), f32(9, 100)),
    "several folds": (goldens.statistics, f32(9, 1000)),
    "gates": (goldens.lstm_step, *(f32(*shape) for shape in [(9, 12), (64, 12), (9, 16), (64, 16), (64,), (9, 16)])),
    "a large product": (goldens.dense, f32(2048, 64), f32(64, 2048), f32(2048)),
    "a convolution": (goldens.convolved(1, 1), f32(2, 3, 9, 9), f32(4, 3, 3, 3)),
    "parts of sums": (goldens.dense, f32(16, 1024), f32(1024, 16), f32(16)),
}


def kernels(name: str, target: str):
    function, *types = PROGRAMS[name]
    return build_kernels(PIPELINE.run(ops.make_graph(function, types)), named_target(target))


@pytest.mark.parametrize("name", PROGRAMS)
def test_text(name):
    program = kernels(name, "sm_80")
    text = program.ptx()
    major, minor = program.target.device.ptx
    assert f".version {major}.{minor}\n.target sm_80\n" in text
    assert not re.search(r"\b(add|mul|sub)\.f(32|64)", text), "an operation without a rounding may be fused"
    assert "approx" not in text
    assert ".ftz" not in text
    assert not re.search(r"^\s*call", text, re.M)
    assert ".local" not in text, "registers do not suffice, or an array lies on the stack"
    assert {launch.function for step in program.plan.steps for launch in step.launches} == set(
        re.findall(r"\.entry (\w+)", text)
    )


ANY = {
    "terms": lambda: [f32(40, size := unknown()), f32(size, 24)],
    "rows": lambda: [f32(unknown(), 40), f32(40, 24)],
    "columns": lambda: [f32(40, 24), f32(24, unknown())],
    "terms of float16": lambda: [TensorType((40, size := unknown()), float16), TensorType((size, 24), float16)],
}
"""Operands of a product, some sizes of which only a call knows."""


@pytest.mark.parametrize("of", ANY)
def test_each_value_is_there_where_it_is_read_for_any_size(of):
    """A loop over terms may have no turn: LLVM ends the process where a value of its body is read behind it."""
    program = build_kernels(PIPELINE.run(ops.make_graph(lambda x, w: [ops.matmul(x, w)], ANY[of]())), SM_80)
    verified = binding().parse_assembly(program.module.text())
    verified.verify()
    assert ".entry" in program.ptx()


def planned_launches(steps):
    """The launches that steps plan, in order."""
    for step in steps:
        if not isinstance(step, ContractionStep):
            yield from (nest.launch for nest in step.kernel.nests)
            continue
        for one in step.plan.launches:
            yield from (launch for launch in (one.grid.launch, one.grid.after) if launch is not None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_and_shared_memory_are_those_of_the_schedule(name):
    program = kernels(name, "sm_80")
    text = program.ptx()
    launches = [launch for of_plan in program.plan.steps for launch in of_plan.launches]
    for planned, launch in zip(planned_launches(program.schedule.steps), launches, strict=True):
        body = text[text.index(f".entry {launch.function}(") :].partition("// -- End function")[0]
        assert f".maxntid {launch.threads}" in body
        assert launch.threads == planned.threads
        arrays = re.findall(rf"\.shared \.align 16 \.b8 {launch.function}_shared\d+\[(\d+)\]", text)
        assert sum(-(-int(size) // 16) * 16 for size in arrays) == planned.shared_bytes
        assert planned.shared_bytes <= program.target.device.shared_bytes


def test_each_device_writes_for_itself():
    for name in DEVICE_NAMES:
        if named_target(name).device.ptx is None:
            continue
        major, minor = named_target(name).device.ptx
        assert f".version {major}.{minor}\n.target {name}" in kernels("rows as warps", name).ptx()


def test_a_tile_reads_shared_memory_four_elements_at_a_time():
    program = kernels("a large product", "sm_80")
    (step,) = program.schedule.steps
    assert isinstance(step.plan, BlockPlan)
    text = program.ptx()
    tile = step.plan.launches[0].grid.tile
    assert (tile.m, tile.n) == (128, 128)
    assert text.count("ld.shared.v4") == tile.k * (tile.rows + tile.columns) // 4 + 1  # the sums that wait
    assert text.count("fma.rn.f32") >= tile.k * tile.rows * tile.columns


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_number_of_64_bits_is_divided(name):
    """Where sizes are known, so are the bounds of indices."""
    assert not re.search(r"\b(div|rem)\.[su]64", kernels(name, "sm_80").ptx())


def test_elements_of_four_bytes_need_no_register_on_their_way_to_shared_memory():
    assert "cp.async.ca.shared.global" in kernels("a convolution", "sm_80").ptx()
    assert ".minnctapersm 2" in kernels("a large product", "sm_80").ptx()


def test_operands_are_read_by_way_of_the_cache_that_nobody_writes():
    assert "ld.global.nc" in kernels("rows as warps", "sm_80").ptx()


def test_what_has_no_code_is_refused():
    graph = ops.make_graph(lambda x: [ops.add(x, x)], [TensorType.parse("c64[8]")])
    with refusal(DeviceError, "add has no code for sm_80 yet, only for processors") as caught:
        build_kernels(PIPELINE.run(graph), named_target("sm_80"))
    assert caught.value.code == "E705"


def test_a_value_that_is_not_there_ends_no_process():
    """LLVM aborts where it selects instructions for such a module; it is refused before."""
    text = """define void @k(i1 %c, ptr %p) {
    a:
      br i1 %c, label %b, label %d
    b:
      %x = add i32 1, 2
      br label %d
    d:
      store i32 %x, ptr %p
      ret void
    }"""
    with refusal(CodegenError, "E962: .*does not dominate all uses"):
        assembly(text, named_target("sm_80"))
