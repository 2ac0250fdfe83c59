"""What is written: files, what they say of themselves, and that nothing that was changed is taken for them."""

import json
import struct
import subprocess
import zlib
from pathlib import Path

import numpy
import pytest

import hybridize
import hybridize.codegen.wasm
from hybridize import np, npx
from hybridize.base.errors import CodegenError, LoadError
from hybridize.formats.wasm import module, read_wasm
from hybridize.formats.wasm.javascript import loader

HERE = Path(__file__).parent
V, W = (numpy.random.default_rng(seed).normal(size=(48, 64)).astype("f4") for seed in (0, 1))


def layers(x):
    hidden = npx.relu(npx.fully_connected(x, np.array(V), num_hidden=48, no_bias=True))
    return npx.fully_connected(hidden, np.array(W.T.copy()), num_hidden=64, no_bias=True)


def with_checksum(body):
    return body + struct.pack("<I", zlib.crc32(body))


@pytest.fixture
def net(wasm):
    return wasm(layers, *((np.ones((rows, 64)),) for rows in (1, 5, 9)), name="my-net")


def test_a_module_says_what_it_is(net):
    assert [file.name for file in net.files] == ["my_net.wasm", "my_net.mjs", "my_net.d.mts"]
    said = read_wasm(net.wasm).description
    assert (said["name"], said["hybridize"], said["random"]) == ("my_net", hybridize.__version__, False)
    assert said["inputs"] == [
        {"name": "x", "dtype": "float32", "shape": ["n0", 64], "smallest": [1, 64], "largest": [None, 64]}
    ]
    assert said["outputs"][0]["shape"] == ["n0", 64]
    assert net.calls().model == {key: said[key] for key in ("name", "inputs", "outputs")}


def test_weights_are_there_once_and_packed_copies_are_made_while_loading(wasm):
    # 40 rows are worth a packed copy; both variants read the same.
    model = wasm(layers, *((np.ones((rows, 64)),) for rows in (40, 50, 60)))
    read = read_wasm(model.wasm)
    program = read.description["program"]
    assert len(program["variants"]) == 2
    assert any("make" in constant for constant in program["constants"])
    assert V.nbytes + W.nbytes <= read.weight_bytes < V.nbytes + W.nbytes + 256
    x = numpy.random.default_rng(1).normal(size=(40, 64)).astype("f4")
    exact, general = model.calls({"x": x}, {"x": x[:33].copy()}).outcomes
    expected = layers(np.array(x)).asnumpy()
    numpy.testing.assert_allclose(exact["output"], expected, rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(general["output"], expected[:33], rtol=1e-4, atol=1e-4)


def test_what_is_computed_of_weights_is_computed_while_loading(wasm):
    """Of two arrays larger than what is folded, by way of scratch, into one that calls read."""
    random = numpy.random.default_rng(2)
    v, g = (np.array(random.normal(size=(520, 640)).astype("f4")) for _ in range(2))
    model = wasm(lambda x: np.dot(x, (g * v).T) + 1, (np.ones((3, 640)),))
    read = read_wasm(model.wasm)
    (made,) = (constant for constant in read.description["program"]["constants"] if "make" in constant)
    assert len(made["sources"]) == 2
    x = random.normal(size=(3, 640)).astype("f4")
    (found,) = model.calls({"x": x}).outcomes
    wanted = x @ (g.asnumpy() * v.asnumpy()).T + 1
    numpy.testing.assert_allclose(found["output"], wanted, rtol=1e-3, atol=1e-3)


def test_nothing_that_was_changed_is_loaded(net):
    command = ["node", HERE / "damage.mjs", net.mjs, net.wasm, "1", "3000"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert told["tried"] > 2900 and told["taken"] == [] and told["others"] == []
    assert told["longest"] < 1000


def test_nothing_that_was_changed_is_read_in_python(net, tmp_path):
    whole = net.wasm.read_bytes()
    read_wasm(net.wasm)
    random = numpy.random.default_rng(2)
    file = tmp_path / "changed.wasm"
    for turn in range(500):
        data = bytearray(whole)
        at = int(random.integers(len(whole)))
        if turn % 2:
            del data[at:]
        else:
            data[at] ^= 1 << int(random.integers(8))
        file.write_bytes(data)
        with pytest.raises(LoadError, match="E604"):
            read_wasm(file)
    with pytest.raises(LoadError, match="E600"):
        read_wasm(tmp_path / "none.wasm")


def test_a_module_of_somebody_else_is_refused(net, tmp_path):
    other = tmp_path / "other.wasm"
    other.write_bytes(with_checksum(b"\0asm\x01\0\0\0" + b"\0\x09\x04name"))
    with pytest.raises(LoadError, match=r"E604.*lacks what hybridize writes"):
        read_wasm(other)
    script = (
        f"import {{ load }} from {str(net.mjs)!r};"
        f"for (const source of [{str(other)!r}, 'data:application/wasm,abc', new ArrayBuffer(3)])"
        " await load(source).then(() => console.log('taken'), (problem) => console.log(problem.name, problem.message));"
    )
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "LoadError my_net.wasm is of another version than my_net.mjs",
        "LoadError my_net.wasm is not WebAssembly",
        "LoadError my_net.wasm is not WebAssembly",
    ]


def test_a_later_version_is_refused(net):
    net.wasm.write_bytes(with_checksum(net.wasm.read_bytes()[:-4].replace(b'"format":1', b'"format":2')))
    with pytest.raises(LoadError, match=r"E604.*version 2.*reads version 1"):
        read_wasm(net.wasm)
    script = f"import {{ load }} from {str(net.mjs)!r}; await load();"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True)
    assert done.returncode == 1 and "LoadError: my_net.wasm is of another version than my_net.mjs" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"at":0,"bytes":12288', b'"at":9,"bytes":99999', "my_net.wasm lacks weights that it names"),
        (b'"at":0', b'"AT":0', "my_net.wasm lacks weights that it names"),
        (b'"variants"', b'"variant5"', "my_net.wasm does not hold together"),
        (b'"inputs":[{"name"', b'"inputs":[2,{"nam', "my_net.wasm says nothing of itself"),
        (b"hybridize.weights", b"hybridize.w\xffights", "my_net.wasm is of another version"),
        (b"\x00asm\x01\x00\x00\x00\x01", b"\x00asm\x01\x00\x00\x00\xff", "this engine does not run my_net.wasm"),
        (b"", b"\x0b\xff\xff\xff\xff\x0f", "my_net.wasm ends within a section"),
    ],
)
def test_a_description_that_was_edited_with_its_checksum_is_refused(net, old, new, said):
    body = net.wasm.read_bytes()[:-4]
    assert old in body
    net.wasm.write_bytes(with_checksum(body.replace(old, new) if old else body + new))
    script = f"import {{ load }} from {str(net.mjs)!r}; await load();"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True)
    assert done.returncode == 1 and f"Error: {said}" in done.stderr


