"""A GPU over a stand-in for the driver: what is asked of it is done in order, errors say what the driver said."""

import gc
import threading
from types import SimpleNamespace

import numpy
import pytest

from hybridize import system as operating_system
from hybridize.base.config import CONFIG
from hybridize.errors import CodegenError, DeviceError, DeviceMemoryError, InternalError
from hybridize.runtime import devices
from hybridize.runtime.cuda import counting, signatures, staging, work
from hybridize.runtime.devices import count, opened
from tests.refusals import refusal

CODE = ".version 7.0\n.entry fill(.param .u64 to)\n.entry add(.param .u64 to)\n.entry grid(.param .u64 to)\n"


def on(device, values):
    at = device.alloc(values.nbytes)
    device.copy_in(at, values)
    return at


def read(device, at, like):
    out = numpy.empty_like(like)
    device.copy_out(at, out)
    return out


class Filling:
    """Sixteen bytes of the first GPU, and a kernel that fills them with a number."""

    def __init__(self):
        self.device = opened(0)
        self.kernel, self.at = self.device.load(CODE)["fill"], self.device.alloc(16)

    def ask(self, value, nbytes=16, shared_bytes=0):
        self.device.launch(self.kernel, (1, 1, 1), 1, shared_bytes, [self.at, value, nbytes])

    def recorded(self, *values, graph=None):
        with self.device.capture(graph) as graph:
            for value in values:
                self.ask(value)
        return graph

    def has(self, value):
        return (read(self.device, self.at, numpy.zeros(16, "uint8")) == value).all()


@pytest.fixture
def filling(standin):
    return Filling()


# ------------------------------------------------------------------------------------------------- what there is


def test_gpus_are_counted_without_the_driver(standin, monkeypatch):
    assert count() == 2
    for visible, number in {
        "0": 1, "1,0": 2, "": 0, "-1": 0, "0,7,1": 1, "1,x,0": 1, "0,0": 0, "GPU-2": 1, "GPU-1,GPU-2": 2, "GPU-": 0,
        "MIG-1a": 1, " 1 , 0 ": 2,
    }.items():  # fmt: skip
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        assert count() == number, visible
    assert not [name for name in standin.calls() if name.startswith("cu")]


def test_gpus_are_described_without_the_driver(standin, monkeypatch):
    assert counting.described() == [("Stand-in 0", "sm_90"), ("Stand-in 1", "sm_90")]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-1a,1")
    assert counting.described() == [("MIG-1a", ""), ("Stand-in 1", "sm_90")]
    standin.fail("nvmlDeviceGetCudaComputeCapability", 3)
    assert counting.described()[1] == ("Stand-in 1", "")
    assert counting.build() == "550.54.12040"
    standin.fail("nvmlInit_v2", 9)
    assert counting.build() == ""
    assert not [name for name in standin.calls() if name.startswith("cu")]


@pytest.mark.parametrize("name", ["nvmlInit_v2", "nvmlDeviceGetCount_v2"])
def test_where_nobody_counts_there_is_none(standin, name):
    standin.fail(name, 9)
    assert count() == 0


def test_without_the_library_there_is_none(standin, monkeypatch):
    def missing():
        raise OSError("libnvidia-ml.so.1: cannot open shared object file")

    monkeypatch.setattr(operating_system, "gpu_counter", missing)
    assert count() == 0


