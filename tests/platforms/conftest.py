"""An exported object and a program in C over it, which prints its results. These tests make their systems on Linux."""

import subprocess
import sys

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.gluon import nn

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
MAIN = """
#include <stdio.h>
#include "net.h"

int main(int count, char **words) {
    const net_options options = {.processor = count > 1 ? words[1] : NULL};
    float x[24];
    double output[4];
    for (int k = 0; k < 24; k++) x[k] = k / 8.0f - 1.0f;
    const void *inputs[] = {x};
    void *outputs[] = {output};
    net *model;
    int32_t code = net_create(&model, &options);
    if (!code) code = net_run(model, inputs, NULL, outputs, NULL);
    if (code) return fprintf(stderr, "%s", net_error(code)), 1;
    for (int k = 0; k < 4; k++) printf("%.9g ", output[k]);
    net_destroy(model);
    return 0;
}
"""


class Exported:
    """Files of a function, and what it gives."""

    def __init__(self, folder):
        self.folder = folder
        dense = nn.Dense(8, activation="tanh")
        dense.initialize()

        @hybridize
        def net(x):
            y, steps = dense(x), 0
            while np.abs(y).max() > 0.01:  # data decides
                y, steps = np.sin(y) * 0.5, steps + 1
            special = npx.erf(x).sum(), np.exp(x).sum(), npx.gamma(x * 0.1 + 4).sum(), y.sum() + steps
            return np.stack(special).astype("float64")

        x = np.array((numpy.arange(24) / 8 - 1).reshape(3, 8).astype("float32"))
        self.result = net(x).asnumpy()
        net.export(folder / "net", format="object")
        net.export(folder / "shared" / "net", format="library")
        (folder / "main.c").write_text(MAIN)

    def build(self, *words):
        """Compile the program."""
        subprocess.run([*words, "main.c", "-lm", "-o", "main"], cwd=self.folder, check=True)

    def run(self, *words, fails=False):
        """Run the program in an emulator, or by itself; return what it says where it fails."""
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        text = "\n".join(line for line in done.stderr.splitlines() if "TCG doesn't" not in line)
        if fails:
            assert done.returncode == 1
            return text
        assert done.returncode == 0, text
        numpy.testing.assert_allclose([float(word) for word in done.stdout.split()], self.result, rtol=1e-5)
        return text


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    (folder / "shared").mkdir()
    return Exported(folder)
