"""Saved files that were cut, edited or filled with huge and negative sizes: a `LoadError`, or the same program.

Thousands of mutations, seeded, so that a failure can be repeated.
"""

import json
import random
import struct

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.formats import detect, read_archive
from hybridize.formats.archive.container import PROGRAM, checksum, chunks, opened
from hybridize.formats.mxnet.params import read_params
from hybridize.formats.mxnet.symbol import read_symbol
from hybridize.gluon import SymbolBlock, nn
from hybridize.tools import contents
from tests.refusals import refusal

MUTATIONS = 1000


def function(x, scale):
    total = x * 0
    for i in range(2):
        total = total + np.where(x > i, npx.softmax(x), np.tanh(x)) * scale
    while total.sum() > 100:
        total = total / 2
    return {"total": total, "parts": (x.T, 3)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An archive, the exported pair of a net, and the net's parameters alone, in both forms."""
    folder = tmp_path_factory.mktemp("saved")
    fast = hybridize.hybridize(function)
    fast(np.ones((2, 3)), 2.0)
    fast.save(str(folder / "archive"))
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.LayerNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(np.ones((2, 4)))
    net.export(str(folder / "net"))
    net.save_parameters(str(folder / "alone.params"))
    numpy.savez(folder / "alone.npz", a=numpy.ones((2, 3), "float32"), b=numpy.arange(3))
    return folder


def mutations(data, seed, text=False):
    """Copies of the bytes: cut, with bytes changed, removed, doubled, and with extreme numbers written over them."""
    random_ = random.Random(seed)
    extremes = [struct.pack("<q", n) for n in (-1, 1 << 62, -(1 << 63), (1 << 63) - 1, 0, 1 << 32)]
    extremes += [struct.pack("<i", n) for n in (-1, (1 << 31) - 1, 33)]
    words = [
        b"-1",
        b"99999999999999999999",
        b"null",
        b"[]",
        b"{}",
        b'"x"',
        b"1e400",
        b"NaN",
        b"(2, -3)",
        b"true",
        b"\xff",
    ]
    for _ in range(MUTATIONS):
        mutated = bytearray(data)
        for _ in range(random_.choice((1, 1, 1, 2, 5))):
            at = random_.randrange(max(len(mutated), 1))
            match random_.randrange(6):
                case 0:
                    del mutated[at:]
                case 1 if mutated:
                    mutated[min(at, len(mutated) - 1)] = random_.randrange(256)
                case 2:
                    del mutated[at : at + random_.randrange(1, 20)]
                case 3:
                    mutated[at:at] = mutated[at : at + random_.randrange(1, 40)]
                case 4:
                    word = random_.choice(words if text else extremes)
                    mutated[at : at + len(word)] = word
                case _:
                    mutated[at : at + random_.randrange(3)] = random_.choice(words)
        yield bytes(mutated)


def check(path, read):
    """The reader raises a `LoadError` that says where, or gives something."""
    try:
        return read(path)
    except LoadError as error:
        if not error.code.startswith("E6") or path.name not in error.what:
            pytest.fail(str(error))
        return None


def survives(path, data, seed, read, text=False):
    target = path.with_name(f"mutated-{path.name}")
    for number, mutated in enumerate(mutations(data, seed, text)):
        target.write_bytes(mutated)
        try:
            check(target, read)
        except Exception as error:
            pytest.fail(f"mutation {number} of seed {seed}: {type(error).__name__}: {error}")


def load_and_call(path):
    loaded = hybridize.load(path)
    try:
        loaded(np.ones((2, 3)), 2.0)
    except LoadError:
        raise
    except HybridizeError:
        pass  # the file now says something else, soundly
    return loaded


def test_archives(folder):
    path = folder / "archive"
    survives(path, path.read_bytes(), 1, load_and_call)


def test_archives_with_right_checksums(folder):
    """What is behind the checksums is not trusted either."""
    data = opened(str(folder / "archive"))
    text = json.dumps({**data.program(), "checks": None})
    tensors = {name: data.array(name) for name in data.entries if name != PROGRAM}
    checks = b'"checks":%s,' % json.dumps([checksum(array) for array in tensors.values()]).encode()
    target = folder / "forged"
    for mutated in mutations(text.encode(), 2, text=True):
        forged = mutated.replace(b'"checks": null', b"").replace(b"{", b"{" + checks, 1).replace(b", }", b"}")
        target.write_bytes(b"".join(chunks(tensors, forged)))
        try:
            check(target, read_whole)
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error} by {forged!r}")


