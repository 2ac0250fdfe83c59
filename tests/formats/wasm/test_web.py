"""Exports for the web by WebGPU, in a browser whose GPU is computed: what they give is what Python gives."""

import numpy
import pytest

import hybridize
from hybridize import np
from tests.formats.wasm.browsing import told, write


@pytest.mark.long
def test_lines_that_many_blocks_sort(folder, page):
    """Launches that merge runs differ in a number, and those that have nothing to merge are left out."""

    def f(x):
        return np.sort(x), np.cumsum(x)

    lines = [numpy.random.default_rng(n).permutation(n).astype("f4") for n in (300, 700, 5000, 9)]
    write(folder, "sorted", f, *((np.array(x),) for x in lines[:2]))
    answers = told(
        page,
        """
        const { load } = await import("/sorted.mjs");
        const model = await load({ device: "webgpu" });
        const answers = [];
        for (const line of asked) {
          const result = await model.run({ x: { data: Float32Array.from(line), shape: [line.length] } });
          answers.push(Object.values(result).map((array) => Array.from(array, Number)));
        }
        return [model.device, answers];
        """,
        asked=[x.tolist() for x in lines],
    )
    assert answers[0] == "webgpu"
    for x, (ordered, totals) in zip(lines, answers[1], strict=True):
        assert ordered == [*range(len(x))]
        numpy.testing.assert_allclose(totals, numpy.cumsum(x, dtype=float), rtol=1e-6)


def test_several_results_of_several_types_and_sizes(folder, page):
    def f(x, mask, ids):
        y = np.where(mask, x, 0)
        return {
            "sum": y.sum(axis=1),
            "most": np.argmax(x, axis=1),
            "any": mask.any(axis=1),
            "rows": np.take(x, ids, axis=0, mode="clip"),
        }

    def call(rows, seed):
        random = numpy.random.default_rng(seed)
        x, mask = random.normal(size=(rows, 5)).astype("f4"), random.random((rows, 5)) < 0.3
        return x, mask, random.integers(0, rows, 7)

    calls = [call(rows, seed) for seed, rows in enumerate((4, 3, 6, 4, 9))]
    write(folder, "several", f, *(tuple(map(np.array, one)) for one in calls[:3]))
    asked = [[one.ravel().tolist() for one in arrays] + [len(arrays[0])] for arrays in calls]
    answers = told(
        page,
        """
        const { load } = await import("/several.mjs");
        const model = await load({ device: "webgpu" });
        const listed = (array) => [...array.shape, ...Array.from(array, Number)];
        // None waits for another, and inputs change at once.
        const results = asked.map(([x, mask, ids, rows]) => {
          const shape = [rows, 5];
          const data = Float32Array.from(x);
          const all = { x: { data, shape }, mask: { data: Uint8Array.from(mask), shape }, ids: BigInt64Array.from(ids, BigInt) };
          const result = model.run(all);
          data.fill(NaN);
          return result;
        });
        const answers = (await Promise.all(results)).map((one) => Object.values(one).map(listed));
        return [model.device, model.reason, model.adapter.includes("swiftshader"), answers];
        """,
        asked=asked,
    )
    assert answers[:3] == ["webgpu", "", True]
    for arrays, answer in zip(calls, answers[3], strict=True):
        with hybridize.disabled():
            expected = [one.asnumpy() for one in f(*map(np.array, arrays)).values()]
        for found, want in zip(answer, expected, strict=True):
            assert tuple(found[: want.ndim]) == want.shape
            numpy.testing.assert_allclose(found[want.ndim :], want.ravel().astype("f8"), rtol=1e-5, atol=1e-6)


# What changes from call to call


STATES = """
const { load } = await import("/states.mjs");
const model = await load({ device: "webgpu", fallback: true });
const x = Float32Array.of(1, 2, 3);
const calls = async (count) => (await Promise.all(Array.from({ length: count }, () => model.run({ x })))).map(
  ({ total, noise }) => [[...total], [...noise]],
);
"""


