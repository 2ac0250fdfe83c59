"""The memory of an array as other rooms ask for it; and memory of another kind, which has what they ask and no more."""

import threading

import numpy
import pytest

from hybridize import autograd, np, npx
from hybridize.array import pending
from hybridize.array.buffer import (
    ArrayBuffer,
    address_of,
    buffer_of,
    host_view,
    is_exposed,
    is_row_major,
    memory_key,
    notify_written,
    overwrite,
    owner_of,
    pending_view,
    rebind,
    share_elements,
)
from hybridize.array.ndarray import ndarray, wrap


def counted(*shape):
    return np.arange(numpy.prod(shape, dtype=int), dtype="float32").reshape(shape)


def test_the_buffer_is_the_array_of_numpys_itself():
    x = counted(2, 3)
    data = x._data
    assert isinstance(data, ArrayBuffer)
    assert buffer_of(x) is data and host_view(x) is data and pending_view(x) is data
    assert address_of(x) == data.__array_interface__["data"][0] and data.device == "cpu"


def test_writing_is_seen_by_views_and_told_to_nobody():
    x = counted(2, 3)
    part, storage = x[1], x.storage
    version = storage.version
    overwrite(x, 7)
    assert (part.asnumpy() == 7).all() and storage.version == version
    assert not is_exposed(x) and not is_exposed(np.zeros(2))
    notify_written([part, np.zeros(2)])
    assert storage.version == version + 1
    x.__dlpack__()
    assert is_exposed(x) and is_exposed(part)


def test_other_memory_takes_the_place_of_the_buffer():
    x, other = counted(2, 3), numpy.full((2, 3), 5, "float32")
    storage = x.storage
    version = storage.version
    rebind(x, other)
    assert buffer_of(x) is other and x.storage is storage and storage.version == version + 1


def test_keys_are_equal_over_the_same_elements_alone():
    x = counted(4, 4)
    assert memory_key(x[1:]) == memory_key(x[1:])
    others = [x[1:], x[:3], x[1:].T, x[1:].reshape(12), x[1:].view("int32"), counted(3, 4)]
    assert len({memory_key(one) for one in others}) == len(others)
    empty = [np.zeros((0, 3)), np.zeros((0, 3))]
    assert memory_key(empty[0]) != memory_key(empty[1])


def test_elements_are_shared_where_one_is_the_same():
    x = counted(4, 6)
    assert share_elements(x, x[1:, ::2]) and share_elements(x[:, 1:3], x[2:])
    assert not share_elements(x[:, ::2], x[:, 1::2]) and not share_elements(x, counted(4, 6))


def test_what_is_too_hard_to_tell_is_assumed():
    strides = (10763, 17227, 17207, 9043, 16683, 9777, 16915, 8411)
    memory = numpy.zeros(2 * sum(strides) + 2, "int8")
    x, y = (numpy.lib.stride_tricks.as_strided(memory[k:], (3,) * len(strides), strides) for k in (0, 1))
    with pytest.raises(numpy.exceptions.TooHardError):
        numpy.shares_memory(x, y, max_work=10_000)
    assert share_elements(wrap(x), wrap(y))


def test_rows_lie_one_after_the_other():
    x = counted(4, 6)
    assert is_row_major(x) and is_row_major(x[1:3]) and not is_row_major(x[:, 1:]) and not is_row_major(x.T)


def test_the_owner_is_that_of_all_views():
    x = counted(4, 6)
    assert owner_of(buffer_of(x[1:, ::2].T)) is owner_of(buffer_of(x))
    assert owner_of(buffer_of(counted(4, 6))) is not owner_of(buffer_of(x))
    foreign = numpy.frombuffer(bytearray(64), "float32")
    assert owner_of(foreign[2:].reshape(7, 2)) is owner_of(foreign)


class Remote:
    """Memory that NumPy cannot see: the members of `ArrayBuffer` and nothing else. It counts who looked at elements."""

    __slots__ = ("__weakref__", "_content", "_dtype", "_shape", "looked")

    base, device = None, "remote"

    def __init__(self, values):
        self._content, self._shape, self._dtype = bytearray(values.tobytes()), values.shape, values.dtype
        self.looked = 0

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ndim = property(lambda self: len(self._shape))
    size = property(lambda self: int(numpy.prod(self._shape, dtype=int)))
    nbytes = property(lambda self: len(self._content))
    strides = property(lambda self: numpy.empty(self._shape, self._dtype).strides)

    def __array__(self):
        self.looked += 1
        return numpy.frombuffer(bytes(self._content), self._dtype).reshape(self._shape).copy()

    def __getitem__(self, key):
        return Remote(self.__array__()[key])

    def __setitem__(self, key, value):
        values = self.__array__()
        values[key] = value
        self._content[:] = values.tobytes()


@pytest.fixture
def remote(monkeypatch):
    """An array in such memory; reading elements is more than a look at a slot then, as where calls are pending."""
    slot = vars(ndarray)["_memory"]
    monkeypatch.setattr(pending.QUEUE, "_only", threading.get_ident())  # else the thread joins a queue that is none
    type.__setattr__(ndarray, "_data", property(pending._reached, slot.__set__))
    yield lambda values: wrap(Remote(values))
    type.__setattr__(ndarray, "_data", slot)


VALUES = numpy.array([[1, -2, 3], [4, 5, -6]], "float32")


def test_another_kind_of_memory_has_the_members_of_a_buffer(remote):
    x = remote(VALUES)
    assert isinstance(buffer_of(x), ArrayBuffer)
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.strides) == ((2, 3), numpy.float32, 2, 6, 24, (12, 4))
    assert buffer_of(x).looked == 0  # nobody needs elements for that


def test_elements_elsewhere_are_read_as_a_copy_and_written_where_they_are(remote):
    x = remote(VALUES)
    host_view(x)[0] = 9
    assert (host_view(x) == VALUES).all()
    overwrite(x, VALUES + 1)
    assert (x.asnumpy() == VALUES + 1).all()


def test_rooms_above_need_nothing_else(remote, tmp_path):
    x, w = remote(VALUES), remote(VALUES + 1)
    w.attach_grad()
    with autograd.record():
        y = (np.exp(x) * w).sum()
    y.backward()
    numpy.testing.assert_allclose(w.grad.asnumpy(), numpy.exp(VALUES), rtol=1e-6)
    npx.save(str(tmp_path / "a.npz"), {"x": x})
    assert (npx.load(str(tmp_path / "a.npz"))["x"].asnumpy() == VALUES).all()
    assert "-6." in repr(x)
