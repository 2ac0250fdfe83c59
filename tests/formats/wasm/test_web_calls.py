"""Calls of models for the web on a GPU that is computed: assertions, calls side by side, models that share it, its end."""

import numpy
import pytest

import hybridize
from hybridize import np, npx
from tests.formats.wasm.browsing import browsing, told, write

pytestmark = pytest.mark.long
SAID = "const said = ({ name, code, message }) => [name, code ?? null, message];"


@pytest.fixture(scope="module")
def counted(folder):
    """A function that adds up what is positive, and draws a number."""
    total = np.zeros((3,))

    def f(x):
        npx.assert_(x > 0, "x is above 0")  # noqa: PT009
        total[:] = total + x
        return {"total": total * 1, "noise": np.random.uniform(size=(2,))}

    hybridize.random.seed(3)
    write(folder, "counted", f, (np.ones((3,)),))
    hybridize.random.seed(9)
    return total.asnumpy(), [np.random.uniform(size=(2,)).asnumpy().tolist() for _ in range(4)]


def test_an_assertion_is_the_error_of_webassembly_and_changes_nothing(page, counted):
    first, drawn = counted
    both = told(
        page,
        SAID
        + """
        const { load } = await import("/counted.mjs");
        const answers = [];
        for (const device of ["webgpu", "wasm"]) {
          const model = await load({ device });
          model.seed(9);
          const ask = (...x) => model.run({ x: Float32Array.from(x) }).then(
            ({ total, noise }) => [[...total], [...noise]], said);
          const some = await Promise.all([ask(1, 2, 3), ask(1, 0, 1), ask(-1, 1, 1), ask(1, 1, 1)]); // all are begun
          answers.push([...some, await ask(0, 0, 0), await ask(2, 2, 2)]);
        }
        return answers;
        """,
    )
    for answers in both:
        added = [[1, 2, 3], None, None, [2, 3, 4], None, [4, 5, 6]]
        draws = iter(drawn)
        for answer, sums in zip(answers, added, strict=True):
            if sums is None:
                assert answer == ["AssertionError", None, "x is above 0"]
            else:
                assert answer == [(first + sums).tolist(), next(draws)]


def test_labels_and_indices_out_of_range(folder, page):
    def loss(scores, labels, table, ids):
        rows = np.take(table, ids, axis=0, mode="raise")
        picked = npx.log_softmax(scores)[np.arange(len(labels)), labels]
        return -picked.mean() + rows.sum()

    def call(rows, label=2, index=3):
        random = numpy.random.default_rng(rows)
        labels, ids = random.integers(0, 3, rows), random.integers(0, 4, 2 * rows)
        labels[-1], ids[0] = label, index
        table = random.normal(size=(rows + 3, 2)).astype("f4")
        return random.normal(size=(rows, 3)).astype("f4"), labels, table, ids

    write(folder, "loss", loss, *(tuple(map(np.array, call(rows))) for rows in (1, 4, 5)))
    calls = [call(6), call(6, label=3), call(7, index=-11), call(7, index=-10), call(1, label=-4), call(6)]
    answers = told(
        page,
        SAID
        + """
        const { load } = await import("/loss.mjs");
        const models = [await load({ device: "webgpu" }), await load({ device: "wasm" })];
        const arrays = ([scores, labels, table, ids, rows]) => ({
          scores: { data: Float32Array.from(scores), shape: [rows, 3] },
          labels: { data: BigInt64Array.from(labels, BigInt), shape: [rows] },
          table: { data: Float32Array.from(table), shape: [rows + 3, 2] },
          ids: { data: BigInt64Array.from(ids, BigInt), shape: [2 * rows] },
        });
        const all = (model) => Promise.all(calls.map((one) => model.run(arrays(one)).then(({ output }) => output[0], said)));
        return [models[0].device, ...(await Promise.all(models.map(all)))];
        """,
        calls=[[*(one.ravel().tolist() for one in arrays), len(arrays[0])] for arrays in calls],
    )
    device, gpu, processor = answers
    assert device == "webgpu"
    for answer, other, arrays in zip(gpu, processor, calls, strict=True):
        label, index, rows = arrays[1][-1], arrays[3][0], len(arrays[0])
        if -3 <= label < 3 and -rows - 3 <= index < rows + 3:
            with hybridize.disabled():
                expected = pytest.approx(float(loss(*map(np.array, arrays))), rel=1e-5)
            assert answer == expected and other == expected
        else:
            assert answer == other and answer[0] == "AssertionError"
            axis = ("axis 0 of f32[", "indices run from") if -3 <= label < 3 else ("axis 1 of f32[", "from -3 to 2")
            assert all(part in answer[2] for part in ("an index is out of bounds", *axis))
    assert [isinstance(one, list) for one in gpu] == [False, True, True, False, True, False]