@pytest.fixture(scope="module")
def states(folder):
    """A function that changes a total, and draws numbers; it takes three numbers."""
    total = np.zeros((3,))

    def f(x):
        total[:] = total + x
        return {"total": total * 1, "noise": np.random.uniform(size=(5,))}

    hybridize.random.seed(3)
    write(folder, "states", f, (np.ones((3,)),))
    hybridize.random.seed(9)
    return total.asnumpy(), [np.random.uniform(size=(5,)).asnumpy().tolist() for _ in range(4)]


def test_states_are_the_models_own_and_calls_read_them_in_order(page, states):
    first, drawn = states
    answers = told(page, STATES + "model.seed(9); const two = await calls(2); return [...two, ...await calls(2)];")
    for number, (total, noise) in enumerate(answers, 1):
        assert total == (first + number * numpy.arange(1, 4)).tolist()
        assert noise == drawn[number - 1]


def test_an_index_out_of_range_is_an_error_and_later_calls_run(folder, page):
    def rows(x, i):
        return np.take(x, i, axis=0, mode="raise")

    write(folder, "rows", rows, (np.ones((5, 2)), np.array([1, 4], dtype="int64")))
    both = told(
        page,
        """
        const { load } = await import("/rows.mjs");
        const x = Float32Array.from({ length: 10 }, (_, k) => k);
        const ask = (model, ...i) => model.run({ x, i: BigInt64Array.from(i, BigInt) }).then(
          ({ output }) => [...output], ({ name, message }) => `${name}: ${message}`);
        const models = [await load({ device: "webgpu" }), await load({ device: "wasm" })];
        return Promise.all(models.map((one) => Promise.all([ask(one, 4, -5), ask(one, 0, 5), ask(one, -6, 0), ask(one, 1, 1)])));
        """,
    )
    wrong = "AssertionError: take from axis 0 of f32[5,2]: an index is out of bounds; indices run from -5 to 4"
    assert both == [[[8, 9, 0, 1], wrong, wrong, [2, 3, 2, 3]]] * 2


# What a GPU cannot do


@pytest.fixture(scope="module")
def outer(folder):
    """A function whose result is larger than what it takes."""
    write(folder, "outer", lambda x: np.outer(x, x), *((np.ones((n,)),) for n in (8, 16, 24)))


REFUSALS = """
const outcome = async (options, before = () => {}, length = 12) => {
  const { gpu } = navigator;
  try {
    before(gpu);
    const model = await load(options);
    const { output } = await model.run({ x: new Float32Array(length).fill(3) });
    model.destroy(); // the next one gets a GPU of its own
    return [model.device, model.reason, output[output.length - 1]];
  } catch (problem) {
    return [problem.name, problem.code, problem.message];
  } finally {
    delete gpu.requestAdapter;
    delete navigator.gpu;
  }
};
const offers = (change) => (gpu) => {
  const { requestAdapter } = Object.getPrototypeOf(gpu);
  gpu.requestAdapter = async (options) => change(await requestAdapter.call(gpu, options));
};
const small = offers((adapter) => Object.defineProperty(adapter, "limits", {
  value: { maxBufferSize: 1 << 20, maxStorageBufferBindingSize: SIZE },
}));
const real = offers((adapter) => Object.defineProperty(adapter, "info", { value: { vendor: "nobody" } }));
const before2025 = offers((adapter) => Object.defineProperties(adapter, {
  info: { value: undefined }, isFallbackAdapter: { value: true },
}));
const none = offers(() => null);
const old = (gpu) => Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true });
"""


