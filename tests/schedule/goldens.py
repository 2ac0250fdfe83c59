"""The schedules of small graphs as text, one for each kind of kernel: tests/schedule/goldens/*.txt.

python tests/schedule/goldens.py           which differ
python tests/schedule/goldens.py --write   write them anew
"""

import sys
from pathlib import Path

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.machine.target import named_target
from hybridize.ops import composites
from hybridize.passes.inline import Inline

FOLDER = Path(__file__).parent / "goldens"


def f32(*shape):
    return TensorType(shape, float32)


def unknown(low=2):
    """A size that is not known."""
    scope = SizeScope()
    size = scope.symbol(9, low=low)
    scope.capturing = False
    return size


def schedule_of(function, *types, target="avx512", slots=1):
    """The schedule of a graph for a target that all machines know."""
    return scheduled(Inline()(ops.make_graph(function, types)), named_target(target), slots=slots)


def centred(x):
    m, n = ops.type_of(x).shape
    mean = ops.broadcast(ops.reshape(composites.mean(x, (1,)), (m, 1)), (m, n))
    return [ops.sub(x, mean)]


def both(x):
    y = ops.neg(x)
    return [y, ops.mul(y, y)]


def turned(x, y):
    return [ops.add(ops.transpose(x, (1, 0)), y)]


def each(function):
    return lambda *inputs: [function(*inputs)]


CASES = {
    "plain loop": lambda: schedule_of(each(ops.add), f32(4, 32), f32(4, 32)),
    "masked rest": lambda: schedule_of(each(ops.tanh), f32(100)),
    "unknown size": lambda: schedule_of(each(ops.neg), f32(unknown())),
    "unknown size without masks": lambda: schedule_of(each(ops.neg), f32(unknown()), target="baseline"),
    "tiles": lambda: schedule_of(turned, f32(44, 20), f32(20, 44), target="avx2"),
    "side by side": lambda: schedule_of(each(lambda x: ops.sum(x, (1,))), f32(9, 100)),
    "panels": lambda: schedule_of(each(lambda x: ops.sum(x, (0,))), f32(1000, 1100)),
    "rows with folds": lambda: schedule_of(centred, f32(9, 40)),
    "rows kept": lambda: schedule_of(each(lambda x: composites.softmax(x, 1)), f32(9, 40)),
    "rows of unknown size": lambda: schedule_of(centred, f32(9, unknown())),
    "rows fetched ahead": lambda: schedule_of(centred, f32(9, 1024)),
    "rows in lanes": lambda: schedule_of(each(lambda x: ops.reduce_max(x, (0,))), f32(9, 40)),
    "copy": lambda: schedule_of(each(lambda x: ops.slice(x, (0, 2), (5, 9), (1, 1))), f32(5, 10)),
    "cut by a select": lambda: schedule_of(lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(3, 4), f32(3, 5)),
    "several statements": lambda: schedule_of(both, f32(64)),
    "threads": lambda: schedule_of(each(ops.tanh), f32(1 << 20), slots=4),
}


def texts():
    """The text of each golden, by its file."""
    return {f"{name.replace(' ', '_')}.txt": f"{make()}\n" for name, make in CASES.items()}


def main():
    """Compare, or write."""
    now = texts()
    before = {path.name: path.read_text() for path in FOLDER.glob("*.txt")}
    differ = sorted(name for name in {**now, **before} if now.get(name) != before.get(name))
    if "--write" in sys.argv:
        for name in differ:
            if name in now:
                (FOLDER / name).write_text(now[name])
            else:
                (FOLDER / name).unlink()
    print(*differ, f"{len(differ)} of {len(now)} differ", sep="\n")


if __name__ == "__main__":
    main()