def read_whole(path):
    """Read a program with its graphs, which are left for later otherwise."""
    program = read_archive(path)
    return [signature.graph.nodes for signature in program.signatures]


def test_parameters(folder):
    for seed, name in enumerate(("net-0000.params", "alone.params", "alone.npz")):
        path = folder / name
        survives(path, path.read_bytes(), seed, read_params)


def import_and_call(path):
    block = SymbolBlock.imports(str(path), ["data"], str(path.with_name("net-0000.params")), ignore_extra=True)
    block(np.ones((2, 4)))
    return block


@pytest.mark.filterwarnings("ignore:variable")
def test_symbols(folder):
    path = folder / "net-symbol.json"

    def read(path):
        read_symbol(path)
        try:
            import_and_call(path)
        except LoadError:
            pass  # it may name the other file
        except HybridizeError as error:
            if error.code[1] not in "1235":  # those: a sound file that says something else
                raise

    survives(path, path.read_bytes(), 3, read, text=True)


@pytest.mark.filterwarnings("ignore:variable")
def test_symbols_compiled(folder):
    """Edited graphs that still load run, or are refused, when compiled too."""
    path = folder / "net-symbol.json"
    target = folder / "edited-symbol.json"
    graph = json.loads(path.read_text())
    random_ = random.Random(4)
    values = ["-1", "0", "999999999999", "(1, 2)", "None", "nosuch", "", "1e9", "(-5, 3)", "True"]
    x = np.ones((2, 4))
    for _ in range(60):
        edited = json.loads(json.dumps(graph))
        node = random_.choice([node for node in edited["nodes"] if node.get("attrs")])
        node["attrs"][random_.choice(list(node["attrs"]))] = random_.choice(values)
        target.write_text(json.dumps(edited))
        try:
            block = SymbolBlock.imports(str(target), ["data"], str(folder / "net-0000.params"))
            expected = block(x).asnumpy()
        except HybridizeError:
            continue
        block.hybridize()
        numpy.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_inspect_and_detect(folder):
    for seed, name in enumerate(("archive", "net-symbol.json", "net-0000.params")):
        path = folder / name
        survives(path, path.read_bytes()[:3000], seed, lambda path: (detect(path), contents.tables(path)))


@pytest.mark.parametrize("name", ["archive", "net-symbol.json", "net-0000.params"])
def test_every_truncation(folder, name):
    data = (folder / name).read_bytes()
    target = folder / f"short-{name}"
    read = {"archive": read_archive, "net-symbol.json": read_symbol, "net-0000.params": read_params}[name]
    for size in range(0, len(data), max(1, len(data) // 400)):
        if not data[size:].strip():
            continue
        target.write_bytes(data[:size])
        with refusal(LoadError, rf"short-{name}"):
            read(target)


def test_truncated_parameters_name_the_byte(folder):
    target = folder / "cut.params"
    target.write_bytes((folder / "net-0000.params").read_bytes()[:-3])
    with pytest.raises(LoadError, match=r"at byte \d+"):
        read_params(target)


def test_a_net_works_after_a_bad_file(folder):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.LayerNorm(), nn.Dense(2))
    net.load_parameters(str(folder / "alone.params"))
    net.hybridize()
    x = np.ones((2, 4))
    expected = net(x).asnumpy()
    target = folder / "damaged.params"
    data = (folder / "alone.params").read_bytes()
    for mutated in (data[:-1], data[: len(data) // 2], b"", data + b"x"):
        target.write_bytes(mutated)
        with pytest.raises(LoadError):
            net.load_parameters(str(target))
        numpy.testing.assert_array_equal(net(x).asnumpy(), expected)


def test_a_size_that_does_not_fit_changes_no_parameter(folder):
    """All or nothing: an array of the wrong shape late in a file leaves the earlier parameters alone, too."""
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=3))
    net.initialize()
    before = {name: parameter.data().asnumpy().copy() for name, parameter in net.collect_params().items()}
    other = nn.HybridSequential()
    other.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=7))
    other.initialize()
    other.save_parameters(str(folder / "other.params"))
    with pytest.raises(HybridizeError):
        net.load_parameters(str(folder / "other.params"))
    for name, parameter in net.collect_params().items():
        numpy.testing.assert_array_equal(parameter.data().asnumpy(), before[name])
