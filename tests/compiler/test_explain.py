"""What became of a program: the report says what the compiler did, and times steps that add up to the call."""

import contextlib
import re

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, np, npx, ops
from hybridize.array.operands import operand, result
from hybridize.base.errors import OutOfBoundsError, ShapeError
from hybridize.base.types import TensorType
from hybridize.compiler import compile, default_target, limits
from hybridize.compiler.explanation import MOST_CONDITIONS, WIDTH, ReportTable, laid_out
from hybridize.compiler.profile import random_input, step_seconds
from hybridize.gluon import nn
from hybridize.passes import PIPELINE


def net():
    made = nn.HybridSequential()
    made.add(nn.Dense(32, activation="relu"), nn.Dense(8))
    made.initialize()
    made.hybridize()
    return made


def explained(function, *args, **keywords):
    return hybridize(function).program(*args).explain(**keywords)


def test_passes_say_what_went_and_what_came():
    mlp, x = net(), np.ones((4, 16))
    mlp(x)
    report = mlp.program(x).explain()
    inline = report.passes[0]
    assert inline.name == "inline"
    assert dict(inline.removed)["FullyConnected"] == 2
    assert dict(inline.added)["matmul"] == 2
    assert inline.before + sum(dict(inline.added).values()) - sum(dict(inline.removed).values()) == inline.after
    assert report.passes[-1].after <= inline.after


def test_passes_are_counted_inside_of_control_flow():
    def function(x):
        for _ in range(int(x.shape[0])):
            x = x + 0 * x
        while x.sum() < 100:
            x = x * 2 + 0
        return x

    report = explained(function, np.ones((3,)))
    assert sum(one.before for one in report.passes if one.name == "inline") > 3
    assert "while" in str(report)


def test_kernels_name_ops_lines_and_sizes():
    def function(x, y):
        return np.tanh(x) + y, npx.softmax(x)

    report = explained(function, np.ones((4, 5)), np.ones((5,)))
    ops = [op for kernel in report.kernels for op in kernel.ops]
    assert "tanh" in ops
    assert "add" in ops
    assert all(kernel.kind == "loops" for kernel in report.kernels)
    assert any("test_explain.py:" in line for kernel in report.kernels for line in kernel.lines)
    assert all(kernel.bytes > 0 and kernel.flops > 0 for kernel in report.kernels)
    assert report.memory.outputs == 2 * 4 * 5 * 4
    assert report.fallbacks == ()
    assert report.seconds is None
    assert "x: f32[4,5]" in str(report)


@pytest.mark.parametrize("verify", [False, "outputs"])
@pytest.mark.parametrize("recording", [False, True])
def test_what_is_no_code_of_ours_is_named(verify, recording):
    def function(x):
        return np.tanh(np.linalg.inv(x) @ x) + np.tanh(x)

    x = np.eye(3)
    if recording:
        x.attach_grad()
    for backend in ("llvm", "numpy"):
        compiled = hybridize(function, backend=backend, verify=verify)
        with autograd.record() if recording else contextlib.nullcontext():
            compiled(x)
            program = compiled.program(x)
        named = program.fallbacks
        assert program.explain().fallbacks == named
        if backend == "llvm":
            assert named == ()
            assert "none: all of it is machine code" in str(program.explain())
        else:
            assert {"matmul", "tanh", "add", *([] if recording else ["inverse"])} <= set(named)
            assert len(set(named)) == len(named)
            assert ", ".join(named) in " ".join(str(program.explain()).split())


def test_packed_and_in_place_are_told_apart():
    mlp, x = net(), np.ones((4, 16))
    mlp(x)
    report = mlp.program(x).explain()
    assert any("packed" in kernel.layout for kernel in report.kernels) == (report.memory.packed > 0)
    assert "f32[32,16]" in report.outside
    assert "parameters" not in report.valid


def test_each_step_is_timed():
    def function(x, w):
        return npx.softmax(np.tanh(x) @ w) @ w

    x, w = np.ones((64, 64)), np.ones((64, 64))
    report = hybridize(function).program(x, w).explain(x, w, profile=True)
    assert len(report.kernels) > 1
    assert all(kernel.seconds is not None and kernel.seconds >= 0 for kernel in report.kernels)
    assert sum(kernel.share for kernel in report.kernels) == pytest.approx(1)
    assert 0 < report.seconds < 1
    assert report.limits is not None
    assert all(kernel.bound in ("L1", "L2", "L3", "memory", "multiply-adds") for kernel in report.kernels)
    assert "of the limit" in str(report)


