"""What `test_arm64.py` and `test_windows.py` run on two platforms.

`exchanged.py write FOLDER TARGETS`, `exchanged.py read FILE`, `exchanged.py call`
"""

import sys
from pathlib import Path

import numpy

import hybridize
from hybridize import np, npx
from hybridize.gluon import nn

EXPORTS = {
    "object": ("x86_64-linux", "aarch64-linux", "x86_64-windows", "x86_64-macos", "aarch64-macos"),
    "wasm": (None,),
}
X = np.array(numpy.linspace(-1, 1, 5 * 64, dtype="f4").reshape(5, 64))


def get_net():
    """A net of these weights, hybridized."""
    net = nn.HybridSequential()
    net.add(nn.Dense(48, activation="relu"), nn.Dense(7))
    net.initialize()
    net(X)
    for number, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(np.array(numpy.random.default_rng(number).normal(size=parameter.shape).astype("f4")))
    net.hybridize()
    return net


def write(folder, *targets):
    """Export a net to every platform, and save a function with code for these targets."""
    net = get_net()
    net(X)
    for kind, platforms in EXPORTS.items():
        for platform in platforms:
            place = Path(folder, platform or kind)
            place.mkdir(parents=True)
            net.export(place / "net", format=kind, **({"targets": platform} if platform else {}))
    w = np.array(numpy.linspace(0, 1, 64 * 16, dtype="f4").reshape(64, 16))
    f = hybridize.hybridize(lambda x: npx.softmax(np.tanh(x) @ w))
    f(X)
    f.save(Path(folder, "f"), targets=targets)
    numpy.save(Path(folder, "results.npy"), numpy.concatenate([net(X).asnumpy(), f(X).asnumpy()], axis=1))


def read(file):
    """Run the code of an archive; say whether LLVM was needed."""
    f = hybridize.load(file, images=True)
    wanted = numpy.load(Path(file).with_name("results.npy"))[:, 7:]
    numpy.testing.assert_allclose(f(X).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    print("llvmlite" in sys.modules)


def call():
    """Compile, or find in the cache; say whether LLVM was needed."""
    f = hybridize.hybridize(lambda x: npx.softmax(np.tanh(x) @ x.T))
    x = X.asnumpy()
    exact = numpy.exp(numpy.tanh(x) @ x.T)
    numpy.testing.assert_allclose(f(X).asnumpy(), exact / exact.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)
    print("llvmlite" in sys.modules)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
