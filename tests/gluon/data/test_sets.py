"""Data sets that exist: scikit-learn's, and files in the forms of MNIST and CIFAR."""

import gzip
import re
import subprocess
import sys

import numpy
import pytest

from hybridize.errors import ArgumentError, LoadError
from hybridize.gluon import data
from hybridize.gluon.data import sets, vision
from tests.refusals import refusal

SHAPES = {"digits": (1797, 64), "iris": (150, 4), "wine": (178, 13), "breast_cancer": (569, 30), "diabetes": (442, 10)}


def arrays(dataset):
    x, y = dataset.read_many(slice(0, len(dataset)))
    return x, y


@pytest.mark.parametrize("name", SHAPES)
def test_tables_are_scikit_learns(name):
    sklearn = pytest.importorskip("sklearn.datasets")
    options = {"scaled": False} if name == "diabetes" else {}
    expected, targets = getattr(sklearn, f"load_{name}")(return_X_y=True, **options)
    x, y = arrays(getattr(sets, name)(scaled=False))
    assert x.shape == SHAPES[name] and x.dtype == "float32"
    assert y.dtype == ("float32" if name == "diabetes" else "int32")
    assert (x == expected.astype("float32")).all()
    assert (y == targets).all()


@pytest.mark.parametrize("name", SHAPES)
def test_parts_to_train_and_to_test_share_nothing_and_miss_nothing(name):
    pytest.importorskip("sklearn")
    whole, train, test = (arrays(getattr(sets, name)(train, scaled=False)) for train in (None, True, False))
    assert len(test[0]) == len(whole[0]) // 5
    chosen = numpy.arange(len(whole[0])) % 5 == 4
    for k in (0, 1):
        assert (test[k] == whole[k][chosen]).all() and (train[k] == whole[k][~chosen]).all()
    if name != "diabetes":
        assert set(train[1].tolist()) == set(test[1].tolist()) == set(whole[1].tolist())


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_scales_come_from_the_part_to_train_with(name):
    pytest.importorskip("sklearn")
    x, _ = arrays(getattr(sets, name)(True))
    numpy.testing.assert_allclose(x.mean(0), 0, atol=1e-5)
    numpy.testing.assert_allclose(x.std(0), 1, rtol=1e-5)
    raw = arrays(getattr(sets, name)(True, scaled=False))[0].astype("float64")
    test = arrays(getattr(sets, name)(False, scaled=False))[0]
    expected = (test - raw.mean(0)) / raw.std(0)
    numpy.testing.assert_allclose(arrays(getattr(sets, name)(False))[0], expected, rtol=1e-3, atol=1e-4)


def test_digits_as_images():
    pytest.importorskip("sklearn")
    image, label = sets.digits(images=True)[7]
    row, _ = sets.digits(scaled=False)[7]
    assert image.shape == (8, 8, 1)
    assert (image.ravel() * 16 == row).all() and image.max() <= 1
    assert label == 7


def test_without_scikit_learn():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from hybridize import gluon\n"
        "try: gluon.data.sets.iris()\n"
        "except gluon.data.sets.ArgumentError as e: print(e.code, e.help)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == 'E380 pip install "hybridize[data]"', done.stderr


def test_importing_hybridize_loads_neither_them_nor_what_loaders_need():
    code = (
        "import hybridize, sys; print({'sklearn', 'scipy', 'multiprocessing', 'concurrent.futures', 'numpy.random', "
        "'hybridize.gluon.data.vision', 'hybridize.gluon.data.sets'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()", done.stderr


# --------------------------------------------------------------------------------------------------------- local files

IMAGES = numpy.random.default_rng(1).integers(0, 256, (7, 28, 28), "uint8")
LABELS = numpy.arange(7, dtype="uint8")


def idx(array):
    header = bytes((0, 0, 8, array.ndim)) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return header + array.tobytes()


def write_mnist(folder, part="train", images=None, labels=None, packed=False):
    for kind, content in (("images-idx3", images or idx(IMAGES)), ("labels-idx1", labels or idx(LABELS))):
        path = folder / f"{part}-{kind}-ubyte"
        if packed:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))
        else:
            path.write_bytes(content)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [vision.MNIST, vision.FashionMNIST])