def test_a_device_is_opened_once_by_whichever_thread(standin):
    same = []
    threads = [threading.Thread(target=lambda: same.append(opened(1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(one) for one in same}) == 1 and standin.calls().count("cuInit") == 1
    assert (same[0].name, same[0].arch) == ("Stand-in 1", "sm_90")


def test_a_driver_that_is_missing_old_or_does_not_start(standin, monkeypatch):
    standin.set("version", 11080)
    with refusal(DeviceError, r"E709: .*too old: it is of CUDA 11\.8\nhelp: .*12\.0"):
        opened(0)
    standin.set("version", 12000)
    standin.fail("cuInit", 100)
    with refusal(DeviceError, r"E709: .*does not start: cuInit: CUDA_ERROR_OF_A_TEST \(100\).*\nhelp: .*nvidia-smi"):
        opened(0)
    with refusal(DeviceError, r"E709: .*does not start: cuDeviceGet: CUDA_ERROR_OF_A_TEST \(101\)"):
        opened(9)
    standin.fail("cuDevicePrimaryCtxRetain", 46)
    with refusal(DeviceError, r"E709: .*does not start: cuDevicePrimaryCtxRetain: .* \(46\).*\nhelp: .*nvidia-smi"):
        opened(0)

    def missing():
        raise OSError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(operating_system, "gpu_driver", missing)
    with refusal(DeviceError, "E709: .*cannot be loaded: libcuda.so.1"):
        opened(0)
    monkeypatch.setattr(operating_system, "gpu_driver", SimpleNamespace)
    with refusal(DeviceError, "E709: .*too old: .*cuInit"):
        opened(0)


@pytest.mark.parametrize(("arch", "name"), [(70, "sm_70"), (75, "sm_75")])
def test_gpus_that_run_no_kernels_of_ours_are_refused(standin, arch, name):
    standin.set("arch", arch)
    with refusal(DeviceError, rf"E709: Stand-in 0 \({name}\) cannot run kernels for sm_80, .*\nhelp: .*CUDA_VISIBLE"):
        opened(0)


@pytest.mark.parametrize("arch", [80, 86, 89, 90, 100, 103, 120, 121])
def test_gpus_have_the_name_of_their_architecture(standin, arch):
    standin.set("arch", arch)
    assert opened(0).arch == f"sm_{arch}"


# --------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("nbytes", [0, 1, staging.PLACE, 2 * staging.PLACE + 5, 3 * staging.PLACE])
def test_copies_of_any_size_come_back(standin, nbytes):
    device = opened(0)
    values = numpy.random.default_rng(nbytes).integers(0, 255, nbytes, "uint8")
    at = device.alloc(nbytes)
    source = values.copy()
    device.copy_in(at, source)
    source[...] = 0  # what is copied may be written at once
    other = device.alloc(nbytes)
    device.copy(other, at, nbytes)
    assert (read(device, other, values) == values).all()
    assert (read(device, at, values) == values).all()


def test_arrays_of_any_layout_are_copied_row_by_row(standin):
    device = opened(0)
    values = numpy.arange(24, dtype="float32").reshape(4, 6)
    for part in (values.T, values[::-1, 1::2], values[2], values[1, 1]):
        at = on(device, part)
        assert (read(device, at, numpy.empty(part.shape, "float32")) == part).all()


def test_the_own_context_of_a_thread_is_what_it_was(standin):
    device = opened(0)
    before = standin.get("depth")
    at = on(device, numpy.ones(3))
    with device.capture():
        device.copy(at, at, 0)
    standin.fail("cuMemcpyDtoDAsync_v2", 1)
    with refusal(InternalError, "E908"):
        device.copy(at, at, 0)
    assert standin.get("depth") == before


# --------------------------------------------------------------------------------------------------------- memory


def test_a_block_is_used_again_by_what_is_asked_for_next(standin):
    device = opened(0)
    first = device.alloc(1000)
    device.free(first)
    assert device.alloc(1000) == first
    calls = standin.calls()
    for nbytes in (10, 4000, 512, 1 << 19):
        device.free(device.alloc(nbytes))
    assert calls.count("cuMemAlloc_v2") == 1 and "cuMemAlloc_v2" not in standin.calls()


def test_memory_that_is_short_is_looked_for(standin):
    device = opened(0)
    blocks = [device.alloc(7 << 20) for _ in range(3)]  # of two chunks
    for one in blocks[1:]:
        device.free(one)
    device.free(device.alloc(1))
    device.when_scarce.append(lambda: device.free(blocks[0]))
    large = device.alloc(60 << 20)  # all of what there is
    free, total = device.memory()
    assert (free, total) == (4 << 20, 64 << 20)
    with refusal(
        DeviceMemoryError,
        rf"E706: Stand-in 0 has no memory for {5 << 20} bytes: {free} of {total} are free\nhelp: drop",
    ):
        device.when_scarce.clear()
        device.alloc(5 << 20)
    device.free(large)
    device.empty_cache()
    assert standin.get("used") == 0 and device.memory() == (total, total)


def test_an_error_of_memory_is_pythons_too():
    assert issubclass(DeviceMemoryError, (MemoryError, DeviceError))


# ----------------------------------------------------------------------------------------------------------- work


def test_kernels_run_after_what_was_asked_before(standin):
    device = opened(0)
    code = device.load(CODE)
    x, y = numpy.arange(8, dtype="float32"), numpy.ones(8, "float32")
    a, b, to = on(device, x), on(device, y), device.alloc(32)
    device.launch(code["add"], (1, 1, 1), 8, 0, [to, a, b, 8])
    device.launch(code["add"], (1, 1, 1), 8, 0, [to, to, b, 8])
    assert (read(device, to, x) == x + 2).all()
    word = device.alloc(4)
    device.launch(code["grid"], (2, 3, 4), (5, 6, 7), 0, [word])
    assert read(device, word, numpy.zeros(1, "uint32")) == [24 * 210]
    assert (code["add"].registers, code["add"].local_bytes) == (32, 16) and code["add"] is code["add"]


def test_more_shared_memory_is_asked_for_once(filling, standin):
    for shared in (48 << 10, 100 << 10, 90 << 10, 100 << 10):
        filling.ask(7, shared_bytes=shared)
    assert standin.calls().count("cuFuncSetAttribute") == 1 and filling.has(7)


def test_code_that_the_driver_refuses_comes_with_its_log(standin):
    device = opened(0)
    with refusal(
        CodegenError, r"(?s)E907: .*module of 2 lines: .*CUDA_ERROR_INVALID_PTX \(218\).*\nptxas .*line 3; fatal"
    ):
        device.load("// \nsyntax error")
    with refusal(InternalError, "E908: .*cuModuleGetFunction"):
        device.load(CODE)["nobody"]
    for name in ("cuLinkComplete", "cuModuleLoadDataEx"):
        standin.fail(name, 2)
        with refusal(DeviceMemoryError, f"E706: {name}"):
            device.load(CODE)
    for name, result, help in (
        ("cuLinkCreate_v2", 221, "libnvidia-ptxjitcompiler"), ("cuLinkAddData_v2", 222, "a newer driver"),
        ("cuLinkComplete", 223, "CUDA_DISABLE_PTX_JIT"),
    ):  # fmt: skip
        standin.fail(name, result)
        with refusal(DeviceError, rf"E709: NVIDIA's driver compiles nothing: {name}: .*\({result}\).*\nhelp: .*{help}"):
            device.load(CODE)
    standin.fail("cuModuleLoadDataEx", 209)
    with refusal(InternalError, "E908: .*cuModuleLoadDataEx"):
        device.load(CODE)


def test_modules_are_unloaded_after_their_kernels_and_graphs(filling, standin):
    graph = filling.recorded(3)
    del filling.kernel
    gc.collect()
    filling.device.wait()
    assert "cuModuleUnload" not in standin.calls()
    graph.launch()
    assert filling.has(3)
    del graph
    gc.collect()
    filling.device.wait()
    assert [name for name in standin.calls() if "Destroy" in name or "Unload" in name] == [
        "cuGraphExecDestroy",
        "cuModuleUnload",
    ]


def test_a_graph_does_again_what_was_recorded(filling):
    device, at = filling.device, filling.at
    other = device.alloc(16)
    filling.ask(9)
    with device.capture() as graph:
        filling.ask(1)
        device.copy(other, at, 16)
    assert filling.has(9)
    for _ in range(2):
        filling.ask(9)
        graph.launch()
        assert filling.has(1) and (read(device, other, numpy.zeros(16, "uint8")) == 1).all()


def test_a_large_copy_is_several_nodes(standin, monkeypatch):
    monkeypatch.setattr(work, "_COPY", 16)
    device = opened(0)
    values = numpy.arange(56, dtype="uint8")
    source, to = on(device, values), device.alloc(56)
    with device.capture() as graph:
        device.copy(to, source, 56)
        device.copy(to, source, 0)
    assert standin.calls().count("cuGraphAddMemcpyNode") == 4
    graph.launch()
    assert (read(device, to, values) == values).all()


def test_others_free_memory_and_wait_for_the_gpu_while_a_graph_is_recorded(filling):
    device = filling.device
    with device.capture() as graph:
        filling.ask(1)
        with device.current() as call:
            call("cuCtxSynchronize")
            call("cuMemFree_v2", device._reserve(64))
    graph.launch()
    assert filling.has(1)
    assert not {name for name in signatures.SIGNATURES if "Capture" in name}


@pytest.mark.parametrize(
    ("values", "result", "made"), [((5,), 0, 0), ((4, 5), 0, 1), *(((5,), result, 1) for result in (1, 801, 910))]
)
def test_a_graph_takes_other_work_of_the_same_shape_or_is_made_anew(filling, standin, values, result, made):
    """It is made anew whatever the driver minds."""
    graph = filling.recorded(1)
    standin.calls()
    if result:
        standin.fail("cuGraphExecUpdate_v2", result)
    assert filling.recorded(*values, graph=graph) is graph
    calls = standin.calls()
    assert (calls.count("cuGraphExecUpdate_v2"), calls.count("cuGraphInstantiateWithFlags")) == (1, made)
    assert calls.count("cuGraphDestroy") == 1 and calls.count("cuGraphExecDestroy") == made
    graph.launch()
    assert filling.has(5)


def test_a_graph_for_which_there_is_no_memory_is_made_where_others_go(filling, standin):
    graphs = [filling.recorded(1)]
    filling.device.when_scarce.append(graphs.clear)
    standin.calls()
    standin.fail("cuGraphInstantiateWithFlags", 2)
    graph = filling.recorded(2)
    calls = [name for name in standin.calls() if "Instantiate" in name or "Destroy" in name]
    twice = ["cuGraphInstantiateWithFlags", "cuGraphExecDestroy", "cuGraphInstantiateWithFlags", "cuGraphDestroy"]
    assert not graphs and calls == twice
    graph.launch()
    assert filling.has(2)


def test_a_module_that_goes_is_unloaded_when_its_kernels_are_done(filling, standin):
    stream = filling.device.stream_number
    filling.ask(3)
    del filling.kernel
    gc.collect()
    assert standin.pending(stream) == 1
    filling.device.event()  # the next one who asks for something
    assert "cuModuleUnload" in standin.calls() and filling.has(3)


def test_what_is_raised_while_a_graph_is_recorded_ends_the_recording(filling):
    with pytest.raises(TypeError):
        filling.recorded(2, "no number")
    filling.ask(1)
    assert filling.has(1)


def test_events_are_places_in_the_order(filling, standin):
    device = filling.device
    filling.ask(1)
    event = device.event()
    filling.ask(2)
    device.wait(event)
    assert standin.pending(device.stream_number) == 1
    del event
    standin.calls()
    device.wait(device.event())
    assert "cuEventCreate" not in standin.calls()  # another one's that has gone


# ---------------------------------------------------------------------------------------------------------- faults


def test_a_gpu_that_has_failed_says_so_for_ever(standin):
    device = opened(0)
    code, at = device.load(CODE), device.alloc(16)
    for value in range(20):
        device.launch(code["fill"], (1, 1, 1), 1, 0, [at, value, 16])
    device.launch(code["grid"], (1, 1, 1), 1, 0, [at])
    standin.fail("cuEventSynchronize", 700)
    words = r"E707: the GPU has failed \(cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS \(700\), an illegal memory access was encountered\)"
    with refusal(
        DeviceError, rf"{words}, .*; the last programs were (fill, ){{15}}grid\nhelp: .*HYBRIDIZE_DEVICE_CHECK=1"
    ):
        device.wait()
    depth = standin.get("depth")
    for use in (
        lambda: device.alloc(1), device.memory, device.event, lambda: device.load(CODE),
        lambda: device.launch(code["fill"], (1, 1, 1), 1, 0, [at, 0, 16]), lambda: device.copy_in(at, numpy.ones(1)),
        lambda: device.copy_out(at, numpy.ones(1)),
    ):  # fmt: skip
        with refusal(DeviceError, words):
            use()
    device.free(at)  # the end of an array raises nothing
    assert standin.get("depth") == depth


@pytest.mark.parametrize("is_graph", [False, True])
def test_every_launch_is_waited_for_where_the_user_wants_it(filling, standin, monkeypatch, is_graph):
    graph = filling.recorded(0)
    graph.name = "net"
    monkeypatch.setattr(CONFIG, "device_check", True)
    standin.fail("cuStreamSynchronize", 719)
    with refusal(DeviceError, rf"E707.*\(719\).* the last programs were {'net' if is_graph else 'fill'}\nhelp"):
        graph.launch() if is_graph else filling.ask(0)


@pytest.mark.parametrize("name", ["cuGraphLaunch", "cuCtxPushCurrent_v2"])
def test_a_graph_that_cannot_be_started_says_why(filling, standin, name):
    graph = filling.recorded(0)
    graph.name, depth = "net", standin.get("depth")
    standin.fail(name, 1)
    with refusal(InternalError, f"E908: .*{name}"):
        graph.launch()
    graph.launch()
    standin.fail(name, 700)
    for _ in range(2):  # and for ever
        with refusal(DeviceError, f"E707: .*{name}.* the last programs were (.*)net\nhelp"):
            graph.launch()
        standin.heal()
    assert standin.get("depth") == depth


@pytest.mark.parametrize(
    ("result", "words"),
    [(900, r"cuEventRecord: .*\(900\).*\nhelp: .*torch\.cuda\.graph"), (12345, "cuEventRecord: result 12345\nhelp: please report")],
)  # fmt: skip
def test_what_the_driver_refuses_is_told(standin, result, words):
    """What a stream that is recorded does not take is told apart, and a result without a name is a number."""
    device = opened(0)
    standin.fail("cuEventRecord", result)
    with refusal(InternalError, f"E908: the driver refuses a call: {words}"):
        device.event()


def test_a_forked_process_has_no_devices(standin, inherited):
    device = opened(0)
    devices._in_child()
    standin.calls()
    with refusal(DeviceError, "E708: .*forked after its parent had used Stand-in 0.*\nhelp: .*spawn"):
        opened(0)
    assert devices.is_inherited(device) and not standin.calls()
    assert count() == 2  # which asks nothing of the driver


def test_a_kind_that_nobody_brings(monkeypatch):
    monkeypatch.setattr(CONFIG, "device", "")
    assert count() == 0
    monkeypatch.setattr(CONFIG, "device", "emulated")
    monkeypatch.setattr(devices, "_PLACES", {})
    with refusal(DeviceError, "E709: HYBRIDIZE_DEVICE=emulated, .*no devices\nhelp: .*cuda"):
        count()