def test_a_message_with_numbers_in_it(folder, page):
    def f(x, n, h):
        assert x.sum() < 10, f"{x} of sum {x.sum()}, {n} and {h}"
        return x * 2

    given = (np.array([1.5, -2.0]), np.array(7, dtype="int64"), np.array([0.1], dtype="float16"))
    write(folder, "message", f, given, (np.ones((3,)), *given[1:]), (np.ones((4,)), *given[1:]))
    answers = told(
        page,
        SAID
        + """
        const { load } = await import("/message.mjs");
        const answers = [];
        for (const device of ["webgpu", "wasm"]) {
          const model = await load({ device });
          const call = { n: 2 ** 40, h: Uint16Array.of(0x2e66) };
          const ask = (...x) => model.run({ ...call, x: Float32Array.from(x) }).then(({ output }) => [...output], said);
          answers.push([model.device, await ask(0.1, 20), await ask(1, 2, 3, 4), await ask(1, 2)]);
        }
        return answers;
        """,
    )
    texts = ["[0.1 20] 20.1 1099511627776 [0.1]", "[1 2 3 4] 10 1099511627776 [0.1]"]
    for device, (where, *errors, result) in zip(["webgpu", "wasm"], answers, strict=True):
        assert where == device and result == [2, 4]
        assert [name for name, *_ in errors] == ["AssertionError"] * 2
        for (_, _, message), text in zip(errors, texts, strict=True):
            assert message.startswith(f"AssertionError {text} (test_web_calls.py:")


# Memory, and calls side by side


COUNTING = """
const live = new Set();
const { createBuffer } = GPUDevice.prototype;
GPUDevice.prototype.createBuffer = function (options) {
  const buffer = createBuffer.call(this, options);
  live.add(buffer);
  const { destroy } = buffer;
  buffer.destroy = () => (live.delete(buffer), destroy.call(buffer));
  return buffer;
};
let sent = 0;
const { writeBuffer } = GPUQueue.prototype;
GPUQueue.prototype.writeBuffer = function (buffer, offset, data, from, bytes) {
  sent += bytes ?? data.byteLength;
  return writeBuffer.call(this, buffer, offset, data, from, bytes);
};
const bytes = () => [...live].reduce((sum, { size }) => sum + size, 0);
let devices = 0;
const { requestDevice } = GPUAdapter.prototype;
GPUAdapter.prototype.requestDevice = function (options) {
  devices++;
  return requestDevice.call(this, options);
};
"""


@pytest.fixture(scope="module")
def dense(folder):
    """A product with a weight of 4,000 elements, of any number of rows; and another one of its kind."""
    weight = numpy.random.default_rng(0).normal(size=(40, 100)).astype("f4")
    calls = [(np.ones((rows, 40)),) for rows in (1, 4, 6)]
    write(folder, "dense", lambda x: np.dot(x, np.array(weight)), *calls)
    write(folder, "other", lambda x: np.dot(x, np.array(2 * weight)), *calls)
    return weight


def test_many_calls_need_the_memory_of_one_and_weights_are_sent_once(page, dense):
    loaded, first, many, changing, errors, after, end = told(
        page,
        COUNTING
        + SAID
        + """
        const { load } = await import("/dense.mjs");
        const model = await load({ device: "webgpu" });
        const loaded = [sent, bytes()];
        const ask = (rows) => model.run({ x: new Float32Array(40 * rows).fill(rows) });
        await ask(3);
        const first = [sent, live.size, bytes()];
        for (let call = 0; call < 60; call++) await ask(3);
        const many = [sent, live.size, bytes()];
        for (let call = 0; call < 60; call++) await Promise.all([ask(1), ask(3)]);
        await ask(3);
        const changing = [live.size, bytes()];
        const errors = [];
        for (let call = 0; call < 20; call++) errors.push(await model.run({ x: new Float32Array(7) }).catch(said));
        const after = [live.size, bytes(), (await ask(3)).output.length];
        const others = await Promise.all([load({ device: "webgpu" }), load({ device: "webgpu" })]);
        for (const one of [model, ...others, ...others]) one.destroy();
        return [loaded, first, many, changing, errors, after, [live.size, devices]];
        """,
    )
    weights = dense.nbytes
    assert weights <= loaded[0] < weights + 1000
    assert many[1:] == first[1:] and changing == first[1:] and after[:2] == first[1:]
    assert many[0] - first[0] == 60 * 3 * 40 * 4, "a call sends its input and nothing else"
    assert {one[0] for one in errors} == {"RangeError"} and after[2] == 300
    assert end == [0, 1], "destroyed models leave nothing, and one GPU served all"