def test_where_a_model_is_put(page, outer):
    answers = told(
        page,
        'const { load } = await import("/outer.mjs");'
        + REFUSALS.replace("SIZE", "1e4")
        + """
        const options = { forced: { device: "webgpu" }, free: {}, fallback: { device: "webgpu", fallback: true } };
        const cases = { as_it_is: () => {}, none, old, before2025, real, small };
        const answers = {};
        for (const [name, before] of Object.entries(cases)) {
          answers[name] = [];
          for (const one of Object.values(options)) answers[name].push(await outcome(one, before));
        }
        answers.wasm = await outcome({ device: "wasm" });
        answers.other = await outcome({ device: "gpu" });
        return answers;
        """,
    )
    reasons = {
        "as_it_is": "WebGPU's only GPU here is imitated by the processor",
        "before2025": "WebGPU's only GPU here is imitated by the processor",
        "none": "WebGPU finds no GPU here",
        "old": "there is no WebGPU here",
    }
    for name, reason in reasons.items():
        text = f'E701: outer: {reason}; load({{ device: "wasm" }}) runs it on the processor'
        forced, free, fallback = answers[name]
        if "imitated" in reason:
            assert forced == fallback == ["webgpu", "", 9]
        else:
            assert forced == ["DeviceError", "E701", text] and fallback == ["wasm", text, 9]
        assert free == ["wasm", text, 9]
    assert answers["real"] == [["webgpu", "", 9]] * 3
    assert answers["wasm"] == ["wasm", "it was asked for", 9]
    assert answers["other"] == ["TypeError", None, 'device is "webgpu" or "wasm", or left out; got gpu']
    assert answers["small"][0] == ["webgpu", "", 9]


def test_an_array_beyond_what_a_binding_takes_is_refused_before_anything_runs(page, outer):
    forced, fallback, again = told(
        page,
        'const { load } = await import("/outer.mjs");'
        + REFUSALS.replace("SIZE", "1e4")
        + """
        const large = await outcome({ device: "webgpu" }, small, 60);
        const otherwise = await outcome({ device: "webgpu", fallback: true }, small, 60);
        small(navigator.gpu);
        const model = await load({ device: "webgpu" });
        delete navigator.gpu.requestAdapter;
        await model.run({ x: new Float32Array(60) }).catch(() => {});
        const { output } = await model.run({ x: new Float32Array(9).fill(2) });
        return [large, otherwise, [model.device, output[80]]];
        """,
    )
    text = 'outer needs a buffer of 14400 bytes; this GPU has room for 10000; load({ device: "wasm" }) runs it on the processor'
    assert forced == ["DeviceError", "E706", f"E706: {text}"]
    assert fallback == ["wasm", f"E706: {text}", 9]
    assert again == ["webgpu", 4]


def test_weights_beyond_what_a_binding_takes_are_refused_while_loading(folder, page):
    weight = np.array(numpy.random.default_rng(0).normal(size=(100, 30)).astype("f4"))
    write(folder, "heavy", lambda x: x @ weight, (np.ones((2, 100)),))
    forced, free = told(
        page,
        'const { load } = await import("/heavy.mjs");'
        + REFUSALS.replace("SIZE", "1e4")
        + """
        return [await outcome({ device: "webgpu" }, small), await outcome({ source: "/heavy.wasm" }, small, 200)];
        """,
    )
    assert forced[:2] == ["DeviceError", "E706"] and "heavy needs a buffer of 12000 bytes" in forced[2]
    assert free[0] == "wasm"


def test_a_model_that_was_destroyed_says_so(page, outer):
    answer = told(
        page,
        """
        const { load } = await import("/outer.mjs");
        const model = await load({ device: "webgpu" });
        const x = new Float32Array(8);
        await model.run({ x });
        model.destroy();
        return model.run({ x }).catch(({ name, code, message }) => [name, code, message]);
        """,
    )
    assert answer[:2] == ["DeviceError", "E707"] and "outer was destroyed" in answer[2]


def test_what_is_given_is_checked_as_by_webassembly(page, outer):
    answers = told(
        page,
        """
        const { load } = await import("/outer.mjs");
        const model = await load({ device: "webgpu" });
        const given = [{}, { x: new Float64Array(3) }, { x: { data: new Float32Array(6), shape: [2, 3] } }, { x: new Float32Array(4), y: 1 }, null];
        const told = ({ name, message }) => `${name}: ${message}`;
        return Promise.all(given.map((one) => model.run(one).catch(told)));
        """,
    )
    assert answers == [
        "TypeError: input x is float32, given as Float32Array; got nothing",
        "TypeError: input x is float32, given as Float32Array; got Float64Array",
        "RangeError: input x has 1 axis; got the shape [2,3]",
        "TypeError: outer has no input y; it has x",
        "TypeError: outer: inputs are given by name",
    ]
