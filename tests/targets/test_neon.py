"""The loops of AArch64 code, read in LLVM's assembly: nothing spills, and tiles are multiply-adds by lane.

python tests/targets/test_neon.py    write the golden instructions anew: for a change that is meant to change them
"""

import dataclasses
import functools
import itertools
import random
from collections import Counter
from pathlib import Path

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float32, float64, int16, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm import engine
from hybridize.codegen.llvm.objects import assembly, version
from hybridize.codegen.llvm.program import build
from hybridize.compiler.measuring import EXPERIMENTS
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule.contraction import panels
from tests.targets.loops import innermost
from tests.targets.test_aarch64 import emulated

TARGET = named_target("aarch64-linux")
GOLDEN = Path(__file__).with_name("neon.txt")
GENERIC = dataclasses.replace(TARGET, by_lane=False, adds_in_place=False, cpu="generic")
"""The same machine by the general emitter: elements are broadcast one by one, polynomials add constants."""


def itself(y):
    return y


def product(m, n, k, dtype, spec="mk,kn->mn", result=None, after=itself):
    """x times w, and what follows; a letter of the specification is a size."""
    sizes = {"m": m, "n": n, "k": k}
    shapes = [[sizes[letter] for letter in side] for side in spec.partition("->")[0].split(",")]
    kinds = [TensorType(tuple(shape), dtype) for shape in shapes]
    return PIPELINE.run(make_graph(lambda x, w: [after(ops.contract(spec, x, w, result=result))], kinds))


