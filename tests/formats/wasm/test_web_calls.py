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


def test_a_kernel_of_many_arrays_binds_few_buffers(folder, page):
    def total(a, b, c, d, e, f, g, h, i):
        return a + b + c + d + e + f + g + h + i, a * i

    write(folder, "nine", total, tuple(np.ones((4,)) for _ in range(9)))
    outcomes = told(
        page,
        SAID
        + """
        const { load } = await import("/nine.mjs");
        const { requestAdapter } = GPU.prototype;
        const outcome = async (buffers, options) => {
          GPU.prototype.requestAdapter = async function (options) {
            const adapter = await requestAdapter.call(this, options);
            const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
            const limits = { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage: buffers };
            return Object.defineProperties(adapter, { limits: { value: limits }, info: { value: { vendor: "small" } } });
          };
          const model = await load(options).catch(said);
          if (Array.isArray(model)) return model;
          const x = Object.fromEntries(model.inputs.map(({ name }, k) => [name, new Float32Array(4).fill(k + 1)]));
          const [total, product] = Object.values(await model.run(x));
          model.destroy();
          return [model.device, model.reason, total[0], product[3]];
        };
        return [await outcome(8, { device: "webgpu" }), await outcome(1, { device: "webgpu" }), await outcome(1, {})];
        """,
    )
    text = 'E705: nine has a kernel of 2 buffers; this GPU takes 1; load({ device: "wasm" }) runs it on the processor'
    assert outcomes == [["webgpu", "", 45, 9], ["DeviceError", "E705", text], ["wasm", text, 45, 9]]


# Kernels, which are compiled for the first call that needs them


COMPILING = """
const compiled = [];
const { createComputePipelineAsync } = GPUDevice.prototype;
let broken = 0;
GPUDevice.prototype.createComputePipelineAsync = function (options) {
  compiled.push(options);
  return broken-- > 0 ? Promise.reject(new Error("no such word")) : createComputePipelineAsync.call(this, options);
};
"""


def test_kernels_are_compiled_for_the_first_call_that_needs_them(page, dense):
    counts, heard, wrong, rows = told(
        page,
        COMPILING
        + SAID
        + """
        const { load } = await import("/dense.mjs");
        const heard = [];
        const model = await load({ device: "webgpu", progress: (...now) => heard.push(now) });
        const counts = [compiled.length];
        const x = (rows) => ({ x: { data: new Float32Array(40 * rows).fill(1), shape: [rows, 40] } });
        await model.run(x(1));
        counts.push(compiled.length);
        await model.run(x(1));
        counts.push(compiled.length);
        const wrong = await model.prepare({ x: new Float64Array(40) }).catch(said);
        await model.prepare(x(9));
        counts.push(compiled.length);
        const { output } = await model.run(x(5));
        counts.push(compiled.length);
        return [counts, heard, wrong, output.length / 100];
        """,
    )
    loaded, first, second, prepared, other = counts
    assert loaded == 0 < first == second < prepared == other
    expected = [[done, first] for done in range(1, first + 1)]
    expected += [[done, prepared - first] for done in range(1, prepared - first + 1)]
    assert heard == expected
    assert wrong[0] == "TypeError" and rows == 5


