# SPDX-License-Identifier: Apache-2.0
"""What LiteRT and TFLite for microcontrollers themselves answer, in a process of their own that has no hybridize.

    .litert/bin/python litert_process.py FOLDER KIND

runs N.tflite on the inputs `N STEP K` of in.npz, and writes the outputs by the same names to out.npz, or `N error`.
KIND: `default` is what users run, `reference` LiteRT's reference kernels, `micro` TFLite for microcontrollers.
"""

import sys
from pathlib import Path

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType

RESOLVERS = {"default": OpResolverType.AUTO, "reference": OpResolverType.BUILTIN_REF}


def lite(path, steps, kind):
    net = Interpreter(str(path), num_threads=1, experimental_op_resolver_type=RESOLVERS[kind])
    inputs, outputs = net.get_input_details(), net.get_output_details()
    for k, one in enumerate(inputs):
        if tuple(one["shape"]) != steps[0][k].shape:
            net.resize_tensor_input(one["index"], steps[0][k].shape)
    net.allocate_tensors()
    for xs in steps:
        for one, x in zip(inputs, xs, strict=True):
            net.set_tensor(one["index"], x)
        net.invoke()
        yield [net.get_tensor(one["index"]) for one in outputs]


def micro(path, steps):
    from tflite_micro.python.tflite_micro import runtime

    net = runtime.Interpreter.from_file(str(path))
    for xs in steps:
        for k, x in enumerate(xs):
            net.set_input(x, k)
        net.invoke()
        yield [net.get_output(0)]


def main(folder, kind):
    with numpy.load(folder / "in.npz") as data:
        arrays = dict(data)
    found = {}
    for number in range(sum(name.endswith("steps") for name in arrays)):
        path = folder / f"{number}.tflite"
        steps = [[] for _ in range(int(arrays[f"{number} steps"]))]
        for name, x in arrays.items():
            if name.startswith(f"{number} ") and not name.endswith("steps"):
                steps[int(name.split()[1])].append(x)
        try:
            results = list(micro(path, steps) if kind == "micro" else lite(path, steps, kind))
        except (RuntimeError, ValueError) as error:
            found[f"{number} error"] = numpy.array(str(error).strip().splitlines()[-1])
            continue
        found[f"{number} outputs"] = numpy.array(len(results[0]))
        found |= {f"{number} {step} {k}": y for step, ys in enumerate(results) for k, y in enumerate(ys)}
    numpy.savez(folder / "out.npz", **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