def test_models_of_a_page_share_the_gpu_and_are_destroyed_by_themselves(page, dense):
    answers, devices, gone, again = told(
        page,
        COUNTING
        + SAID
        + """
        const loads = await Promise.all(["dense", "other"].map(async (name) => (await import(`/${name}.mjs`)).load));
        const models = await Promise.all(loads.map((load) => load({ device: "webgpu" })));
        const ask = (model) => model.run({ x: new Float32Array(40).fill(1) }).then(({ output }) => [...output], said);
        const answers = await Promise.all([models[0], models[1], models[0]].map(ask));
        const running = ask(models[0]);
        models[0].destroy();
        const gone = [await running, await ask(models[0])];
        answers.push(await ask(models[1]));
        models[1].destroy();
        const before = devices;
        const third = await loads[0]({ device: "webgpu" });
        return [answers, before, gone, [(await ask(third)).length, devices]];
        """,
    )
    row = dense.sum(axis=0)
    for answer, expected in zip([*answers, gone[0]], [row, 2 * row, row, 2 * row, row], strict=True):
        numpy.testing.assert_allclose(answer, expected, rtol=1e-4, atol=1e-5)
    assert devices == 1
    assert gone[1] == ["DeviceError", "E707", "E707: dense was destroyed; load it again"]
    assert again == [100, 2], "without models there is no GPU, and the next one starts it"


# What a GPU cannot do


def test_a_gpu_without_memory_says_so_and_the_next_call_runs(page, dense):
    answers = told(
        page,
        SAID
        + """
        const { load } = await import("/dense.mjs");
        const { popErrorScope } = GPUDevice.prototype;
        let scarce = 0;
        GPUDevice.prototype.popErrorScope = async function () {
          const problem = await popErrorScope.call(this);
          return scarce-- > 0 ? new GPUOutOfMemoryError("no room") : problem;
        };
        const outcome = async (model) => [model.device, model.reason, (await model.run({ x: new Float32Array(40) })).output.length];
        const answers = [];
        for (const options of [{ device: "webgpu" }, { device: "webgpu", fallback: true }]) {
          scarce = 1;
          answers.push(await load(options).then(outcome, said));
          const model = await load(options);
          scarce = 1;
          answers.push(await model.run({ x: new Float32Array(40) }).then(({ output }) => output.length, said));
          answers.push(await outcome(model));
          model.destroy();
        }
        return answers;
        """,
    )
    text = 'E706: dense: the GPU has no memory left; load({ device: "wasm" }) runs it on the processor'
    scarce = ["DeviceError", "E706", text]
    assert answers == [scarce, scarce, ["webgpu", "", 100], ["wasm", text, 100], 100, ["wasm", text, 100]]


def test_a_kernel_of_more_arrays_than_a_gpu_binds(folder, page):
    def total(a, b, c, d, e, f, g, h, i):
        return a + b + c + d + e + f + g + h + i

    write(folder, "nine", total, tuple(np.ones((4,)) for _ in range(9)))
    enough, forced, free = told(
        page,
        SAID
        + """
        const { load } = await import("/nine.mjs");
        const outcome = async (options) => {
          const model = await load(options).catch(said);
          if (Array.isArray(model)) return model;
          const x = Object.fromEntries(model.inputs.map(({ name }, k) => [name, new Float32Array(4).fill(k)]));
          const { output } = await model.run(x);
          model.destroy();
          return [model.device, model.reason, output[0]];
        };
        const enough = await outcome({ device: "webgpu" });
        const { requestAdapter } = GPU.prototype;
        GPU.prototype.requestAdapter = async function (options) {
          const adapter = await requestAdapter.call(this, options);
          const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
          const limits = { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage: 8 };
          return Object.defineProperties(adapter, { limits: { value: limits }, info: { value: { vendor: "small" } } });
        };
        return [enough, await outcome({ device: "webgpu" }), await outcome({})];
        """,
    )
    text = 'E705: nine has a kernel of 10 arrays; this GPU takes 8; load({ device: "wasm" }) runs it on the processor'
    assert enough == ["webgpu", "", 36]
    assert forced == ["DeviceError", "E705", text]
    assert free == ["wasm", text, 36]