def test_calls_run_in_the_order_in_which_they_are_made_while_kernels_are_compiled(folder, page):
    total = np.zeros((3,))

    def f(x):
        total[:] = 2 * total + x.sum(axis=0)
        return {"total": total * 1, "noise": np.random.uniform(size=(2,))}

    write(folder, "line", f, *((np.ones((rows, 3)),) for rows in (1, 2, 4)))
    hybridize.random.seed(9)
    drawn = [np.random.uniform(size=(2,)).asnumpy().tolist() for _ in range(2)]
    first = total.asnumpy()
    answers = told(
        page,
        SAID
        + """
        const { load } = await import("/line.mjs");
        const answers = [];
        for (const device of ["webgpu", "wasm"]) {
          const model = await load({ device });
          const ask = (rows, value) => {
            const data = new Float32Array(3 * rows).fill(value);
            const ends = model.run({ x: { data, shape: [rows, 3] } }).then(({ total, noise }) => [[...total], [...noise]], said);
            data.fill(NaN); // which the call has read
            return ends;
          };
          const all = [ask(1, 1), ask(3, 2), model.run({}).catch(said)];
          model.seed(9);
          all.push(ask(1, 3), ask(5, 4));
          all.push((async () => model.seed("nine"))().catch(said));
          answers.push(await Promise.all(all));
        }
        return answers;
        """,
    )
    for *calls, seed in answers:
        assert calls.pop(2)[0] == "TypeError" and seed[0] == "TypeError"
        sums, expected = [1, 6, 3, 20], first
        for (found, _), more in zip(calls, sums, strict=True):
            expected = 2 * expected + more
            assert found == expected.tolist()
        assert [noise for _, noise in calls[2:]] == drawn


def test_a_kernel_that_the_browser_refuses_moves_the_model_unless_a_gpu_was_asked_for(page, counted):
    first, _ = counted
    free, forced, careful = told(
        page,
        COMPILING
        + SAID
        + """
        const { load } = await import("/counted.mjs");
        const { requestAdapter } = GPU.prototype;
        GPU.prototype.requestAdapter = async function (options) {
          return Object.defineProperty(await requestAdapter.call(this, options), "info", { value: { vendor: "glass" } });
        };
        const answers = [];
        for (const options of [{}, { device: "webgpu" }, { device: "webgpu", fallback: true }]) {
          const model = await load(options);
          broken = 1;
          const ask = (x) => model.run({ x: new Float32Array(3).fill(x) }).then(({ total }) => [...total], said);
          const calls = await Promise.all([ask(1), ask(2)]);
          broken = 0;
          answers.push([...calls, await ask(3), model.device, model.reason]);
          model.destroy();
        }
        return answers;
        """,
    )
    start = "E907: this browser does not compile kernel"
    for one in (free, careful):
        assert one[:4] == [(first + 1).tolist(), (first + 3).tolist(), (first + 6).tolist(), "wasm"]
        assert one[4].startswith(start)
    assert forced[0][:2] == ["DeviceError", "E907"] and forced[0][2].startswith(start)
    assert forced[1:] == [(first + 2).tolist(), (first + 5).tolist(), "webgpu", ""]


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


def test_states_of_a_loop_that_are_parts_of_words(folder, page):
    """What is left of them is copied byte by byte, as copies of WebGPU take whole words."""

    def scan(x, flags, halves):
        def turn(row, state):
            seen, total = np.logical_or(state[0], row > 2), state[1] + row.astype("float16")
            return total, [seen, total]

        rows, (seen, total) = npx.foreach(turn, x, [flags, halves])
        return {"rows": rows, "seen": seen, "total": total}

    x = numpy.random.default_rng(0).integers(0, 4, (4, 3)).astype("f4")
    call = np.array(x), np.array([False, True, False], dtype="bool"), np.zeros((3,), dtype="float16")
    write(folder, "scan", scan, call)
    answers = told(
        page,
        """
        const { load } = await import("/scan.mjs");
        const call = { x: { data: Float32Array.from(x), shape: [4, 3] }, flags: Uint8Array.of(0, 1, 0), halves: new Uint16Array(3) };
        const models = [await load({ device: "webgpu" }), await load({ device: "wasm" })];
        return Promise.all(models.map(async (model) => Object.values(await model.run(call)).map((array) => [...array])));
        """,
        x=x.ravel().tolist(),
    )
    totals = numpy.cumsum(x, axis=0).astype("f2").view("u2")
    seen = (x > 2).any(axis=0) | [False, True, False]
    assert answers == [[totals.ravel().tolist(), seen.astype(int).tolist(), totals[-1].tolist()]] * 2


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
