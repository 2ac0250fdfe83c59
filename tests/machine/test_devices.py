"""GPUs as targets: named, no processors, and no machine that code runs on here."""

import pytest

from hybridize import compiler, hybridize, np, ops
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, CodegenError
from hybridize.base.types import TensorType
from hybridize.machine.target import DEVICE_NAMES, NAMES, named_target
from tests.refusals import refusal


@pytest.mark.parametrize("name", DEVICE_NAMES)
def test_a_thread_is_a_small_processor(name):
    target = named_target(name)
    assert target is named_target(name)
    assert target.cpu == target.name == name
    assert [target.lanes(size) for size in (1, 2, 4, 8)] == [1, 1, 1, 1]
    assert target.fma
    assert target.device.threads % target.device.warp == 0


def test_processors_have_no_device():
    assert not set(NAMES) & set(DEVICE_NAMES)
    assert all(named_target(name).device is None for name in NAMES)


def test_an_unknown_name_lists_gpus_too():
    with refusal(CodegenError, "no target is called 'sm_12'\nhelp: use one of .*, sm_80, sm_90"):
        named_target("sm_12")


def test_no_machine_code_is_made_for_a_gpu():
    graph = ops.make_graph(lambda x: [ops.exp(x)], [TensorType((3,), float32)])
    with refusal(CodegenError, "E965: sm_80 does not run on this machine"):
        compiler.compile(graph, named_target("sm_80"))


@pytest.mark.parametrize("format", ["archive", "library", "object", "wheel"])
def test_no_file_has_code_for_a_gpu(format, tmp_path):
    twice = hybridize(lambda x: x * 2)
    twice(np.ones((3,)))
    with refusal(ArgumentError, "'sm_80'"):
        twice.export(str(tmp_path / "out"), format=format, targets="sm_80")
    assert not any(tmp_path.iterdir())
