"""Makes the two models that the programs of this folder run, and what they should give.

    python examples/deploy/make_models.py [FOLDER]

For each model NAME: libNAME.so with NAME.h, NAME.wasm with NAME.mjs and NAME.d.mts, and its arrays as raw little-endian
files (NAME.input.f32, NAME.output.f32, ...), which every language reads, and as .npy. FOLDER is `models`, beside this
file, unless given.
"""

import sys
from pathlib import Path

import numpy

import hybridize
from hybridize import np
from hybridize.gluon import nn

RAW = {"float32": "f32", "int64": "i64"}


class FixedPoint(nn.HybridBlock):
    """Applies a layer to its own result until nothing changes any more: the data decides how often."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Dense(16)

    def forward(self, data: np.ndarray) -> dict[str, np.ndarray]:
        state = np.zeros_like(data)
        change, steps = 1.0, 0
        while change > 1e-4:
            after = np.tanh(self.layer(state) + data)
            change = np.abs(after - state).max()
            state = after
            steps = steps + 1
        if state.mean() < 0:
            state = -state
        return {"state": state, "steps": steps}


def get_mlp() -> nn.HybridSequential:
    """The chapter's multilayer perceptron: 512 -> 256 -> 128 -> 2."""
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net


def save(path: Path, array: numpy.ndarray) -> None:
    """The array as `path.f32` or `path.i64`, bytes and no more, and as `path.npy`."""
    numpy.save(f"{path}.npy", array)
    array.astype(array.dtype.newbyteorder("<")).tofile(f"{path}.{RAW[array.dtype.name]}")


def make_mlp(folder: Path) -> nn.HybridBlock:
    """`mlp`: data [1,512], or any number of rows, to output [rows,2]."""
    net = get_mlp()
    net.initialize()
    one, batch = (np.random.normal(size=(rows, 512)) for rows in (1, 64))
    for name, data in (("mlp", one), ("mlp.batch", batch)):
        save(folder / f"{name}.input", data.asnumpy())
        save(folder / f"{name}.output", net(data).asnumpy())
    net.hybridize()
    for rows in (1, 64, 32):  # the second and third differ: any number of rows from here on
        net(np.random.normal(size=(rows, 512)))
    return net


def make_steps(folder: Path) -> nn.HybridBlock:
    """`steps`: data [rows,16] to state [rows,16] and the number of steps that it took, an int64."""
    net = FixedPoint()
    net.initialize()
    data = np.random.normal(size=(4, 16))
    result = net(data)
    save(folder / "steps.input", data.asnumpy())
    save(folder / "steps.output", result["state"].asnumpy())
    save(folder / "steps.count", numpy.array(result["steps"], dtype=numpy.int64))
    net.hybridize()
    for rows in (4, 7):
        net(np.random.normal(size=(rows, 16)))
    return net


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "models")
    folder.mkdir(parents=True, exist_ok=True)
    hybridize.random.seed(0)
    for name, make in (("mlp", make_mlp), ("steps", make_steps)):
        net = make(folder)
        for form in ("library", "wasm"):
            print(net.export(str(folder / name), format=form))


if __name__ == "__main__":
    main()