def convolution(channels, columns, side, window, dtype=float32, step=1, result=None, after=itself):
    kinds = [TensorType((1, channels, side, side), dtype), TensorType((columns, channels, window, window), dtype)]
    edge = (window // 2, window // 2)
    return PIPELINE.run(
        make_graph(lambda x, w: [after(ops.convolution(x, w, (step, step), (edge, edge), result=result))], kinds)
    )


def loops_of(graph, stable=(1,), target=TARGET):
    stable = [number for number in stable if number < len(graph.inputs)]
    return list(innermost(assembly(build(graph, target, stable=stable).module.text(), target)))


def tile(graph, **options):
    """The loop that multiplies most."""
    return max(loops_of(graph, **options), key=lambda loop: loop.products)


TILES = {
    # What is multiplied: the multiply-adds of a turn, and their least share of its vector instructions.
    "float32": (product(64, 256, 512, float32), 6 * 4 * 4, 0.87),
    "float32 in place": (product(64, 250, 512, float32), 6 * 4 * 4, 0.87),
    "float32, x by columns": (product(64, 256, 512, float32, "km,kn->mn"), 6 * 4, 0.85),
    "float32, w by columns": (product(300, 256, 512, float32, "mk,nk->mn"), 6 * 4 * 4, 0.87),
    "float32 of ten columns": (product(64, 10, 512, float32), 7 * 3 * 4, 0.86),
    "float64": (product(64, 256, 512, float64), 5 * 4 * 4, 0.86),
    "float64, x by columns": (product(64, 256, 512, float64, "km,kn->mn"), 6 * 4, 0.85),
    "float16": (product(64, 256, 512, float16), 5 * 4 * 4, 0.86),
    "bfloat16": (product(64, 256, 512, bfloat16), 5 * 4 * 4, 0.86),
    "int32": (product(64, 256, 512, int32), 6 * 4 * 4, 0.87),
    "pairs": (product(64, 256, 512, int16, result=int32), 5 * 4 * 4 * 2, 0.88),
    "a window": (convolution(64, 64, 28, 3), 7 * 3 * 4, 0.86),
    "a window of one": (convolution(64, 64, 28, 1), 7 * 3 * 4, 0.86),
    "a line of few channels": (convolution(1, 8, 28, 5), 12 * 2 * 5, 0.94),
    "a wide line": (convolution(3, 64, 56, 7), 7 * 3 * 4, 0.86),
    "a window with steps": (convolution(64, 64, 28, 3, step=2), 7 * 3 * 4, 0.86),
    "a window of float64": (convolution(64, 64, 28, 3, float64), 5 * 4 * 4, 0.85),
    "a window of pairs": (convolution(64, 64, 28, 3, int16, result=int32), 2 * 7 * 2 * 4, 0.85),
    "float16 of a few rows": (product(5, 256, 512, float16), 5 * 4 * 4, 0.73),
}


@pytest.mark.parametrize("name", TILES)
def test_tiles_are_multiply_adds_by_lane(name):
    graph, count, share = TILES[name]
    loop = tile(graph)
    assert loop.products == count
    assert loop.share >= share
    assert not loop.spills
    assert not loop.count("dup", "ld1r", "mov\tv"), "elements are lanes of what was loaded"


@pytest.mark.parametrize("rows", [1, 2])
def test_dot_products_of_few_rows_load_pairs(rows):
    """Several vectors of k a turn: an address with a register has no room for the number of the vector."""
    loop = tile(product(rows, 256, 512, float32, "mk,nk->mn"), stable=())
    assert loop.products == 16
    assert loop.count("ld") == loop.count("ldp") <= 10
    assert len(loop.body) <= 35


@pytest.mark.long
@pytest.mark.parametrize("name", TILES)
def test_tiles_have_fewer_instructions_for_a_multiply_add(name):
    graph, *_ = TILES[name]
    now, before = tile(graph), tile(graph, target=GENERIC)
    assert len(now.body) / now.products < len(before.body) / before.products


def test_rests_of_tiles_spill_nothing():
    """Terms beyond whole turns, and tiles of fewer rows and columns."""
    sizes = [(1, 7, 5), (3, 40, 11), (7, 17, 6), (13, 33, 29)]
    for (m, n, k), dtype in [*itertools.product(sizes, (float32, float64, int32)), ((9, 33, 3), float16)]:
        loops = [loop for loop in loops_of(product(m, n, k, dtype)) if loop.products]
        assert loops
        assert not [loop for loop in loops if loop.spills]


def gradient(number, images, channels, columns, side, dtype):
    """The gradient of a convolution by its first or second operand."""
    kinds = [TensorType((images, channels, side, side), dtype), TensorType((columns, channels, 3, 3), dtype)]
    forward = PIPELINE.run(make_graph(lambda x, w: [ops.convolution(x, w, (1, 1), ((1, 1), (1, 1)))], kinds))
    kinds.append(forward.outputs[0].type)
    return PIPELINE.run(make_graph(lambda x, w, g: ops.pullback(forward, [x, w], [g])[number : number + 1], kinds))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_random_contractions_spill_nothing(seed):
    some = random.Random(seed).choice
    dtype = some((float32, float32, float64, int32, float16, int16))
    result = int32 if dtype == int16 else None
    graphs = [
        convolution(
            some((1, 3, 4, 8, 16, 33)), some((4, 6, 10, 16, 30, 41)), some((5, 9, 14, 28)), some((1, 3, 5, 7)),
            dtype, step=some((1, 2)), result=result,
        ),
        product(
            some((1, 2, 5, 9, 17, 64)), some((1, 5, 12, 33, 100)), some((3, 16, 100)), dtype,
            some(("mk,kn->mn", "mk,nk->mn", "km,kn->mn")), result=result,
        ),
        gradient(some((0, 1)), some((1, 3)), some((1, 3, 16)), some((6, 16)), some((7, 12)), some((float32, float64))),
    ]  # fmt: skip
    for graph, stable in itertools.product(graphs, ((), (1,))):
        assert not [(loop.function, loop.spills) for loop in loops_of(graph, stable) if loop.products and loop.spills]


@pytest.mark.parametrize("columns", [6, 30, 10])
def test_columns_that_fill_no_register_take_no_branches(columns):
    """A branch for each lane reads its bit of the mask first."""
    for graph in (convolution(8, columns, 12, 3), product(20, columns, 64, float32)):
        for loop in loops_of(graph):
            assert not loop.count("umov", "tbz\tw", "tbnz\tw")


# Other loops


def of_elements(function, *dtypes):
    kinds = [TensorType((64, 256), dtype) for dtype in dtypes]
    return PIPELINE.run(make_graph(lambda *xs: [function(*xs)], kinds))


FUNCTIONS = ("exp", "exp2", "expm1", "tanh", "sigmoid", "log", "log1p", "log2", "erf")


@functools.cache
def loop_of_function(name):
    function = composites.gelu if name == "gelu" else getattr(ops, name)
    return max(loops_of(of_elements(function, float32)), key=lambda loop: loop.products)


@pytest.mark.parametrize("name", [*FUNCTIONS, "gelu"])
def test_functions_load_what_their_polynomials_add(name):
    """A multiply-add overwrites its sum: constants there are copied if they are in registers, loaded if they are not."""
    loop = loop_of_function(name)
    assert loop.products >= 8
    assert not loop.spills
    assert loop.count("mov\tv") <= 4
    assert loop.count("ldp", "ldr\tq") >= 6


CHAINS = {
    "a sum of two": of_elements(ops.add, float32, float32),
    "a quotient and a root": of_elements(lambda x, y: ops.sqrt(ops.div(x, y)), float32, float32),
    "a polynomial by hand": of_elements(
        lambda x, y: ops.add(ops.mul(ops.mul(x, y), x), ops.mul(y, y)), float64, float64
    ),
    "a sum of lines": of_elements(lambda x: ops.sum(x, (1,)), float32),
    "a sum of columns": of_elements(lambda x: ops.sum(x, (0,)), float32),
    "a largest of lines": of_elements(lambda x: composites.softmax(x, 1), float32),
    "softmax of columns": of_elements(lambda x: composites.softmax(x, 0), float32),
    "softmax of float16": of_elements(lambda x: composites.softmax(x, 1), float16),
    "logarithm of softmax": of_elements(lambda x: ops.log(composites.softmax(x, 1)), float32),
}


@pytest.mark.parametrize("name", CHAINS)
def test_loops_of_elements_spill_nothing(name):
    loops = [loop for loop in loops_of(CHAINS[name]) if len(loop.vectors) > 2]
    assert loops
    assert not [loop.spills for loop in loops if loop.spills]


@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.long)])
def test_loops_of_models_spill_nothing(models, many):
    """The chapter's nets, an LSTM, softmax, layer norm, attention, convolutions, integers: each, or each fourth."""
    made = list(models.MODELS.items())[:: 1 if many else 4]
    loops = [(name, loop) for name, make in made for loop in loops_of(make()[0], ()) if loop.vectors]
    assert len(loops) > (80 if many else 15)
    assert not [(name, loop.function, loop.spills) for name, loop in loops if loop.spills]


