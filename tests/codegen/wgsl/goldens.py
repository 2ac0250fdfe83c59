"""Kernels in WGSL as text, one file for each kind: tests/codegen/wgsl/goldens/*.wgsl

python tests/codegen/wgsl/goldens.py           which differ
python tests/codegen/wgsl/goldens.py --write   write them anew
"""

import sys
from pathlib import Path

from hybridize import ops
from hybridize.base.dtypes import bool_, float16, int32, int64, uint32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.wgsl.binding import WgslBinder
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from tests.schedule import goldens
from tests.schedule.goldens import f32, unknown

FOLDER = Path(__file__).parent / "goldens"


def of(dtype, *shape):
    return TensorType(shape, dtype)


def any_rows():
    rows = unknown()
    return lambda x, y: [ops.add(x, y)], f32(rows, 3), f32(rows, 3)


CASES = {
    "each index a thread": (lambda x, y: [ops.add(ops.mul(x, y), x)], f32(4, 300), f32(4, 300)),
    "rows in blocks": (goldens.softmax_over(1), f32(4, 1000)),
    "rows as threads": (goldens.softmax_over(0), f32(3, 300)),
    "a product": (goldens.dense, f32(40, 20), f32(20, 50), f32(50)),
    "bytes": (lambda x, y: [ops.lt(x, y), ops.where(ops.lt(x, y), x, y)], f32(40), f32(40)),
    "halves": (lambda x: [ops.add(x, x)], of(float16, 40)),
    "64 bits": (lambda x, y: [ops.mul(x, y), ops.floor_div(x, y)], of(int64, 40), of(int64, 40)),
    "indices of 64 bits": (lambda x: [ops.arg_max(x, 1)], f32(9, 5)),
    "flags in blocks": (lambda x: [ops.all(x, (1,))], of(bool_, 9, 1000)),
    "numbers of 64 bits inside": (lambda x: [ops.arcsinh(x)], f32(40)),
    "exact differences": (lambda x: [ops.log1p(x)], f32(40)),
    "sizes of the call": any_rows(),
    "words": (lambda x, y: [ops.bit_xor(x, y)], of(uint32, 40), of(uint32, 40)),
    "divisions": (lambda x, y: [ops.mod(x, y)], of(int32, 40), of(int32, 40)),
}


def text_of(name: str) -> str:
    function, *types = CASES[name]
    binder = WgslBinder()
    call = binder.bind(build_kernels(PIPELINE.run(ops.make_graph(function, types)), named_target("webgpu")))
    work = "".join(f"// {one}\n" for one in call.work)
    return f"{binder.text()}\n{work}"


def path_of(name: str) -> Path:
    return FOLDER / f"{name.replace(' ', '_')}.wgsl"


def main() -> None:
    from tests.records import check_tree

    own = Path(__file__).resolve().parents[1] / "codegen.py"  # a folder below those of the other scripts
    check_tree(str(own))
    FOLDER.mkdir(exist_ok=True)
    for name in CASES:
        text, path = text_of(name), path_of(name)
        if path.exists() and path.read_text() == text:
            continue
        print(f"differs: {path.name}")
        if "--write" in sys.argv:
            path.write_text(text)


if __name__ == "__main__":
    main()