def test_mnist(tmp_path, kind, packed):
    write_mnist(tmp_path, "t10k", packed=packed)
    ds = kind(root=str(tmp_path), train=False)
    image, label = ds[5]
    assert image.shape == (28, 28, 1) and image.dtype == "uint8"
    assert (image.asnumpy()[..., 0] == IMAGES[5]).all()
    assert label == 5 and label.dtype == "int32"
    images, labels = ds[2:5]
    assert (images.asnumpy()[..., 0] == IMAGES[2:5]).all() and labels.asnumpy().tolist() == [2, 3, 4]
    x, y = next(iter(data.DataLoader(ds, 4)))
    assert (x.asnumpy()[..., 0] == IMAGES[:4]).all() and y.asnumpy().tolist() == [0, 1, 2, 3]
    changed = kind(str(tmp_path), False, lambda image, label: (image.astype("float32") / 255, label + 1))
    x, y = next(iter(data.DataLoader(changed, 4)))
    assert (x.asnumpy()[..., 0] == IMAGES[:4] / numpy.float32(255)).all() and y.asnumpy().tolist() == [1, 2, 3, 4]


def test_files_that_are_not_there(tmp_path):
    with refusal(
        ArgumentError, re.escape(f"E381: MNIST needs train-images-idx3-ubyte, or the same with .gz, in {tmp_path}")
    ):
        vision.MNIST(str(tmp_path))
    write_mnist(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(ArgumentError, match="train-labels-idx1-ubyte") as caught:
        vision.MNIST(str(tmp_path))
    assert "nothing is downloaded" in caught.value.help
    with pytest.raises(ArgumentError, match=r"E381.*test_batch\.bin or cifar-10-batches-bin"):
        vision.CIFAR10(str(tmp_path), train=False)
    with pytest.raises(ArgumentError, match=r"E381.*train\.bin"):
        vision.CIFAR100(str(tmp_path))


@pytest.mark.parametrize(
    ("images", "labels", "text"),
    [
        (idx(IMAGES)[:-1], None, r"sizes \[7, 28, 28\] need 5504 bytes, the file has 5503"),
        (idx(IMAGES) + b"x", None, "has 5505"),
        (b"GIF89a" + bytes(30), None, "begins with 00 00 08 03, not 47 49 46 38"),
        (b"\0\0\x08\x03\0", None, "begins with"),
        (b"\0\0\x08\x03" + b"\xff" * 12, None, "need 79228162458924105385300197391"),
        (None, idx(LABELS[:6]), "6 labels for 7 images"),
        (None, idx(IMAGES), "begins with 00 00 08 01"),
    ],
)
def test_files_that_are_not_mnists(tmp_path, images, labels, text):
    write_mnist(tmp_path, images=images, labels=labels)
    with refusal(LoadError, f"E664.*{text}"):
        vision.MNIST(str(tmp_path))


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b[:40], lambda b: b"no" + b, lambda b: b[:60] + b"zz" + b[62:]]
)
def test_damaged_gzip_files(tmp_path, damage):
    write_mnist(tmp_path, packed=True)
    path = tmp_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LoadError, match=r"E664.*images-idx3-ubyte\.gz"):
        vision.MNIST(str(tmp_path))


def records(labels, images):
    planes = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    return numpy.concatenate([labels, planes], 1).astype("uint8").tobytes()


PICTURES = numpy.random.default_rng(2).integers(0, 256, (10, 32, 32, 3), "uint8")


@pytest.mark.parametrize("inner", ["", "cifar-10-batches-bin"])
def test_cifar10(tmp_path, inner):
    folder = tmp_path / inner
    folder.mkdir(exist_ok=True)
    for n in range(5):
        two = slice(2 * n, 2 * n + 2)
        (folder / f"data_batch_{n + 1}.bin").write_bytes(records(numpy.arange(10)[two, None], PICTURES[two]))
    ds = vision.CIFAR10(str(tmp_path))
    assert len(ds) == 10
    for n, (image, label) in enumerate(ds):
        assert (image.asnumpy() == PICTURES[n]).all() and label == n


def test_cifar100(tmp_path):
    labels = numpy.stack([numpy.arange(10), 90 + numpy.arange(10)], 1)
    (tmp_path / "test.bin").write_bytes(records(labels, PICTURES))
    for fine, first in ((False, 0), (True, 90)):
        x, y = next(iter(data.DataLoader(vision.CIFAR100(str(tmp_path), fine, train=False), 10)))
        assert (x.asnumpy() == PICTURES).all()
        assert y.asnumpy().tolist() == list(range(first, first + 10))
    path = tmp_path / "train.bin"
    path.write_bytes(records(labels, PICTURES)[:-1])
    with pytest.raises(LoadError, match=r"E664.*3074 bytes each"):
        vision.CIFAR100(str(tmp_path))
    path.write_bytes(records(labels + 50, PICTURES))
    with pytest.raises(LoadError, match=r"E664.*below 20 and 100"):
        vision.CIFAR100(str(tmp_path))
    path.write_bytes(b"")
    with pytest.raises(LoadError, match="E664"):
        vision.CIFAR100(str(tmp_path))