# All of it, written down


def instructions():
    """LLVM's release, and for each tile and function the instructions of the loop that multiplies most."""
    loops = {name: tile(graph) for name, (graph, *_) in TILES.items()}
    loops |= {name: loop_of_function(name) for name in (*FUNCTIONS, "gelu")}
    lines = [f"LLVM {version()}"]
    for name, loop in loops.items():
        counts = Counter(line.partition("\t")[0] for line in loop.body)
        words = ", ".join(
            f"{count} {word}" for word, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        )
        lines.append(f"{name}: {len(loop.body)}: {words}")
    return "\n".join(lines) + "\n"


@pytest.mark.long
def test_instructions_are_what_was_written_down():
    found, wanted = instructions(), GOLDEN.read_text()
    if found.partition("\n")[0] != wanted.partition("\n")[0]:
        pytest.skip(f"{wanted.partition(chr(10))[0]} wrote the instructions")
    assert found == wanted, "if it is meant to: python tests/targets/test_neon.py"


# The parts


@pytest.mark.parametrize("lanes", [2, 4])
def test_vectors_of_lanes_read_nothing_but_elements(lanes):
    """Every choice of places out of nine: each is in the vector that it names, and vectors have no other places."""
    for chosen in itertools.product((False, True), repeat=9):
        places = {4 * number for number, one in enumerate(chosen) if one}
        windows = panels.windows(places, 4, lanes)
        assert windows.keys() == places
        for place, window in windows.items():
            assert place == window.start + 4 * window.lane
            assert {window.start + 4 * lane for lane in range(window.lanes)} <= places
            assert window.lanes & (window.lanes - 1) == 0
            assert 0 <= window.lane < window.lanes <= lanes


