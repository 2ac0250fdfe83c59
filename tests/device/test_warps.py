"""Shuffles, matrices and products of warps, against loops of Python."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.device.written import faulty, module, tried

EACH = "mul.wide.u32 %rd9, %r93, 4; add.s64 %rd2, %rd9, %rd61; add.s64 %rd1, %rd9, %rd60; ld.global.u32 %r1, [%rd2];"
VALUES = (np.arange(96, dtype=np.uint32) * 2654435761) ^ 12345
DRAWN = settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])


def warped(body: str, threads: int = 48, blocks: int = 2, x: np.ndarray = VALUES) -> list[int]:
    """Return what %r2 is at last, of each thread; %r1 is its number of x."""
    text = module(f"{EACH} {body} st.global.u32 [%rd1], %r2;", ("u64 out", "u64 x"))
    (out,) = tried(text, blocks, threads, [x], [np.empty(blocks * threads, np.uint32)])
    return out.tolist()


def source(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Return the lane from which a shuffle reads, and whether it is inside, as the ISA's text has it."""
    b, clamp, segments = b & 31, c & 31, c >> 8 & 31
    highest, lowest = (lane & segments) | (clamp & ~segments), lane & segments
    other = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": lowest | (b & ~segments)}[mode]
    inside = other >= highest if mode == "up" else other <= highest
    return (other if inside else lane), inside


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles(mode):
    @DRAWN
    @given(st.integers(0, 40), st.sampled_from([0, 31, 7, 0x1F00, 0x1800, 0x1807, 0x181F, 0x1C03]))
    def check(b, c):
        body = f"shfl.sync.{mode}.b32 %r2|%p1, %r1, {b}, {c}, -1; selp.u32 %r3, 1, 0, %p1; xor.b32 %r2, %r2, %r3;"
        want = []
        for k in range(64):
            lane, inside = source(mode, k % 32, b, c)
            want.append(int(VALUES[k - k % 32 + lane]) ^ inside)
        assert warped(body, threads=64, blocks=1) == want

    check()


def test_a_shuffle_waits_for_all_of_its_warp():
    """Half of a warp comes by a long way; the other half waits for it."""
    body = """
        and.b32 %r3, %r93, 1; setp.eq.u32 %p1, %r3, 0;
        mov.u32 %r2, %r1;
        @%p1 bra $join;
        mov.u32 %r4, 0;
    $again:
        add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r93; @%p2 bra $again;
        xor.b32 %r2, %r2, 7;
    $join:
        shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;
    """
    assert warped(body, threads=64, blocks=1) == [int(VALUES[k ^ 1]) ^ (0 if k & 1 else 7) for k in range(64)]


def test_lanes_that_ended_are_not_waited_for():
    body = """
        mov.u32 %r2, 9; st.global.u32 [%rd1], %r2; and.b32 %r3, %r93, 31; setp.ge.u32 %p1, %r3, 16; @%p1 ret;
        shfl.sync.bfly.b32 %r2, %r1, 3, 31, -1;
    """
    assert warped(body, threads=64, blocks=1) == [int(VALUES[k ^ 3]) if k % 32 < 16 else 9 for k in range(64)]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("and.b32 %r3, %r93, 1; setp.eq.u32 %p1, %r3, 0; mov.u32 %r2, 0; @%p1 bra $on; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; bra $on; $on: bar.sync 0;", "waits for threads of its warp"),
        ("shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000fffe;", "warps meet with all of their threads"),
        ("shfl.sync.idx.b32 %r2, %r1, 40, 31, -1; shfl.sync.idx.b32 %r2, %r1, 20, 31, -1;", "reads a thread that is not here"),
        ("shfl.bfly.b32 %r2, %r1, 1, 31;", "its modifiers are not known"),
        ("shfl.sync.bfly.u32 %r2, %r1, 1, 31, -1;", "its modifiers are not known"),
    ],
    ids=range(5),
)  # fmt: skip
def test_shuffles_with_threads_that_do_not_come(body, words):
    with faulty(words):
        warped(body, threads=48, blocks=1)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_matrices_of_shared_memory(count, is_transposed):
    """Each matrix has 8 rows of 16 bytes; a lane gets two neighbours of row lane / 4, or of that column."""
    names = ", ".join(f"%r{10 + k}" for k in range(count))
    lines = [f"st.global.b32 [%rd1+{4 * k}], %r{10 + k};" for k in range(count)]
    body = f"""
        .shared .align 16 .b8 room[512];
        mov.u64 %rd3, room; mul.wide.u32 %rd4, %r93, 16; add.s64 %rd5, %rd3, %rd4; add.s64 %rd2, %rd4, %rd61;
        ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd2]; st.shared.v4.b32 [%rd5], {{%r1, %r2, %r3, %r4}};
        bar.sync 0;
        ldmatrix.sync.aligned.m8n8.x{count}{".trans" if is_transposed else ""}.shared.b16 {{{names}}}, [%rd5];
        mul.wide.u32 %rd1, %r93, {4 * count}; add.s64 %rd1, %rd1, %rd60; {" ".join(lines)}
    """
    halves = np.arange(256, dtype=np.uint16)
    (out,) = tried(module(body, ("u64 out", "u64 x")), 1, 32, [halves], [np.empty((32, count, 2), np.uint16)])
    for k, matrix in enumerate(halves.reshape(4, 8, 8)[:count]):
        rows = matrix.T if is_transposed else matrix
        assert (out[:, k].reshape(8, 4, 2).reshape(8, 8) == rows).all()