def test_a_lost_gpu_comes_back_and_a_fallback_goes_on_by_webassembly(folder, counted, tmp_path_factory):
    """From the states that the last call left; no call waits for ever."""
    first, drawn = counted
    with browsing(folder, tmp_path_factory.mktemp("lost") / "profile") as page:
        told(
            page,
            SAID
            + """
            const { load } = await import("/counted.mjs");
            const models = { plain: await load({ device: "webgpu" }), careful: await load({ device: "webgpu", fallback: true }) };
            const ask = (model, ...x) => model.run({ x: Float32Array.from(x) }).then(({ total, noise }) => [[...total], [...noise]], said);
            for (const model of Object.values(models)) {
              model.seed(9);
              await ask(model, 1, 2, 3);
            }
            Object.assign(globalThis, { models, ask });
            """,
        )
        page._ask("Browser.crashGpuProcess")
        answers = told(
            page,
            """
            const lost = { plain: [], careful: [] };
            for (const [name, model] of Object.entries(models)) {
              for (let some = [["none yet"]]; typeof some[0][0] === "string" && lost[name].length < 6; ) {
                some = await Promise.all([ask(model, 1, 1, 1), ask(model, -1, 1, 1)]);
                lost[name].push(...some.filter(([kind]) => typeof kind === "string"));
              }
            }
            const then = [await ask(models.plain, 1, 1, 1), await ask(models.careful, 1, 1, 1)];
            return [lost, then, Object.values(models).map(({ device, reason }) => [device, reason])];
            """,
        )
    lost, then, where = answers
    for problems in lost.values():
        kinds = [kind for kind, *_ in problems]
        assert kinds.count("AssertionError") == 1 and set(kinds) <= {"AssertionError", "DeviceError"}
    for name, code, message in lost["plain"]:
        assert name == "AssertionError" or (code == "E707" and "counted: the GPU is lost (" in message)
        assert name == "AssertionError" or "the next call starts it again" in message
    assert [kind for kind, *_ in lost["careful"]] == ["AssertionError"]
    assert then == [[numpy.add(first, [3, 4, 5]).tolist(), drawn[2]]] * 2
    assert where[0] == ["webgpu", ""]
    assert where[1][0] == "wasm" and where[1][1].startswith("E707: counted: the GPU is lost (")


# Sizes and types


def test_any_number_of_rows_and_all_types(folder, page):
    def f(x, count, mask):
        y = np.where(mask, x, 0).sum(axis=1)
        return {"y": y, "count": count + 1, "bytes": (count % 7).astype("int8"), "none": np.logical_not(mask)}

    def call(rows):
        random = numpy.random.default_rng(rows)
        return (
            random.normal(size=(rows, 7)).astype("f4"),
            random.integers(-9, 9, (rows, 3), "i4"),
            random.random((rows, 7)) < 0.5,
        )

    write(folder, "types", f, *(tuple(map(np.array, call(rows))) for rows in (2, 5, 9)))
    rows = [1, 2, 3, 64, 257, 1000, 0]
    calls = [call(one) for one in rows]
    both = told(
        page,
        SAID
        + """
        const { load } = await import("/types.mjs");
        const answers = [];
        for (const device of ["webgpu", "wasm"]) {
          const model = await load({ device });
          answers.push(await Promise.all(calls.map(([x, count, mask, rows]) => model.run({
            x: { data: Float32Array.from(x), shape: [rows, 7] },
            count: { data: Int32Array.from(count), shape: [rows, 3] },
            mask: { data: Uint8Array.from(mask), shape: [rows, 7] },
          }).then((all) => Object.values(all).map((one) => [[...one.shape], [...one]]), said))));
        }
        return answers;
        """,
        calls=[[*(one.ravel().tolist() for one in arrays), len(arrays[0])] for arrays in calls],
    )
    for answers in both:
        for answer, arrays in zip(answers, calls, strict=True):
            if not len(arrays[0]):
                assert answer == both[0][-1]
                continue
            with hybridize.disabled():
                expected = [one.asnumpy() for one in f(*map(np.array, arrays)).values()]
            for (shape, found), want in zip(answer, expected, strict=True):
                assert tuple(shape) == want.shape
                numpy.testing.assert_allclose(
                    numpy.array(found, "f8").reshape(shape), want.astype("f8"), rtol=1e-5, atol=1e-6
                )