def test_functions_come_with_what_they_are_made_of(tmp_path):
    """Each function of the library, alone in a loader, is defined with all that it uses."""
    library = Path(hybridize.codegen.wasm.__file__).with_name("library.mjs")
    script = (
        f"import {{ library }} from {str(library)!r};"
        "console.log(Object.keys(library).map((name) => [name, library[name](0.7, 2.5), library[name](7.5, 2)]).join(' '));"
    )
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    for line in done.stdout.split():
        name, *expected = line.split(",")
        alone = loader("net", [name]).partition("const FORMAT")[0]
        call = f"{alone}\nconsole.log([library.{name}(0.7, 2.5), library.{name}(7.5, 2)].join(','));"
        done = subprocess.run(["node", "--input-type=module", "-e", call], capture_output=True, text=True)
        assert done.stdout.strip().split(",") == expected, f"{name}: {done.stderr}"


def test_sources(net):
    """By default the file beside the loader, wherever the process is; or a path, URL, response, bytes, or a promise."""
    script = f"""
    import {{ readFileSync }} from "node:fs";
    import {{ load }} from {str(net.mjs)!r};
    const bytes = readFileSync("my_net.wasm");
    const moved = new Uint8Array(bytes.length + 3).subarray(3);
    moved.set(bytes);
    const url = new URL("file://" + process.cwd() + "/my_net.wasm");
    const inline = "data:application/wasm;base64," + bytes.toString("base64");
    const sources = [undefined, "my_net.wasm", url, url.href, inline, bytes, moved, moved.slice().buffer,
      new Response(bytes), fetch(inline)];
    for (const source of sources) console.log((await load(source)).run({{ x: new Float32Array(64) }}).output.length);
    await load(new Response("", {{ status: 404, statusText: "Not Found" }})).catch((problem) => console.log(problem.message));
    """
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=net.wasm.parent)
    assert done.stdout.split("\n")[:-2] == ["64"] * 10
    assert "404 Not Found" in done.stdout


def test_more_memory_than_addresses_reach_is_refused(wasm):
    model = wasm(lambda x: np.outer(x, x), *((np.ones((n,)),) for n in (8, 16, 24)))
    script = f"""
    import {{ load }} from {str(model.mjs)!r};
    const model = await load();
    const told = (n) => {{
      try {{ return model.run({{ x: new Float32Array(n).fill(3) }}).output[1]; }} catch (problem) {{ return problem; }}
    }};
    console.log(told(12));
    const problem = told(40000);
    console.log(problem.name, problem.message);
    console.log(told(12));
    """
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    first, refused, again = done.stdout.splitlines()
    assert float(first) == float(again) == 9
    assert refused.startswith("RangeError net needs ") and "bytes of memory" in refused


def test_a_program_that_memory_has_no_room_for_is_not_written(wasm, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "LARGEST", 1 << 16)
    wasm(lambda x: x * 2, (np.ones((100,)),))
    with pytest.raises(CodegenError, match="E975"):
        wasm(lambda x: x * 2, (np.ones((10000,)),), name="large")
    assert not list(tmp_path.glob("large*"))


def test_the_loader_knows_every_function_that_modules_import():
    with pytest.raises(CodegenError, match=r"E977.*y0f"):
        loader("net", ["y0f"])
    text = loader("net", ["effect", "expf", "tgamma", "nextafterf", "log"])
    assert "const library = { expf: rounded(Math.exp), log: Math.log, nextafterf, tgamma };" in text
    assert "function stirling" in text and "function erf(" not in text and "new AssertionError(message)" in text
