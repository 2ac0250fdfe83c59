"""Memory of GPUs, handed to other libraries and taken from them: where it is, in what order, and for how long.

Another library is a class here, with a stream of its own in the stand-in.
"""

import ctypes
import gc
import threading

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.array.buffer import memory_key
from hybridize.base.dtypes import bfloat16
from hybridize.errors import ArgumentError, DeviceError, InternalError
from hybridize.runtime.devices import opened
from tests.refusals import refusal
from tests.runtime.cuda.test_gpu import CODE, on, read

VALUES = numpy.arange(12, dtype="float32").reshape(3, 4)
GPU = hybridize.gpu(0)


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("number", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    )  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    )  # fmt: skip


PLAIN, VERSIONED = b"dltensor", b"dltensor_versioned"
KINDS = {PLAIN: Managed, VERSIONED: Versioned}
USED = {name: b"used_" + name for name in KINDS}
ALIVE = []
"""What capsules point to, for as long as anybody may need it."""
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def function(name, result, *arguments):
    one = ctypes.pythonapi[name]
    one.restype, one.argtypes = result, arguments
    return one


class Taker:
    """A library that takes a capsule, as they all do."""

    def __init__(self, capsule):
        is_valid = function("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
        (self.name,) = [name for name in KINDS if is_valid(capsule, name)]
        pointer = function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        self.structure = KINDS[self.name].from_address(pointer(capsule, self.name))
        self.tensor = self.structure.tensor
        function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(capsule, USED[self.name])

    def facts(self):
        tensor, sizes = self.tensor, range(self.tensor.ndim)
        strides = tuple(tensor.strides[k] for k in sizes)
        return tuple(tensor.shape[k] for k in sizes), strides, (tensor.code, tensor.bits, tensor.lanes)

    def delete(self):
        DELETER(self.structure.deleter)(ctypes.addressof(self.structure))


class Library:
    """A library with an array on a GPU, and a stream of its own; it notes by which stream it was asked."""

    def __init__(self, standin, values, *, place=(2, 0), versioned=True, flags=0, stream=None):
        self.device, self.standin, self.place, self.versioned = opened(0), standin, place, versioned
        self.stream = stream or standin.stream(self.device)
        self.values, self.at = values, on(self.device, values)
        self.asked, self.deleted, self.flags = [], [], flags
        self.deleter = DELETER(self.deleted.append)

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, *, stream=None, **options):
        if options and not self.versioned:
            raise TypeError("an unexpected keyword")
        self.asked.append((stream, options))
        self.standin.follows(self.device, stream, self.stream)
        kind = Versioned if self.versioned else Managed
        self.structure = kind(deleter=ctypes.cast(self.deleter, ctypes.c_void_p).value)
        ALIVE.append((self.deleter, self.structure))
        if self.versioned:
            self.structure.major, self.structure.flags = 1, self.flags
        tensor = self.structure.tensor
        tensor.data, (tensor.kind, tensor.number), tensor.ndim = self.at, self.place, self.values.ndim
        tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
        tensor.shape = (ctypes.c_int64 * 2)(*self.values.shape)
        name = VERSIONED if self.versioned else PLAIN
        new = function("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.structure), name, None)


# ------------------------------------------------------------------------------------------------------ to others


@pytest.mark.parametrize(
    ("version", "name"), [(None, b"dltensor"), ((0, 8), b"dltensor"), ((1, 0), b"dltensor_versioned")]
)
def test_a_capsule_says_where_elements_are_and_how_they_lie(standin, version, name):
    x = np.array(VALUES, ctx=hybridize.gpu(1))
    for part, strides in ((x, (4, 1)), (x.T, (1, 4)), (x[1:, ::2], (4, 2)), (x[::-1], (-4, 1))):
        taker = Taker(part.__dlpack__(max_version=version))
        assert taker.name == name and taker.facts() == (part.shape, strides, (2, 32, 1))
        assert (taker.tensor.kind, taker.tensor.number) == part.__dlpack_device__() == (2, 1)
        at = taker.tensor.data + taker.tensor.offset
        assert at == x._memory.address + part._memory.address - x._memory.address
        taker.delete()


@pytest.mark.parametrize(
    ("dtype", "code"),
    [("bool", (6, 8, 1)), ("int8", (0, 8, 1)), ("int64", (0, 64, 1)), ("uint8", (1, 8, 1)), ("float16", (2, 16, 1)),
     ("float64", (2, 64, 1)), (bfloat16, (4, 16, 1))],
)  # fmt: skip
def test_dtypes_are_dlpacks_both_ways(standin, dtype, code):
    x = np.array([0, 1, 1], dtype=dtype, ctx=GPU)
    taker = Taker(x.__dlpack__(max_version=(1, 0)))
    assert taker.facts() == ((3,), (1,), code) and taker.structure.flags == 0
    taker.delete()
    y = np.from_dlpack(x)
    assert y.dtype == x.dtype and y.asnumpy().tolist() == x.asnumpy().tolist()


def test_the_takers_stream_waits_for_what_was_asked_before(standin):
    device = opened(0)
    for stream, theirs in ((None, 1), (1, 1), (2, 2), (standin.stream(device), None)):
        x = np.zeros((4, 4), dtype="uint8", ctx=GPU)
        device.launch(device.load(CODE)["fill"], (1, 1, 1), 1, 0, [x._memory.address, 7, 16])
        taker = Taker(x.__dlpack__(stream=stream))
        out = standin.copied_on(device, theirs or stream, taker.tensor.data, 16)
        assert (out == 7).all(), stream
        taker.delete()


def test_who_looks_after_the_order_itself_is_not_waited_for(standin):
    x = np.ones(3, ctx=GPU)
    standin.calls()
    Taker(x.__dlpack__(stream=-1)).delete()
    Taker(x.__dlpack__(stream=opened(0).stream_number)).delete()  # ours
    assert "cuStreamWaitEvent" not in standin.calls()
    for wrong in (0, -2, 1.5, True, "1"):
        with refusal(
            ArgumentError, r"E300: a stream must be None, -1, 1, 2 or the address of one, got .*\nhelp: .*0 is not"
        ):
            x.__dlpack__(stream=wrong)


def test_read_only_memory_and_copies_are_said_to_be(standin):
    x = np.broadcast_to(np.ones(4, ctx=GPU), (3, 4))
    with pytest.raises(BufferError):
        x.__dlpack__()
    taker = Taker(x.__dlpack__(max_version=(1, 1)))
    assert taker.structure.flags == 1 and taker.facts()[1] == (0, 1)
    taker.delete()
    copied = Taker(x.__dlpack__(max_version=(1, 1), copy=True))
    assert copied.structure.flags == 2 and copied.facts()[1] == (4, 1)
    copied.delete()


def test_a_copy_at_the_host_is_one_of_numpys(standin):
    x = np.array(VALUES, ctx=GPU)
    taker = Taker(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert (taker.tensor.kind, taker.tensor.number) == (1, 0)
    taker.delete()
    with refusal(
        ArgumentError, r"E305: f32\[3,4\] on gpu\(0\) cannot be handed over .* without a copy\nhelp: leave copy"
    ):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with refusal(ArgumentError, r"E300: an array on gpu\(0\) can be handed over there, or .*, not on \(2, 1\)\nhelp"):
        x.__dlpack__(dl_device=(2, 1))


def test_memory_is_there_until_the_taker_deletes_it_in_any_thread(standin):
    device = opened(0)
    x = np.array(VALUES, ctx=GPU)
    taker, address = Taker(x.__dlpack__(stream=-1)), x._memory.address
    del x
    assert device.alloc(48) != address
    assert (read(device, address, VALUES) == VALUES).all()
    thread = threading.Thread(target=taker.delete)
    thread.start()
    thread.join()
    assert device.alloc(48) == address


def test_a_capsule_that_nobody_takes_gives_its_memory_back(standin):
    device = opened(0)
    x = np.array(VALUES, ctx=GPU)
    address = x._memory.address

    def lost(x):
        capsule = x.__dlpack__(stream=-1)
        raise KeyError(capsule)

    with pytest.raises(KeyError):
        lost(x)
    del x
    gc.collect()
    assert device.alloc(48) == address


@pytest.mark.parametrize("stream", [None, 2, "its own"])
def test_memory_is_used_again_when_the_taker_is_done(standin, stream):
    device = opened(0)
    stream = standin.stream(device) if stream == "its own" else stream
    x = np.array(VALUES, ctx=GPU)
    taker, address = Taker(x.__dlpack__(stream=stream)), x._memory.address
    out = standin.asked_copy(device, 1 if stream is None else stream, address, 48)  # not done yet
    del x
    taker.delete()
    again = np.array(numpy.full((3, 4), 5), ctx=GPU)
    assert again._memory.address == address and (again.asnumpy() == 5).all()
    standin.finish(device, 1 if stream is None else stream)
    assert (out.view("float32").reshape(3, 4) == VALUES).all()


def test_memory_is_not_lost_where_the_driver_refuses_to_wait_for_its_users(standin):
    """As it does while PyTorch records a graph."""
    device, theirs = opened(0), Library(standin, VALUES)
    x, y = np.array(VALUES, ctx=GPU), np.from_dlpack(theirs)
    address = x._memory.address
    takers = [Taker(one.__dlpack__(stream=None)) for one in (x, y)]
    del x, y
    for taker in takers:
        taker.delete()
    for after in (0, 1, 2, 1):  # the events on both streams for the block, then those for the owner
        standin.fail("cuEventRecord", 900, after)
        with refusal(InternalError, "E908: .*cuEventRecord"):
            device.wait()
    device.wait()
    assert device.alloc(48) == address
    device.event()
    gc.collect()  # the errors' frames
    assert theirs.deleted


def test_arrays_that_others_have_are_exposed(standin):
    for hand_over in (lambda x: x.__dlpack__(), lambda x: x.__cuda_array_interface__):
        x = np.ones(3, ctx=GPU)
        assert not x.storage.exposed
        hand_over(x)
        assert x.storage.exposed


# ---------------------------------------------------------------------------------------------------- from others


@pytest.mark.parametrize("versioned", [False, True])
def test_memory_of_others_is_taken_as_it_is(standin, versioned):
    theirs = Library(standin, VALUES, versioned=versioned)
    x = np.from_dlpack(theirs)
    assert theirs.asked == [(opened(0).stream_number, {"max_version": (1, 0)} if versioned else {})]
    assert x.device == GPU and x.shape == (3, 4) and (x.asnumpy() == VALUES).all()
    assert x._memory.address == theirs.at and x.storage.exposed
    tensor = theirs.structure.tensor
    assert (tensor.kind, tensor.number, tensor.code) == (2, 0, 2)  # as its producer wrote it
    x[...] = VALUES + 5
    assert (read(theirs.device, theirs.at, VALUES) == VALUES + 5).all()


def test_nobody_counts_gpus_for_one_that_is_used(standin):
    x = np.from_dlpack(Library(standin, VALUES))
    standin.calls()
    y = np.from_dlpack(Library(standin, VALUES))
    z = np.from_dlpack(x)
    assert (y.asnumpy() == z.asnumpy()).all() and not [name for name in standin.calls() if name.startswith("nvml")]


def test_we_wait_for_what_the_producer_does(standin):
    device = opened(0)
    theirs = Library(standin, numpy.zeros((4, 4), "float32"))
    standin.asked_write(device, theirs.stream, theirs.at, numpy.full((4, 4), 3, "float32"))
    x = np.from_dlpack(theirs)
    assert (x.asnumpy() == 3).all()


def test_the_producer_has_its_memory_back_when_the_gpu_is_done_with_it(standin):
    device = opened(0)
    theirs = Library(standin, VALUES)
    x = np.from_dlpack(theirs)
    y = np.empty((3, 4), ctx=GPU)
    device.copy(y._memory.address, x._memory.address, 48)
    part = x[1:]
    del x
    device.event()
    assert not theirs.deleted
    del part
    gc.collect()
    device.event()
    assert not theirs.deleted  # the copy may still read it
    device.wait()
    device.event()
    assert theirs.deleted == [ctypes.addressof(theirs.structure)]
    assert (y.asnumpy() == VALUES).all()


@pytest.mark.parametrize("stream", [None, "its own"])
def test_the_producer_has_its_memory_back_when_others_are_done_with_it_who_took_it_from_us(standin, stream):
    device = opened(0)
    stream = 1 if stream is None else standin.stream(device)
    theirs = Library(standin, VALUES)
    x = np.from_dlpack(theirs)
    taker = Taker(x.__dlpack__(stream=stream))
    out = standin.asked_copy(device, stream, theirs.at, 48)  # not done yet
    del x
    taker.delete()
    device.event()
    device.wait()
    device.event()
    assert theirs.deleted and (out.view("float32").reshape(3, 4) == VALUES).all()


def test_producers_have_their_memory_back_while_machine_code_runs_all_calls(kernels, standin):
    device, theirs = opened(0), Library(standin, VALUES)
    kernels.others[theirs.at] = VALUES.nbytes
    doubled = hybridize.hybridize(lambda x: x * 2)
    for _ in range(20):
        y = doubled(np.from_dlpack(theirs))
        assert len(device._borrowed) <= 1
    assert (y.asnumpy() == VALUES * 2).all()
    device.event()
    assert len(theirs.deleted) >= 19


def test_arrays_over_one_memory_are_known_to_be(kernels, standin):
    theirs = Library(standin, VALUES)
    kernels.others[theirs.at] = VALUES.nbytes
    ours = np.array(VALUES, ctx=GPU)
    standin.calls()
    for x, y in ((np.from_dlpack(theirs), np.from_dlpack(theirs)), (ours, np.from_dlpack(ours))):
        assert np.shares_memory(x, y) and np.shares_memory(x[1:], y[:2]) and not np.shares_memory(x[:1], y[1:])
        assert not np.shares_memory(x, y[:0]) and memory_key(x) == memory_key(y) != memory_key(y[1:])

        @hybridize.hybridize
        def written(x, y):
            x[...] = x + 1
            return y * 2

        for turn in range(3):
            assert (written(x, y).asnumpy() == (VALUES + turn + 1) * 2).all()
        x[1:] = y[:-1]
        assert (x.asnumpy() == VALUES[[0, 0, 1]] + 3).all()
    x = y = ours = None
    opened(0).event()
    assert "cuCtxSynchronize" not in standin.calls()  # only streams that stay have used it


def test_a_graph_is_recorded_while_the_producer_waits_for_its_memory(standin):
    device = opened(0)
    x, at = np.from_dlpack(Library(standin, VALUES)), on(device, VALUES)
    code = device.load(CODE)
    device.launch(code["fill"], (1, 1, 1), 1, 0, [at, 1, 48])
    del x
    gc.collect()
    with device.capture() as graph:
        device.launch(code["fill"], (1, 1, 1), 1, 0, [at, 2, 48])
        device.copy(at, at + 16, 16)
    graph.launch()
    assert (read(device, at, numpy.zeros(48, "uint8")) == 2).all()


def test_what_is_read_only_stays_so(standin):
    x = np.from_dlpack(Library(standin, VALUES, flags=1))
    with refusal(ArgumentError, "E306"):
        x[0] = 1


def test_copies_and_devices_that_are_asked_for(standin):
    theirs = Library(standin, VALUES)
    x = np.from_dlpack(theirs, copy=True)
    assert x._memory.address != theirs.at and not x.storage.exposed
    for device in (hybridize.cpu(), hybridize.gpu(1)):
        y = np.from_dlpack(theirs, device=device)
        assert y.device == device and (y.asnumpy() == VALUES).all()


@pytest.mark.parametrize("place", [(2, 7), (10, 0), (14, 0)])
def test_devices_that_are_not_used_are_refused(standin, place):
    with refusal(
        DeviceError, rf"E702: .*on device {place[1]} of DLPack's kind {place[0]}, .*\nhelp: HYBRIDIZE_DEVICE=cuda"
    ):
        np.from_dlpack(Library(standin, VALUES, place=place))


def test_capsules_alone_are_taken_once(standin):
    x = np.array(VALUES, ctx=GPU)
    capsule = npx.to_dlpack_for_read(x)
    y = npx.from_dlpack(capsule)
    assert y.device == GPU and y._memory.address == x._memory.address
    with refusal(ArgumentError, r"E307: from_dlpack takes a capsule of DLPack that nobody has taken.*\nhelp: .*once"):
        npx.from_dlpack(capsule)
    with refusal(ArgumentError, r"E307: from_dlpack takes an array with __dlpack__, or .*, got int\nhelp"):
        np.from_dlpack(5)


# ------------------------------------------------------------------------------------------------ CUDA's interface


def test_cudas_interface_says_where_elements_are_and_by_which_stream(standin):
    x = np.array(VALUES, ctx=GPU)
    said = x.T.__cuda_array_interface__
    assert said == {
        "shape": (4, 3), "typestr": "<f4", "data": (x._memory.address, False), "strides": (4, 16), "version": 3,
        "stream": opened(0).stream_number,
    }  # fmt: skip
    assert np.broadcast_to(x, (2, 3, 4)).__cuda_array_interface__["data"][1]
    for other in (np.ones(3), np.ones(3, dtype=bfloat16, ctx=GPU)):
        assert not hasattr(other, "__cuda_array_interface__")


def test_arrays_with_cudas_interface_are_taken(standin):
    theirs = Library(standin, VALUES)

    class Numbas:
        def __init__(self, at, stream):
            self.__cuda_array_interface__ = {
                "shape": (3, 4), "typestr": "<f4", "data": (at, False), "strides": None, "version": 3, "stream": stream
            }  # fmt: skip

    standin.asked_write(theirs.device, theirs.stream, theirs.at, VALUES + 1)
    x = np.from_dlpack(Numbas(theirs.at, theirs.stream))
    assert x._memory.address == theirs.at and (x.asnumpy() == VALUES + 1).all()
    standin.set("owner", 1)
    y = np.from_dlpack(Numbas(on(opened(1), VALUES), None))
    assert y.device == hybridize.gpu(1) and (y.asnumpy() == VALUES).all()
    standin.fail("cuPointerGetAttribute", 1)  # as of an address that is nobody's
    nothing = type(
        "Nothing",
        (),
        {"__cuda_array_interface__": {"shape": (0, 4), "typestr": "<f4", "data": (0, False), "version": 3}},
    )
    assert np.from_dlpack(nothing()).tolist() == []
