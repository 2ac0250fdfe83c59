"""Steps that run a few rows at a time, one after the other: which do, and that the bits are the same."""

import dataclasses
import importlib.util
import itertools
from pathlib import Path

import numpy
import pytest
from hybridize_bench import training_workloads
from hybridize_bench.peers.ours import step_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hybridize import autograd, hybridize, np, npx, ops
from hybridize.base.dims import SizeScope, hint
from hybridize.codegen.llvm import program
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.compiler.profile import step_seconds
from hybridize.loops.index import Interner, Space
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.passes import PIPELINE
from hybridize.programs.donation import updates_of
from hybridize.schedule import banding, schedule, thresholds
from hybridize.schedule.bands import Access, BandMember, run_of
from hybridize.schedule.steps import Address, LoopStep
from tests.samples import sampled
from tests.schedule.goldens import f32

ROOT = Path(__file__).parents[2]

SMALL = dataclasses.replace(host_target(), l2_bytes=256 << 10)
"""This machine with a small second-level cache, so that small programs have bands."""


def numbers(seed, *shapes):
    rng = numpy.random.default_rng(seed)
    return [rng.normal(size=shape).astype("f4") for shape in shapes]


def graph_of(function, *types):
    """The graph of a function of operands, ready to be scheduled."""
    return PIPELINE.run(make_graph(function, types))


def captured(function, *inputs):
    """The graph of a function of arrays."""
    return PIPELINE.run(hybridize(function).program(*map(np.array, inputs)).capture.graph)


def bands(graph, target=SMALL, slots=1, stable=()):
    """The number of the band of each step; None for a step that is in none."""
    return [
        step.in_blocks.number if step.in_blocks is not None else None
        for step in scheduled(graph, target, stable=stable, slots=slots).steps
        if step.provenance.ops != ("pack",)
    ]


def scratch(graph, target=SMALL):
    return scheduled(graph, target).scratch_bytes