DEPTHS = {"bf16": 16, "f16": 16, "tf32": 8}
"""Terms of a product, by the format of factors."""


def fragments(matrix: np.ndarray, kind: str, is_right: bool) -> np.ndarray:
    """Return the registers of a factor, one row a lane: the tables of the ISA, element by element."""
    packs, rows = (1 if kind == "tf32" else 2), matrix.T if is_right else matrix
    depth = rows.shape[1]
    registers = []
    for lane in range(32):
        words = []
        for k in range(0, depth, 4 * packs):
            for r in range(1 if is_right else 2):
                row, first = lane // 4 + 8 * r, k + packs * (lane % 4)
                words.append(rows[row, first : first + packs])
        registers.append(words)
    return np.ascontiguousarray(np.array(registers))


@pytest.mark.parametrize(("kind", "depth"), DEPTHS.items())
def test_products_of_tensor_units(kind, depth):
    import ml_dtypes

    random = np.random.default_rng(0)
    left, right = random.standard_normal((16, depth)), random.standard_normal((depth, 8))
    narrow = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "tf32": np.float32}[kind]
    left, right = left.astype(narrow), right.astype(narrow)
    if kind == "tf32":
        left, right = ((x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (left, right))
    total = random.standard_normal((16, 8)).astype(np.float32)
    a, b = fragments(left, kind, False), fragments(right, kind, True)
    a, b = (np.ascontiguousarray(x.reshape(32, -1)).view(np.uint32) for x in (a, b))
    c = np.array(
        [[total[lane // 4 + 8 * r, 2 * (lane % 4) + i] for r in range(2) for i in range(2)] for lane in range(32)],
        total.dtype,
    )
    c = np.ascontiguousarray(c).view(np.uint32)
    lines, names = [], []
    for n, x in enumerate((a, b, c)):
        lines += [f"mul.wide.u32 %rd9, %r93, {4 * x.shape[1]}; add.s64 %rd9, %rd9, %rd{61 + n};"]
        lines += [f"ld.global.b32 %r{8 * n + k}, [%rd9+{4 * k}];" for k in range(x.shape[1])]
        names.append(f"{{{', '.join(f'%r{8 * n + k}' for k in range(x.shape[1]))}}}")
    target = f"{{{', '.join(f'%r{30 + k}' for k in range(c.shape[1]))}}}"
    lines.append(f"mma.sync.aligned.m16n8k{depth}.row.col.f32.{kind}.{kind}.f32 {target}, {', '.join(names)};")
    lines.append(f"mul.wide.u32 %rd9, %r93, {4 * c.shape[1]}; add.s64 %rd9, %rd9, %rd60;")
    lines += [f"st.global.b32 [%rd9+{4 * k}], %r{30 + k};" for k in range(c.shape[1])]
    text = module("\n".join(lines), ("u64 out", "u64 a", "u64 b", "u64 c"))
    (out,) = tried(text, 1, 32, [a, b, c], [np.empty((32, 2, 2), total.dtype)])
    want = left.astype(np.float64) @ right.astype(np.float64) + total
    result = np.empty((16, 8))
    for lane in range(32):
        for r in range(2):
            result[lane // 4 + 8 * r, 2 * (lane % 4) : 2 * (lane % 4) + 2] = out[lane, r]
    np.testing.assert_array_equal(result, want.astype(total.dtype))


@pytest.mark.parametrize(
    ("body", "threads", "words"),
    [
        ("mov.u32 %r2, 0; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r3, %r4, %r5, %r6}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r2, %r2, %r2, %r2};", 32, "a factor is not rounded to tf32"),
        ("mov.u32 %r2, 0; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r3, %r4, %r5, %r6}, {%r2, %r2, %r2, %r2}, {%r2, %r2}, {%r2, %r2, %r2, %r2};", 48, "a part of a warp"),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd3, %rd4}, {%rd3}, {%rd3}, {%rd3, %rd4};", 32, "this product is not known"),
        ("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r2}, [%r1];", 32, "its modifiers are not known"),
    ],
    ids=range(4),
)  # fmt: skip
def test_what_is_refused_of_warps(body, threads, words):
    with faulty(words):
        warped(body, threads, blocks=1)