def test_the_slow_step_takes_the_time():
    def function(x, w):
        return (x @ w).sum() + np.ones((2,))

    x, w = np.ones((256, 256)), np.ones((256, 256))
    report = hybridize(function).program(x, w).explain(profile=True)
    slowest = max(report.kernels, key=lambda kernel: kernel.seconds)
    assert slowest.kind == "contraction"
    assert slowest.share > 0.5
    assert slowest.seconds > 0.3 * slowest.least_s, "no core is three times as fast as its limit"


def test_steps_add_up_to_the_call():
    import time

    def function(x):
        return np.exp(x) @ x

    x = np.ones((300, 300))
    fast = hybridize(function)
    program = fast.program(x)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        fast(x)
        times.append(time.perf_counter() - begin)
    found = program.explain(x, profile=True).seconds
    assert found < 2 * max(times)
    assert found > 0.2 * min(times)


def test_profile_runs_on_what_is_given_and_checks_it():
    program = hybridize(lambda x: x + 1).program(np.ones((3,)))
    with pytest.raises(ShapeError, match="E120"):
        program.explain(np.ones((4,)), profile=True)


def test_profile_writes_nothing_back():
    state = np.zeros((3,))

    def function(x):
        state[:] = state + x
        return state * 2

    program = hybridize(function).program(np.ones((3,)))
    program.explain(profile=True)
    assert state.asnumpy().tolist() == [0, 0, 0]


def test_programs_that_print_are_timed_and_print_nothing(capsys):
    def function(x):
        npx.print("value", x)
        return x + 1

    fast = hybridize(function)
    report = fast.program(np.ones((2,))).explain(profile=True)
    assert None not in [kernel.seconds for kernel in report.kernels]
    assert "value" not in capsys.readouterr().out
    fast(np.ones((2,)))
    assert "value" in capsys.readouterr().out


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_training_steps_are_timed_on_copies_of_what_they_change(optimizer):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(3))
    net.initialize()
    x, y = np.random.normal(size=(16, 4)), np.array([0, 1, 2, 1] * 4, dtype="int32")
    net(x)
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    def state():
        values = [parameter.data().asnumpy().copy() for parameter in net.collect_params().values()]
        grads = [p.grad().asnumpy().copy() for p in net.collect_params().values() if p.grad_req != "null"]
        return [*values, *grads]

    for _ in range(3):
        step(x, y)
    program, before = step.program(x, y), state()
    for arguments in ((x, y), ()):
        report = program.explain(*arguments, profile=True)
        assert None not in [kernel.seconds for kernel in report.kernels], report.notes
        assert report.seconds > 0
        assert any("in place" in kernel.layout for kernel in report.kernels)
        assert all(map(numpy.array_equal, state(), before))
    with pytest.raises(OutOfBoundsError, match="E110") as raised:
        program.explain(x, y + 2, profile=True)
    assert raised.value.loc is not None
    assert all(map(numpy.array_equal, state(), before))
    assert np.isfinite(step(x, y))


def test_assertions_that_random_arguments_do_not_keep_are_noted():
    def function(x):
        assert (x > 5).all(), "too small"
        return x * 2

    program = hybridize(function).program(np.ones((3,)))
    report = program.explain(profile=True)
    assert report.seconds is None
    assert "too small" in report.notes[0]
    assert program.explain(np.ones((3,)) * 9, profile=True).seconds > 0


def test_the_numpy_backend_is_explained_by_its_nodes():
    program = hybridize(lambda x: np.tanh(x) + 1, backend="numpy").program(np.ones((2,)))
    report = program.explain(profile=True)
    assert [kernel.kind for kernel in report.kernels][:1] == ["reference"]
    assert re.search(r"backend +numpy", str(report))
    assert report.seconds is None


def test_guards_and_reasons_are_said():
    table = {"by": 2.0}
    fast = hybridize(lambda x: x * table["by"])
    x = np.ones((2,))
    fast(x)
    table["by"] = 3.0
    fast(x)
    report = fast.program(x).explain()
    assert "was 2.0 and is 3.0" in report.reason
    assert any("item ['by'] is 3.0" in text for text in report.valid)


def test_programs_for_any_size_say_which_and_are_measured_at_one():
    fast = hybridize(lambda x: npx.softmax(np.tanh(x)))
    for rows in (4, 5, 6):
        fast(np.ones((rows, 8)))
    program = fast.program(np.ones((7, 8)))
    report = program.explain(np.ones((50, 8)), profile=True)
    if not report.sizes:
        pytest.fail(f"four sizes, and yet each has its program: {report}")
    assert "from 1" in report.sizes[0]
    assert report.memory.outputs == 50 * 8 * 4
    assert report.kernels[0].bytes >= 2 * 50 * 8 * 4
    assert report.seconds > 0
    assert program.explain().memory.outputs != report.memory.outputs
    assert program(np.ones((9, 8))).shape == (9, 8)
    with pytest.raises(ShapeError, match=r"takes \(f32\[n0,8\]\) with n0 from 1, got \(f32\[9,7\]\)"):
        program(np.ones((9, 7)))
    assert "any size" in str(report)