def without_bands(graph, inputs, stable=()):
    """What a program gives whose steps run one after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(banding, "find_runs", lambda members, target, threads, fits: [])
        other = dataclasses.replace(SMALL, l1_bytes=SMALL.l1_bytes + 64)  # another key among compiled programs
        assert set(bands(graph, other, stable=stable)) == {None}
        return compiled(graph, other, stable=stable).run(inputs)


def check(graph, inputs, stable=(), threads=1):
    """Run a program with bands; its results are to the bit those of one without."""
    wanted = without_bands(graph, inputs, stable)
    found = compiled(graph, SMALL, stable=stable, threads=threads).run(inputs)
    for one, other in zip(found, wanted, strict=True):
        numpy.testing.assert_array_equal(one, other)
    return wanted


# Products


def layers(residual=False, twice=False):
    """Products one after the other, each with something after it."""

    def net(x, *weights):
        first = x
        for number, w in enumerate(weights):
            y = ops.matmul(x, w, False, True)
            y = ops.max(y, ops.like(0.0, y)) if number % 2 else ops.tanh(y)
            alike = ops.type_of(y).shape == ops.type_of(first).shape
            x = ops.add(y, first) if residual and alike else y
        return [x, ops.neg(x)] if twice else [x]

    return net


def chain_of(rows, sizes, **how):
    kinds = [(rows, sizes[0]), *((b, a) for a, b in itertools.pairwise(sizes))]
    return graph_of(layers(**how), *(f32(*shape) for shape in kinds)), kinds


def test_products_of_many_rows_share_a_band():
    graph, kinds = chain_of(600, (64, 64, 64, 128))
    assert bands(graph, stable=range(1, len(kinds))) == [0, 0, 0]
    text = str(scheduled(graph, SMALL, stable=range(1, 4)))
    assert "band 0: 72 of 600 rows at a time; one block at " in text
    assert "calls of 72 of 600 rows" in text


@pytest.mark.parametrize(
    ("rows", "sizes", "why"),
    [
        (24, (64, 64, 64), "few rows stay near anyway"),
        (600, (64, 64, 2), "a narrow product sums along memory"),
        (600, (256, 256, 256), "matrices that fill the cache"),
    ],
)
def test_others_do_not(rows, sizes, why):
    graph, kinds = chain_of(rows, sizes)
    assert bands(graph, stable=range(1, len(kinds))) == [None] * (len(sizes) - 1), why


def test_threads_share_the_blocks_of_a_band():
    graph, kinds = chain_of(20_000, (64, 64, 64))
    steps = scheduled(graph, SMALL, stable=range(1, len(kinds)), slots=2).steps
    first, second = (step.part.band for step in steps)
    assert first == second
    assert first.split.slots == 2
    assert first.units >= 8
    assert all(step.split is None for step in steps)


@settings(max_examples=6, deadline=None)
@given(
    st.integers(100, 700),
    st.lists(st.sampled_from([64, 128]), min_size=3, max_size=5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_bits_of_products_are_the_same(rows, sizes, residual, twice, packed, threads):
    graph, kinds = chain_of(rows, sizes, residual=residual, twice=twice)
    check(graph, numbers(rows, *kinds), range(1, len(kinds)) if packed else (), threads)


def test_long_chains_are_several_bands():
    graph, kinds = chain_of(1000, (32,) * 41)
    found = bands(graph, stable=range(1, len(kinds)))
    assert None not in found
    assert max(map(found.count, found)) == 16
    check(graph, numbers(0, *kinds), range(1, len(kinds)))


def test_matrices_are_packed_before_the_band():
    graph, _ = chain_of(600, (64, 64, 64))
    steps = scheduled(graph, SMALL).steps
    assert [step.provenance.ops[0] for step in steps] == ["pack", "pack", "matmul", "matmul"]
    assert [step.part is None for step in steps] == [True, True, False, False]


# Attention


def attention(q, k, v, mask=None, causal=False):
    """As people write it, of [..., position, channel]."""
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * 0.25
    if mask is not None:
        scores = np.where(mask, scores, -1e9) if mask.dtype == bool else scores + mask
    if causal:
        places = np.arange(q.shape[-2])
        scores = np.where(places[:, None] >= places[None, :], scores, -1e9)
    return np.matmul(npx.softmax(scores), v)


def reference(q, k, v, mask=None, causal=False):
    scores = q.astype("f8") @ numpy.swapaxes(k, -1, -2) * 0.25
    if mask is not None:
        scores = numpy.where(mask, scores, -1e9) if mask.dtype == bool else scores + mask
    if causal:
        scores = numpy.where(numpy.tri(q.shape[-2]), scores, -1e9)
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


MASKS = ("none", "rows", "batch", "heads", "keys")


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from([(), (3,), (2, 2)]),
    st.integers(190, 330),
    st.sampled_from([16, 24, 40]),
    st.sampled_from(MASKS),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_attention(batch, length, channels, kind, boolean, causal, threads):
    q, k, v = numbers(length, *[(*batch, length, channels)] * 3)
    whole = (*batch, length, length)
    shape = {
        "none": None,
        "rows": (length, length),
        "batch": whole,
        "heads": (*batch[:1], *(1 for _ in batch[1:]), length, length),
        "keys": (*(1 for _ in batch), 1, length),
    }[kind]
    inputs = [q, k, v]
    if shape is not None:
        mask = numbers(1, shape)[0]
        inputs.append(mask > -1 if boolean else mask)
    graph = captured(lambda *all: attention(*all, causal=causal), *inputs)
    assert set(bands(graph)) == {0}
    packed = 4 * numpy.prod(batch) * channels * -(-length // 64) * 64  # keys, in panels
    assert scratch(graph) < 4 * numpy.prod(whole) + packed
    (found,) = check(graph, inputs, threads=threads)
    numpy.testing.assert_allclose(found, reference(*inputs, causal=causal), rtol=1e-4, atol=1e-5)


def test_the_scores_of_attention_are_nowhere_as_a_whole():
    """Scratch grows with the length of the sequence, not with its square."""
    target = named_target("avx512")
    sizes = []
    for length in (1024, 2048, 4096):
        graph = graph_of(
            lambda q, k, v: [ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 2), v)],
            *[f32(8, length, 64)] * 3,
        )
        assert set(bands(graph, target)) == {0}
        packed = length * 64 * 4  # of one head: they are done in turn
        sizes.append(scratch(graph, target) - packed)
    assert max(sizes) < 4 << 20  # the scores of a head would be 64 MiB
    assert sizes[2] < 5 * sizes[0]


def test_attention_of_heads_within_rows():
    """[batch, position, head, channel], the transposed operands made where people make them."""

    def heads(q, k, v):
        q, k = (x.transpose(0, 2, 1, 3) for x in (q, k))
        weights = npx.softmax(np.matmul(q, k.transpose(0, 1, 3, 2)) * 0.25)
        y = np.matmul(weights, v.transpose(0, 2, 1, 3))
        return y.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)

    inputs = numbers(0, *[(2, 200, 3, 32)] * 3)
    graph = captured(heads, *inputs)
    assert scratch(graph) < 4 * 2 * 3 * 200 * 200 // 2
    (found,) = check(graph, inputs)
    wanted = reference(*(x.transpose(0, 2, 1, 3) for x in inputs)).transpose(0, 2, 1, 3).reshape(2, 200, 96)
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@settings(max_examples=5, deadline=None)
@example("bhtd", 1, 2, 190, 1, True)
@given(
    st.sampled_from(["bhtd", "bthd", "tbhd"]),
    st.integers(1, 3),
    st.integers(2, 4),
    st.integers(190, 330),
    st.sampled_from([1, 2]),
    st.booleans(),
)
def test_matrices_are_packed_for_one_member_after_the_other(order, batch, heads, length, threads, shared):
    """However they lie, and what is packed is read by later steps, too. Bits are those of one after the other."""
    sizes = {"b": batch, "h": heads, "t": length, "d": 32}
    shapes = [tuple(sizes[axis] for axis in order)] * 3
    if shared:  # keys and values that all heads of a member read
        shapes[1:] = [tuple(1 if axis == "h" else sizes[axis] for axis in order)] * 2

    def made(q, k, v):
        of = [ops.transpose(x, tuple(order.index(axis) for axis in "bhtd")) for x in (q, k, v)]
        whole = ops.type_of(of[0]).shape
        a, b, c = (ops.broadcast(x, whole) for x in of)
        weights = composites.softmax(ops.matmul(a, b, False, True), 3)
        return [ops.matmul(weights, c), ops.mul(k, ops.add(v, v)), ops.matmul(ops.tanh(a), b, False, True)]

    graph, inputs = graph_of(made, *(f32(*shape) for shape in shapes)), numbers(length, *shapes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "MEMBER_BLOCKS", 1)
        parts = [step.part for step in scheduled(graph, SMALL, slots=threads).steps if isinstance(step, LoopStep)]
        in_turn = any(part is not None and part.packs and part.band.cut.in_turn for part in parts)
        assert in_turn == (batch > 1 or not shared)  # matrices that all members share are packed once
        target = dataclasses.replace(SMALL, l1_bytes=SMALL.l1_bytes + 128)  # a key of its own among compiled programs
        found = compiled(graph, target, threads=threads).run(inputs)
    for one, other in zip(found, without_bands(graph, inputs), strict=True):
        numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("slots", [1, 2])
def test_packed_matrices_do_not_grow_with_the_batch(slots):
    """There is memory for those of one member, where each has enough blocks for all threads."""
    target, found = named_target("avx512"), []
    for batch in (2, 8, 32):
        graph = graph_of(
            lambda q, k, v: [ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 2), v)],
            *[f32(batch, 4096, 64)] * 3,
        )
        found.append(scheduled(graph, target, slots=slots).scratch_bytes)
    assert len(set(found)) == 1


def test_few_blocks_are_shared_by_threads_all_at_once():
    """Threads do not wait at the end of each member where that has few blocks."""
    graph = graph_of(
        lambda q, k, v: [ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 2), v)], *[f32(8, 512, 64)] * 3
    )
    in_turn = [
        {step.part.band.cut.in_turn for step in scheduled(graph, SMALL, slots=slots).steps if step.part is not None}
        for slots in (1, 4)
    ]
    assert in_turn == [{True}, {False}]


@pytest.mark.parametrize(
    ("shapes", "lengths"),
    [
        (lambda n: [(n, 300, 32)] * 3, (2, 5)),
        (lambda n: [(n, 32)] * 3, (2, 7, 23, 24, 47, 48, 49, 333)),
        (lambda n: [(2, n, 32)] * 3, (2, 25, 71, 193)),
    ],
    ids=["batch", "length", "length of a batch"],
)
def test_attention_of_a_size_that_only_calls_know(shapes, lengths):
    scope = SizeScope()
    size = scope.symbol(300, low=2)
    scope.capturing = False

    def scaled(q, k, v):
        scores = ops.matmul(q, k, False, True)
        scores = ops.mul(scores, ops.like(0.25, scores))
        return [ops.matmul(composites.softmax(scores, ops.type_of(scores).ndim - 1), v)]

    graph = graph_of(scaled, *(f32(*shape) for shape in shapes(size)))
    assert set(bands(graph)) == {0}
    executable = compiled(graph, SMALL)
    assert "n0*n0" not in str(executable.plan.scratch_bytes)
    for length in lengths:
        inputs = numbers(length, *shapes(length))
        numpy.testing.assert_allclose(executable.run(inputs)[0], reference(*inputs), rtol=1e-4, atol=1e-5)


def test_weights_that_are_wanted_too():
    """What others want of a band has all its memory."""

    def both(q, k, v):
        weights = npx.softmax(np.matmul(q, k.T))
        return np.matmul(weights, v), np.matmul(weights.T, v), weights

    inputs = numbers(0, *[(300, 32)] * 3)
    graph = captured(both, *inputs)
    assert bands(graph).count(0) == 3
    found, turned, weights = check(graph, inputs)
    numpy.testing.assert_allclose(weights.sum(1), 1, rtol=1e-5)
    numpy.testing.assert_allclose(weights @ inputs[2], found, rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(weights.T @ inputs[2], turned, rtol=1e-4, atol=1e-4)


def test_attention_in_a_branch():
    def either(q, k, v, flag):
        if flag > 0:
            return np.matmul(npx.softmax(np.matmul(q, k.T) * 0.25), v)
        return v * 2.0

    q, k, v = numbers(0, *[(300, 32)] * 3)
    program = hybridize(either).program(*map(np.array, (q, k, v, numpy.float32(1))))
    graph = PIPELINE.run(program.capture.graph)
    executable = compiled(graph, SMALL)
    (found,) = executable.run([q, k, v, numpy.asarray(1, "f4")])
    numpy.testing.assert_allclose(found, reference(q, k, v), rtol=1e-4, atol=1e-5)
    assert executable.scratch_bytes < 300 * 300 * 4
    numpy.testing.assert_array_equal(executable.run([q, k, v, numpy.asarray(-1, "f4")])[0], v * 2)


# Loops


def normal_then_dense(x, gain, shift, w):
    return np.dot(npx.layer_norm(x, gain, shift), w)


def block(x, gain, shift, w, back):
    """What follows attention: normalised, made wide, bent, made narrow, added."""
    return x + np.dot(npx.gelu(np.dot(npx.layer_norm(x, gain, shift), w)), back)


@pytest.mark.parametrize("rows", [700, 1000, 1009])
def test_rows_are_normalised_just_before_a_product_reads_them(rows):
    inputs = numbers(rows, (rows, 96), (96,), (96,), (96, 64))
    graph = captured(normal_then_dense, *inputs)
    assert bands(graph) == [0, 0]
    assert scratch(graph) < rows * 96 * 4 // 2
    x, gain, shift, w = inputs
    normal = (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(check(graph, inputs)[0], (normal * gain + shift) @ w, rtol=1e-3, atol=1e-3)


def test_norm_product_bend_product():
    inputs = numbers(0, (800, 64), (64,), (64,), (64, 160), (160, 64))
    graph = captured(block, *inputs)
    assert bands(graph) == [0, 0, 0]
    check(graph, inputs)


STEPS = {
    "softmax": lambda x: composites.softmax(x, 1),
    "bend": ops.tanh,
    "long": lambda x: long_chain(x),
    "mean": lambda x: ops.sub(x, ops.broadcast(ops.reshape(composites.mean(x, (1,)), (rows_of(x), 1)), shape_of(x))),
}


def shape_of(x):
    return ops.type_of(x).shape


def rows_of(x):
    return shape_of(x)[0]


def long_chain(x):
    for _ in range(40):
        x = ops.sin(ops.add(x, x))
    return x


@settings(max_examples=6, deadline=None)
@given(
    st.integers(200, 900),
    st.lists(st.sampled_from([64, 100]), min_size=2, max_size=4),
    st.lists(st.sampled_from(sorted(STEPS)), min_size=4, max_size=4),
    st.booleans(),
)
def test_random_chains(rows, sizes, words, first):
    def net(x, *weights):
        x = STEPS[words[0]](x) if first else x
        for w, word in zip(weights, words[1:], strict=False):
            x = STEPS[word](ops.matmul(x, w))
        return [x]

    kinds = [(rows, sizes[0]), *itertools.pairwise(sizes)]
    graph = graph_of(net, *(f32(*shape) for shape in kinds))
    check(graph, numbers(rows, *kinds))


def test_a_gradient_of_attention():
    inputs = numbers(0, *[(300, 32)] * 3, (300, 32))
    made = make_graph(
        lambda q, k, v: [ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 1), v)], [f32(300, 32)] * 3
    )
    graph = graph_of(lambda q, k, v, g: ops.pullback(made, [q, k, v], [g]), *[f32(300, 32)] * 4)
    check(graph, inputs)


# What must not be


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda y, w: composites.softmax(y, 0), "a fold over the rows"),
        (lambda y, w: ops.matmul(y, w, True, False), "a product that sums over the rows"),
        (lambda y, w: ops.matmul(w, y), "a product that reads them all as its matrix"),
        (lambda y, w: long_chain(ops.transpose(y, (1, 0))), "columns"),
        (lambda y, w: long_chain(ops.flip(y, 0)), "rows in another order"),
    ],
)
def test_rows_that_depend_on_others(function, why):
    graph = graph_of(lambda x, w: [ops.matmul(function(ops.matmul(x, w), w), w)], f32(300, 300), f32(300, 300))
    target = dataclasses.replace(SMALL, l2_bytes=1 << 20)
    assert bands(graph, target)[0] is None, why
    check(graph, numbers(0, (300, 300), (300, 300)))


def access(memory, index, written, elements=64 * 8):
    return Access(memory, elements, 4, index, written)


def test_memory_that_another_value_takes_over():
    """A matrix that a step reads whole, whose memory a later one stores its rows in."""
    space = Space(Interner(), {0: 64, 1: 8, 2: 8})
    own, whole = space.flat((space.axis(0), space.axis(1)), (64, 8)), space.flat((space.axis(2), space.axis(1)), (8, 8))
    one, two, three = (Address("input", slot, 0) for slot in range(3))

    def member(number, *accesses):
        return BandMember(number, space, accesses, (0,), 1, lambda axes: True, 0, 0, ())

    first = member(0, access(one, own, False), access(three, whole, False), access(two, own, True))
    assert run_of([first, member(1, access(two, own, False), access(three, own, True))]) is None
    assert run_of([first, member(1, access(two, own, False), access(one, own, True))]) is not None


def test_updates_in_place():
    """A new value is not stored over an old one that earlier steps of its band read."""

    def step(x, state, w):
        return [ops.matmul(ops.tanh(ops.matmul(x, state)), w)]

    kinds = (600, 600), (600, 64), (64, 64)
    graph, inputs = graph_of(step, *(f32(*shape) for shape in kinds)), numbers(0, *kinds)
    target = dataclasses.replace(SMALL, l2_bytes=512 << 10)
    assert bands(graph, target) == [0, 0]
    apart = compiled(graph, target, updates={0: 1})
    assert apart.plan.updates == ()
    (found,) = apart.run(inputs)
    numpy.testing.assert_allclose(found, numpy.tanh(inputs[0] @ inputs[1]) @ inputs[2], rtol=1e-3, atol=1e-3)
    # Without a band the same offer is taken.
    assert compiled(graph, dataclasses.replace(SMALL, l2_bytes=8 << 20), updates={0: 1}).plan.updates == ((0, 1),)


def test_narrow_addresses_hold_all_rows():
    """Where addresses are narrow no pointer is made to before its memory."""
    graph, _ = chain_of(4000, (64, 64, 64))
    wide, narrow = named_target("avx512"), dataclasses.replace(named_target("avx512"), pointer_bytes=4)
    assert bands(graph, wide) == bands(graph, narrow) == [0, 0]
    assert scratch(graph, wide) < 4000 * 64 * 4 < scratch(graph, narrow)


# Memory


def replayed():
    spec = importlib.util.spec_from_file_location("replay", ROOT / "tests" / "codegen" / "replay.py")
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    return replay


def of_nets():
    """The graphs of the replayed corpus, with options of `scheduled`."""
    replay = replayed()
    for _, graph, options in (*replay.nets(), *replay.gates(), *replay.banded()):
        yield PIPELINE.run(graph), options


def of_trainings():
    """The training steps that are timed, whose new weights take the place of the old ones and whose do not."""
    for training in training_workloads.TRAININGS.values():
        layers, batches = training_workloads.arrays(training)
        program = hybridize(step_of(training, layers), threads=1).program(*map(np.array, batches[0]))
        graph = PIPELINE.run(program.capture.graph)
        yield graph, {}
        yield graph, {"updates": updates_of(program.capture)}


def of_examples():
    """What a program of examples/training compiles, whose whole step is one program."""
    found = []

    def recorded(graph, target, slots=1, known=None, updates=None):
        found.append((graph, {"stable": tuple(known), "updates": updates}))
        return schedule(graph, target, slots, known, updates)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "schedule", recorded)
        patch.setenv("HYBRIDIZE_CACHE", "0")
        spec = importlib.util.spec_from_file_location("training_mlp", ROOT / "examples" / "training" / "mlp.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.train(compiled="step", epochs=1)
    assert any(options["updates"] for _, options in found)
    yield from found


def of_chains():
    """Chains of products, wide and narrow."""
    for sizes in ((32,) * 41, (256, 16, 256), (16, 256, 16), (64, 512, 64, 512), (48, 48, 96, 96, 48)):
        for stable in (False, True):
            graph, kinds = chain_of(3000, sizes, twice=stable)
            yield graph, {"stable": range(1, len(kinds)) if stable else ()}
        pulled = gradient_of(layers(), kinds)
        yield graph_of(pulled, *(f32(*shape) for shape in (*kinds, (3000, sizes[-1])))), {}


def gradient_of(net, kinds):
    made = make_graph(net, [f32(*shape) for shape in kinds])
    return lambda *inputs: ops.pullback(made, inputs[:-1], inputs[-1:])


def peak(graph, target, **options):
    """The bytes of a call as it is expected."""
    made = scheduled(graph, target, **options)
    apart = set(range(len(graph.outputs))) - dict(made.plan.updates).keys()
    return hint(made.scratch_bytes) + sum(hint(graph.outputs[number].type.nbytes) for number in apart)


MACHINES = [
    named_target("avx512"),
    dataclasses.replace(named_target("avx512"), l1_bytes=48 << 10, l2_bytes=2 << 20, unroll=2, packs_from=1),
    dataclasses.replace(named_target("avx2"), l2_bytes=256 << 10),
]


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_taken_over_within_a_band(threads):
    """What outlives a band lies where rows were that it reads for the last time; two blocks serve all that is between."""
    graph, kinds = chain_of(10_000, (32,) * 41)
    steps = scheduled(graph, SMALL, stable=range(1, len(kinds)), slots=threads).steps
    second = [step for step in steps if step.part.band.number == 1]
    assert len(second) == 16
    assert second[0].addresses[0] == second[-1].addresses[2]
    assert len({step.addresses[2] for step in second[:-1]}) == 2
    assert (second[0].part.band.split is not None) == (threads > 1)
    check(graph, numbers(0, *kinds), range(1, len(kinds)), threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_what_takes_memory_over_keeps_it_for_who_takes_it_next(kept, threads):
    """The sums of a Transformer go from band to band, one in the place of the other; somebody reads one long after."""
    inputs = numbers(kept, (300, 32), (32, 32), (32, 64), (64, 32))

    def normalized(y):
        y = y - y.mean(axis=1, keepdims=True)
        return y / np.sqrt((y * y).mean(axis=1, keepdims=True) + 1e-3)

    def encoder(x, w, w1, w2):
        sums = [x * 2]
        for _ in range(4):
            y = normalized(sums[-1])
            y = sums[-1] + (y @ y.T) @ y * 1e-2 @ w * 0.1
            sums.append(y + np.maximum(normalized(y) @ w1, 0) @ w2 * 0.01)
        return normalized(sums[-1]) + (sums[kept] * 3)[::-1]

    graph = captured(encoder, *inputs)
    assert len(set(bands(graph, stable=(1, 2, 3))) - {None}) >= 4
    check(graph, inputs, (1, 2, 3), threads)


@pytest.mark.parametrize("corpus", sampled([of_nets, of_trainings, of_examples, of_chains], 4))
def test_bands_cost_no_memory(corpus):
    """A program needs at most a few per cent more with bands than without."""
    seen = set()
    for graph, options in corpus():
        for target, slots in itertools.product(MACHINES, (1, 2)):
            how = {**options, "slots": slots}
            found = peak(graph, target, **how)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(banding, "find_runs", lambda members, target, threads, fits: [])
                alone = peak(graph, target, **how)
            assert found <= 1.04 * alone, (str(graph), target.l2_bytes, slots)
            seen.add(found - alone)
    assert corpus in (of_trainings, of_examples) or min(seen) < 0


# Reports


def test_each_step_of_a_band_has_its_part_of_the_time():
    inputs = numbers(0, *[(400, 32)] * 3)
    graph = captured(attention, *inputs)
    executable = compiled(graph, SMALL)
    times = step_seconds(graph, SMALL, executable, inputs, seconds=0.01)
    assert len(times) == len(executable.kernels) == 4
    assert min(times[1:]) > 0


@pytest.mark.parametrize("shape", [(128, 0, 128), (0, 64, 256), (256, 64, 0), (300, 0, 1), (0, 0, 0)])
def test_products_of_nothing_are_in_no_band(shape):
    m, k, n = shape

    def forms(a, b):
        return (a * 2) @ b, npx.relu((a[:, :] * 2) @ (b * 3)), np.maximum(a @ b, 0) @ np.ones((n, 64))

    a, b = np.zeros((m, k)), np.zeros((k, n))
    for found, wanted in zip(hybridize(forms)(a, b), forms(a, b), strict=True):
        assert found.shape == wanted.shape
        assert not found.asnumpy().any()


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_gradients_of_a_batch_of_any_rows(rows):
    def layers(x, w, w2):
        return np.maximum(x @ w, 0) @ w2

    found = []
    for call in (hybridize(layers), layers):
        arrays = [np.ones(shape) * 0.5 for shape in ((rows, 64), (64, 256), (256, 64))]
        for one in arrays:
            one.attach_grad()
        with autograd.record():
            y = call(*arrays)
        y.backward()
        found.append([one.grad.asnumpy() for one in arrays])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sizes", [(5, 60), (60, 5), (8, 128)])
def test_rows_of_products_that_lie_among_those_of_others(sizes, threads):
    """Steps first, then the batch: rows of one matrix do not lie together, so no block of them does."""
    batch, time = sizes
    inputs = numbers(batch, (batch, time, time), (batch, time, 48), (time, batch, 48))

    def function(p, x, z):
        products = np.matmul(p, x), np.matmul(p.swapaxes(1, 2), x), np.matmul(np.tanh(p), x)
        return np.tanh(z + sum(np.transpose(y, (1, 0, 2)) for y in products))

    check(captured(function, *inputs), inputs, threads=threads)
