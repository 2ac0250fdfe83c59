"""Jaxprs as JSON: programs with arguments and JAX's results, so that they are run where there is no JAX.

PYTHONPATH=. .jax/bin/python tests/formats/jaxpr/stored.py    writes them anew
"""

import json
import sys
from pathlib import Path

import numpy

from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Node, Port
from hybridize.formats.jaxpr.rows import JAXPR

FOLDER = Path(__file__).parent / "programs"


def array_of(data):
    code, shape, values = data
    return numpy.array(values, BY_CODE[code]).reshape(shape)


def data_of(array):
    values = array.reshape(-1)
    if values.size > 8 and (values == values[0]).all():
        values = values[:1]
        return [CODES[array.dtype], [*array.shape], values.tolist() * array.size]
    return [CODES[array.dtype], [*array.shape], [round(x, 7) if isinstance(x, float) else x for x in values.tolist()]]


def _port_data(port):
    return [port.name, "" if port.dtype is None else CODES[port.dtype], len(port.shape)]


def _port(data):
    name, code, ndim = data
    return Port(name, BY_CODE[code] if code else None, (None,) * ndim)


def _value_data(value):
    if isinstance(value, ForeignGraph):
        return {"graph": graph_data(value)}
    return [_value_data(one) for one in value] if isinstance(value, tuple) else value


def _value(data):
    if isinstance(data, dict):
        return graph(data["graph"])
    return tuple(_value(one) for one in data) if isinstance(data, list) else data


def graph_data(graph):
    return {
        "inputs": [_port_data(port) for port in graph.inputs],
        "nodes": [
            [
                node.op,
                [*node.inputs],
                [*node.outputs],
                {name: _value_data(one) for name, one in node.attributes.items()},
            ]
            for node in graph.nodes
        ],
        "outputs": [_port_data(port) for port in graph.outputs],
        "constants": {name: data_of(array) for name, array in graph.constants.items()},
        "declared": [_port_data(port) for port in graph.declared.values()],
    }


def graph(data):
    nodes = tuple(
        Node(op, tuple(inputs), tuple(outputs), {name: _value(one) for name, one in attributes.items()})
        for op, inputs, outputs, attributes in data["nodes"]
    )
    return ForeignGraph(
        tuple(map(_port, data["inputs"])), nodes, tuple(map(_port, data["outputs"])),
        {name: array_of(one) for name, one in data["constants"].items()},
        {port[0]: _port(port) for port in data["declared"]},
    )  # fmt: skip


def read(path):
    """The program, its arguments and what JAX gives for them."""
    data = json.loads(path.read_text())
    program = ForeignProgram(path.stem, JAXPR, graph(data["program"]))
    return program, [array_of(one) for one in data["arguments"]], [array_of(one) for one in data["results"]]


def write():
    """Write the programs of some functions."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "jax"))
    import jax
    from comparing import programs

    from hybridize.jax.reading import program_of

    names = [
        "attention", "rnn", "newton_root", "several_branches", "own_gradient", "gradient_of_scan", "dropout", "largest",
        "convolution_and_pooling", "indexed_update", "second_order", "linear_recurrence", "graph_network",
        "beam_step", "rematerialized",
    ]  # fmt: skip
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        function, arguments = programs()[name]
        leaves, tree = jax.tree.flatten(arguments(2))
        closed = jax.make_jaxpr(lambda *xs, f=function, t=tree: jax.tree.leaves(f(*jax.tree.unflatten(t, xs))))(*leaves)
        program, _ = program_of(name, closed, {})
        assert not program.weights
        results = jax.tree.leaves(function(*arguments(2)))
        data = {
            "program": graph_data(program.graph),
            "arguments": [data_of(numpy.asarray(x)) for x in leaves],
            "results": [data_of(numpy.asarray(x)) for x in results],
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(data, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    write()