def test_text_fits_its_width():
    def function(x):
        for k in range(40):
            x = np.tanh(x) * k + np.exp(-x) / (k + 1)
        return x.sum(axis=0), x.max()

    text = str(explained(function, np.ones((40, 30)), profile=True))
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_long_fact_is_shortened_and_says_so():
    report = explained(lambda *xs: sum(x.sum() for x in xs), *(np.ones((k, 1000 + k)) for k in range(2, 40)))
    lines = str(report).splitlines()
    (begin,) = [number for number, line in enumerate(lines) if line.startswith("  takes ")]
    assert lines[begin + 6].split() == ["...", "shortened;", "`.facts`", "has", "all"]
    assert lines[begin + 7].startswith("  gives ")
    assert "f32[39,1039]" in dict(report.facts)["takes"]


def test_tables_wrap_wide_columns_and_align_figures():
    table = ReportTable(
        "t", ("name", "n"), [("one two three four", "7"), ("x", "123")], frozenset({"name"}), frozenset({"name"})
    )
    lines = laid_out(table, 20)
    assert all(len(line) <= 20 for line in lines)
    assert lines[1].endswith("  7")
    assert lines[-1].endswith("123")


def test_steps_with_equal_kernels_are_timed_apart():
    from hybridize.graph import Builder
    from hybridize.ops import Matmul

    builder = Builder()
    x, w = (builder.input(TensorType((64, 64), numpy.dtype("float32"))) for _ in range(2))
    y = x
    for _ in range(3):
        (y,) = builder.add(Matmul(), [y, w])
    graph = PIPELINE.run(builder.finish([y]))
    executable = compile(graph)
    inputs = [random_input(value.type, number) for number, value in enumerate(graph.inputs)]
    times = step_seconds(graph, default_target(), executable, inputs, seconds=0.02)
    assert len(times) == len(executable.kernels) == 3
    assert min(times) > 0
    assert max(times) < 5 * min(times)


def test_random_inputs_are_valid_indices():
    assert random_input(TensorType((3,), numpy.dtype("int64"))).tolist() == [0, 0, 0]
    assert random_input(TensorType((3,), numpy.dtype("float32"))).std() > 0


def test_limits_name_the_level_that_binds():
    core = limits.Limits(400, 200, 100, 40, 250, 32 << 10, 1 << 20, 32 << 20)
    assert core.least(4096, 0) == ("L1", pytest.approx(4096 / 400e9))
    assert core.least(1 << 20, 0)[0] == "L2"
    assert core.least(2 << 20, 0)[0] == "L3"
    assert core.least(64 << 20, 0)[0] == "memory"
    assert core.least(64, 10**6) == ("multiply-adds", pytest.approx(4e-6))


def test_conversions_of_layout_are_counted_with_their_bytes():
    def net(x, w):
        y = result(ops.convolution(operand(x), operand(w)))
        return result(ops.convolution(operand(np.maximum(y, 0)), operand(w), 1, 1))

    f = hybridize(net)
    x, w = np.ones((2, 64, 19, 19)), np.ones((64, 64, 3, 3))
    f(x, w)
    report = f.program(x, w).explain()
    counts = {word: count for word, count, _ in report.conversions}
    assert counts["copy in"] == 1
    assert counts["border"] == 1
    assert counts["copy out"] == 1
    read = 4 * 2 * 64 * 19 * 19
    assert next(nbytes for word, _, nbytes in report.conversions if word == "copy in") == 2 * read
    total = sum(nbytes for *_, nbytes in report.conversions)
    assert f"{total:,} bytes a call" in dict(report.facts)["layouts"]
    plain = hybridize(lambda x: x + 1.0)
    plain(x)
    assert "layouts" not in dict(plain.program(x).explain().facts)


def stacked(x, w):
    """Three convolutions, two values between them; the second reads its window beyond the border."""
    y = np.maximum(result(ops.convolution(operand(x), operand(w))), 0)
    y = np.maximum(result(ops.convolution(operand(y), operand(w), 1, 1)), 0)
    return result(ops.convolution(operand(y), operand(w)))


