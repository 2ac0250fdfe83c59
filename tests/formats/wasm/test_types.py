"""The types that are written for a model, as TypeScript reads them: what is right passes, what is wrong does not."""

import re
import subprocess
import time
from pathlib import Path

import numpy
import pytest

from hybridize import np
from hybridize.base.frozen import changed
from hybridize.system import lock_file
from tests.formats.wasm.browsing import write

BUILD = Path(__file__).parents[3] / "build" / "typescript"
VERSION = "7.0.2"
FLAGS = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--target", "esnext"]


@pytest.fixture(scope="session")
def tsc(system):
    """TypeScript's compiler, installed from the npm registry where it is not there yet."""
    system("node", "npm")
    program = BUILD / "node_modules" / "typescript" / "lib" / "tsc.js"
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        while not lock_file(lock.fileno()):  # tests run in several processes
            time.sleep(0.1)
        if not program.exists():
            command = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", BUILD]
            done = subprocess.run([*command, f"typescript@{VERSION}"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    return ["node", program]


def check(tsc, folder, text, *flags):
    """The errors in a program beside the model."""
    (folder / "use.mts").write_text(text)
    done = subprocess.run([*tsc, *FLAGS, *flags, "use.mts"], cwd=folder, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("resolution", ["nodenext", "bundler"])
def test_a_model_with_sizes_of_its_own(tsc, wasm, tmp_path, resolution):
    wasm(
        lambda data: {"sum": data.sum(axis=1), "most": np.argmax(data, axis=1)},
        *((np.ones((n, 8)),) for n in (3, 4, 5)),
    )
    module = ["--module", "nodenext" if resolution == "nodenext" else "esnext", "--moduleResolution", resolution]
    right = """
    import { load, LoadError, AssertionError, type Inputs, type Model, type Outputs } from "./net.mjs";
    const model: Model = await load();
    await load("elsewhere/net.wasm");
    await load(new URL("net.wasm", import.meta.url));
    await load(fetch("net.wasm"));
    await load(new Uint8Array(8));
    const inputs: Inputs = { data: { data: new Float32Array(16), shape: [2, 8] } };
    const { sum, most }: Outputs = model.run(inputs);
    const first: number | undefined = sum[0];
    const index: bigint | undefined = most[0];
    const rows: number = sum.shape[0];
    model.run({ data: new Float32Array(16) });
    model.run({ data: sum });
    const limit: number | null | undefined = model.inputs[0]?.largest[0];
    try { model.run(inputs); } catch (problem) {
      if (problem instanceof LoadError || problem instanceof AssertionError) problem.message.toUpperCase();
    }
    """
    assert check(tsc, tmp_path, right, *module, "--lib", "esnext,dom") == ""
    wrong = """
    import { load } from "./net.mjs";
    const model = await load();
    model.run({ data: new Float64Array(8) });
    model.run({ datum: new Float32Array(8) });
    model.run({ data: { data: new Float32Array(8) } });
    model.run({});
    model.run({ data: new Float32Array(8) }).total;
    model.run({ data: new Float32Array(8) }).sum.shape[0] = 3;
    model.seed(1);
    const x: number = model.run({ data: new Float32Array(8) }).most[0];
    """
    found = check(tsc, tmp_path, wrong, *module, "--lib", "esnext,dom")
    assert [line.split("(")[1].split(",")[0] for line in found.splitlines() if line.startswith("use.mts")] == [
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "11",
    ]


def test_a_model_for_the_web(tsc, tmp_path):
    """Calls are promises, and a place to run can be chosen."""
    write(
        tmp_path,
        "net",
        lambda data: {"sum": data.sum(axis=1) + np.random.uniform(), "most": np.argmax(data, axis=1)},
        *((np.ones((n, 8)),) for n in (3, 4, 5)),
    )
    right = """
    import { load, AssertionError, DeviceError, LoadError, type Model, type Options, type Outputs } from "./net.mjs";
    const options: Options = { device: "webgpu", fallback: true, source: new URL("net.wasm", import.meta.url) };
    const models: Model[] = [await load(), await load(options), await load("net.wasm"), await load(fetch("net.wasm"))];
    await load({ source: fetch("net.wasm"), progress: (compiled, kernels) => console.log(compiled / kernels) });
    for (const model of models) {
      const place: "webgpu" | "wasm" = model.device;
      const words: string = model.adapter + model.reason + place;
      model.seed(words.length);
      const { sum, most }: Outputs = await model.run({ data: new Float32Array(16) });
      const first: number | undefined = sum[0];
      const rows: number = most.shape[0];
      await Promise.all([model.run({ data: { data: new Float32Array(16), shape: [2, 8] } }), first, rows]);
      model.run({ data: new Float32Array(8) }).catch((problem) => {
        if (problem instanceof DeviceError) problem.code.toUpperCase();
        if (problem instanceof AssertionError || problem instanceof LoadError) problem.message.toUpperCase();
      });
      model.destroy();
    }
    """
    assert check(tsc, tmp_path, right, "--module", "nodenext", "--lib", "esnext,dom") == ""
    wrong = """
    import { load } from "./net.mjs";
    const model = await load();
    model.run({ data: new Float32Array(8) }).sum;
    await load({ device: "gpu" });
    await load({ place: "webgpu" });
    await load({ progress: (kernels: string) => kernels });
    model.device = "wasm";
    await model.run({ data: new Float64Array(8) });
    await model.run({});
    """
    found = check(tsc, tmp_path, wrong, "--module", "nodenext", "--lib", "esnext,dom")
    lines = [line.split("(")[1].split(",")[0] for line in found.splitlines() if line.startswith("use.mts")]
    assert lines == ["4", "5", "6", "7", "8", "9", "10"]
    # What the loader exports is what the types declare, but for types alone.
    exported = r"^export (?:declare )?(?:async )?(?:class|function) (\w+)"
    names = [
        set(re.findall(exported, (tmp_path / f"net.{kind}").read_text(), re.MULTILINE)) for kind in ("mjs", "d.mts")
    ]
    assert names[0] == names[1] == {"AssertionError", "DeviceError", "LoadError", "load"}


def test_numbers_and_seeds(tsc, wasm, tmp_path, dtypes):
    """Without what a browser or Node declares; a number stands for an array without axes."""

    def f(x, flag):
        return x, np.where(flag, np.random.uniform(), 0)

    literals = {"float16": "new Uint16Array(1)", "bfloat16": "new Uint16Array(1)", "bool": "true", "int64": "2n"}
    text = ""
    for dtype in dtypes:
        wasm(f, (np.array(1, dtype=dtype), np.array(True, dtype="bool")), name=f"net_{dtype}")
        text += f"""
        import {{ load as {dtype} }} from "./net_{dtype}.mjs";
        const {dtype}_model = await {dtype}();
        {dtype}_model.seed(1);
        {dtype}_model.seed(2n ** 63n);
        const x_{dtype}: number | bigint | undefined =
          {dtype}_model.run({{ x: {literals.get(str(dtype), "2.5")}, flag: false }}).output_0[0];
        """
    assert check(tsc, tmp_path, text, "--module", "nodenext", "--lib", "esnext") == ""


def test_shapes_of_results(wasm, written):
    """A size that is always the same stands as a number; one that is not does not."""
    general = wasm(lambda x: x @ np.ones((4, 3)), *((np.ones((n, 4)),) for n in (1, 2, 5)), name="general")
    assert "output: Shaped<Float32Array, readonly [number, 3]>;" in general.types.read_text()
    assert "/** float32 [n0, 4], n0 from 1 */" in general.types.read_text()
    exact = wasm(lambda x: x.sum(), (np.ones((2, 4)),), name="exact")
    assert "output: Shaped<Float32Array, readonly []>;" in exact.types.read_text()
    assert "/** float32 [2, 4] */" in exact.types.read_text()
    # Two variants, neither of which is for other sizes.
    one, seven = (wasm(lambda x: x * 2, (np.ones((n, 3)),), name=f"of{n}").deployable for n in (1, 7))
    both = written(changed(seven, variants=one.variants + seven.variants, name="both"))
    assert "output: Shaped<Float32Array, readonly [number, 3]>;" in both.types.read_text()
    assert "/** float32 [1..7, 3] */" in both.types.read_text()
    calls = ({"x": numpy.ones((n, 3), "f4")} for n in (1, 7, 4))
    *found, refused = both.calls(*calls).outcomes
    assert [answer["output"].shape for answer in found] == [(1, 3), (7, 3)]
    assert refused == ("RangeError", "both takes x float32[1,3], or x float32[7,3]; got x float32[4,3]")