def test_a_run_of_elements_takes_as_few_vectors_as_it_can():
    for length in range(1, 30):
        windows = panels.windows({100 + 8 * number for number in range(length)}, 8, 4)
        starts = {window.start for window in windows.values()}
        wide = 4 if length >= 4 else 2 if length >= 2 else 1
        assert len(starts) == -(-length // wide)


@pytest.mark.parametrize("dtype", [float32, float64, int32])
def test_the_tallest_tiles_fill_the_registers(dtype):
    arithmetic = Arithmetic(dtype, TARGET)
    of_row = 4 // arithmetic.lanes  # vectors of four terms
    for vectors in range(1, 9):
        rows = panels.tile_rows(arithmetic, vectors)
        assert rows * (vectors + of_row) + min(vectors, 2) <= 32
        assert (rows + 1) * (vectors + of_row) + min(vectors, 2) > 32
    assert panels.tile_rows(arithmetic, 4) == (6 if of_row == 1 else 5)
    assert panels.tile_rows(arithmetic, 4, along_k=False) == 6


# The target


class Told:
    """What LLVM tells of a processor whose model ends the process over pairs of loads."""

    get_host_cpu_name = staticmethod(lambda: "oryon-1")
    get_host_cpu_features = staticmethod(lambda: {"neon": True, "dotprod": True, "sve": False})


def test_a_host_has_its_own_features_and_the_schedule_of_the_target(monkeypatch):
    monkeypatch.setattr(engine, "binding", lambda: Told)
    monkeypatch.setattr(engine, "runnable", lambda: ("aarch64",))
    host = engine.host_target.__wrapped__()
    assert host.cpu == TARGET.cpu
    assert host.features == f"{TARGET.features},+dotprod,+neon,-sve"
    assert (host.by_lane, host.adds_in_place) == (True, True)


def test_features_of_newer_processors_leave_tiles_as_they_are():
    features = "+sve,+sve2,+bf16,+i8mm,+dotprod,+fullfp16,+lse,+rdm"
    newer = dataclasses.replace(TARGET, features=f"{TARGET.features},{features}")
    for name in ("float32", "float64", "int32", "pairs", "a window"):
        graph, count, share = TILES[name]
        loop = tile(graph, target=newer)
        assert loop.products == count
        assert loop.share >= share
        assert not loop.spills


def test_terms_of_a_turn_are_not_measured_where_loads_bring_several():
    (unroll, packs) = EXPERIMENTS
    assert unroll.values(TARGET) == (1,)
    assert packs.values(TARGET) == (1, 4)
    assert unroll.values(named_target("avx512")) == (1, 2)


# The numbers


def jobs():
    """A small sample of what takes lanes, with inputs: rests of rows, columns and terms, windows, pairs, functions."""
    rng = numpy.random.default_rng(0)

    def drawn(graph):
        return graph, [
            numpy.asarray(9 * rng.standard_normal(one.type.shape)).astype(one.type.dtype) for one in graph.inputs
        ]

    graphs = [product(*size, dtype, spec) for size in ((13, 33, 29), (3, 7, 6), (1, 2, 9)) for dtype, spec in
              ((float32, "mk,kn->mn"), (float64, "km,kn->mn"), (int32, "mk,nk->mn"), (float16, "mk,kn->mn"))]  # fmt: skip
    graphs += [product(7, 21, 10, int16, result=int32), convolution(5, 10, 9, 3), convolution(1, 6, 12, 5),
               convolution(6, 20, 9, 3, float64, step=2), convolution(8, 9, 6, 3, int16, result=int32)]  # fmt: skip
    graphs += [of_elements(getattr(ops, name), float32) for name in ("exp", "tanh", "erf", "log1p")]
    graphs += [product(rows, 9, terms, float32, "mk,nk->mn") for rows in (1, 3) for terms in (21, 84)]
    graphs.append(convolution(3, 10, 8, 3, after=composites.gelu))
    graphs.append(product(9, 10, 12, float32, after=composites.gelu))
    return list(map(drawn, graphs))


@emulated
@pytest.mark.long
def test_lanes_change_no_bit(programs):
    """The order of sums is that of the general emitter, whose results lie near the reference."""
    made = jobs()
    found, plain = (programs(made, target).in_c() for target in (TARGET, GENERIC))
    for (graph, inputs), outputs, others in zip(made, found, plain, strict=True):
        for output, other, wanted in zip(outputs, others, evaluate(graph, inputs), strict=True):
            assert output.tobytes() == other.tobytes()
            scale = float(numpy.nanmax(abs(wanted.astype("f8"))))
            tolerance = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-12}.get(str(output.dtype), 0)
            assert numpy.nanmax(abs(output.astype("f8") - wanted.astype("f8"))) <= tolerance * max(1.0, scale)


if __name__ == "__main__":
    GOLDEN.write_text(instructions())