def test_values_that_lie_otherwise_are_counted_by_how_they_lie():
    x, w = np.ones((2, 64, 19, 19)), np.ones((64, 64, 3, 3))
    report = hybridize(stacked).program(x, w).explain()
    assert report.layouts == (("channels last", 1), ("channels last, with a halo", 1))
    line = dict(report.facts)["layouts"]
    assert line.startswith("1 value channels last; 1 value channels last, with a halo; 1 copy in, ")
    assert line in " ".join(str(report).split())


def halved(y):
    """The larger of each two rows and columns."""
    y = np.maximum(y[:, :, ::2], y[:, :, 1::2])
    return np.maximum(y[..., ::2], y[..., 1::2])


@pytest.mark.parametrize(
    "between",
    [
        lambda y: halved(np.exp(halved(y))),
        lambda y: halved(np.pad(np.tanh(halved(y)), ((0, 0), (0, 0), (1, 3), (2, 2)))),
    ],
    ids=["pooled twice", "padded"],
)
def test_values_between_convolutions_lie_as_these_want(between):
    def f(x, w):
        y = result(ops.convolution(operand(x), operand(w), 1, 1))
        return result(ops.convolution(operand(between(np.maximum(y, 0))), operand(w), 1, 1))

    x, w = np.ones((2, 16, 20, 20)), np.ones((16, 16, 3, 3))
    report = hybridize(f).program(x, w).explain()
    assert sum(count for _, count in report.layouts) >= 3


def test_values_in_bodies_of_control_flow_are_counted_too():
    def f(x, w):
        while x.sum() > 1e30:
            x = stacked(np.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2))), w)
        return x

    x, w = np.ones((2, 16, 9, 9)), np.ones((16, 16, 3, 3))
    made = hybridize(f).program(x, w)
    body = [text for text in made.schedule().splitlines() if "contraction: contract" in text]
    assert len(body) == 3
    assert sum(count for _, count in made.explain().layouts) == 2 + 1, "the padded image has a home, too"


def test_a_program_of_any_size_counts_its_values_as_one_of_known_sizes_does():
    f = hybridize(stacked)
    w = np.ones((16, 16, 3, 3))
    for rows in (2, 3, 5):
        x = np.ones((rows, 16, 9, 9))
        f(x, w)
        assert dict(f.program(x, w).explain().layouts) == {"channels last": 1, "channels last, with a halo": 1}


def attention(q, k, v):
    return np.matmul(npx.softmax(np.matmul(q, np.swapaxes(k, -1, -2)) * 0.25), v)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_each_band_is_a_line(batch):
    """Kernels that run some rows at a time are named, as the schedule says them."""
    target = default_target()
    length = max(256, int((target.l2_bytes / 4 / (4 if batch else 1)) ** 0.5) // 8 * 8)
    x = np.ones((*batch, length, 16))
    made = hybridize(attention).program(x, x, x)
    report = made.explain()
    ((first, last, block, rows, members),) = report.bands
    assert (rows, members) == (length, *batch) if batch else (rows, members) == (length, 1)
    assert last - first == 2
    assert made.schedule().count(f"band 0: {block} of {rows} rows") == 3
    (line,) = [text for word, text in report.facts if word == "band"]
    assert line.startswith(f"kernels {first} to {last}: {block:,} of {rows:,} rows")
    assert len(line) < WIDTH - 15
    assert line in str(report)
    numbers = [number for number, kernel in enumerate(report.kernels) if kernel.ops != ("pack",)]
    assert numbers == [first, first + 1, last]


def test_a_band_of_a_size_that_calls_bring_is_told_at_the_size_of_a_call():
    f = hybridize(attention)
    for length in (1000, 1200, 1400):
        x = np.ones((2, length, 16))
        f(x, x, x)
    report = f.program(x, x, x).explain(x, x, x, profile=True)
    assert [(rows, members) for *_, rows, members in report.bands] == [(1400, 2)]


def test_a_program_without_bands_names_none():
    assert not explained(lambda x: x + 1.0, np.ones(5)).bands


def test_what_must_hold_takes_a_dozen_lines():
    class Box:
        pass

    box = Box()
    for k in range(40):
        setattr(box, f"a{k}", k + 0.5)

    @hybridize
    def function(x):
        for k in range(40):
            x = x * getattr(box, f"a{k}")
        return x

    function(np.ones(3))
    report = function.programs()[0].explain()
    lines = [line for line in str(report).splitlines() if line.split()[:2] == ["valid", "while"]]
    assert len(lines) == MOST_CONDITIONS + 1
    assert len(set(report.valid)) >= 40
    assert lines[-1].split()[2:5] == ["and", str(len(set(report.valid)) - MOST_CONDITIONS), "others:"]
