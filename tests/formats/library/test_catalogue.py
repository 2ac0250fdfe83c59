"""Every op as a library, at every level, its arrays beside memory that may not be touched."""

import subprocess

import numpy
import pytest

from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.library.write import compiled

LEVELS = runnable()
BLOCKS = 12


@pytest.fixture
def together(tmp_path, libraries):
    """Many graphs in one shared library, each under a name of its own."""

    def make(graphs):
        objects = []
        for number, graph in enumerate(graphs):
            made = compiled(libraries.of_graph(graph, f"program{number}"))
            objects.append(tmp_path / f"program{number}.o")
            objects[-1].write_bytes(made.object)
        path = tmp_path / f"lib{libraries.fresh()}.so"
        subprocess.run(["cc", "-shared", "-o", path, *objects, "-lm"], check=True)
        return [libraries.Library([path, f"program{number}.h"]) for number in range(len(graphs))]

    return make


def outputs_of(library, libraries, guarded_module, inputs, level, at_end):
    """What a library gives for inputs that end, or begin, where nothing may be read."""
    room = guarded_module.Guarded(at_end)
    model = library.create(processor=level)
    try:
        given = [room.place(x.shape, x.dtype, x) for x in inputs]
        described = [library.description.outputs[k] for k in range(library.description.output_count)]
        shapes = library.sizes([x.shape for x in inputs])
        kinds = [libraries.dtype(one.dtype.decode()) for one in described]
        results = [room.place(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)]
        code = model.run(
            [at for _, at in given], [x.shape for x in inputs], [at for _, at in results], shapes
        )  # fmt: skip
        assert code == 0, library.error(code)
        for (x, _), y in zip(given, inputs, strict=True):
            numpy.testing.assert_array_equal(x, y)
        return [array.copy() for array, _ in results]
    finally:
        model.destroy()
        room.close()


def check(catalogue, cases, together, libraries, guarded_module, levels=LEVELS):
    made = together([catalogue.tests.graph_of(sample) for _, sample in cases])
    for level in levels:
        for at_end in (True, False):
            found = [
                outputs_of(library, libraries, guarded_module, sample.inputs, level, at_end)
                for library, (_, sample) in zip(made, cases, strict=True)
            ]
            catalogue.check(cases, found)


@pytest.mark.parametrize("block", range(2))
def test_ops_are_the_reference(block, catalogue, together, libraries, guarded_module):
    """A good part: each of them in the long run."""
    check(catalogue, catalogue.cases[block * 5 :: 16], together, libraries, guarded_module)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_op_is_the_reference(block, catalogue, together, libraries, guarded_module):
    check(catalogue, catalogue.cases[block::BLOCKS], together, libraries, guarded_module)


def test_models_are_the_reference(models, together, libraries, guarded_module):
    jobs = [make() for make in models.MODELS.values()]
    made = together([graph for graph, _ in jobs])
    from hybridize.ops import evaluate

    for level in LEVELS:
        for library, (graph, inputs) in zip(made, jobs, strict=True):
            found = outputs_of(library, libraries, guarded_module, inputs, level, True)
            models.check(graph, found, evaluate(graph, inputs))


def test_one_program_for_several_sizes(models, together, libraries, guarded_module):
    jobs, exact = models.of_any_length([2, 3, 16, 70])
    (library,) = together([jobs[0][0]])
    from hybridize.ops import evaluate

    for level in LEVELS:
        for graph, inputs in exact:
            found = outputs_of(library, libraries, guarded_module, inputs, level, True)
            models.check(graph, found, evaluate(graph, inputs))


def fuzzed(random_graphs, seeds, together, libraries, guarded_module):
    made = random_graphs.given(seeds)
    built = together([graph for _, graph, _ in made])
    for level in LEVELS:
        found = [
            outputs_of(library, libraries, guarded_module, [numpy.asarray(x) for x in inputs], level, True)
            for library, (_, _, inputs) in zip(built, made, strict=True)
        ]
        random_graphs.compare(made, found)


def test_random_graphs_agree(random_graphs, together, libraries, guarded_module):
    fuzzed(random_graphs, range(7000, 7012), together, libraries, guarded_module)


@pytest.mark.long
@pytest.mark.parametrize("block", range(4))
def test_many_random_graphs_agree(block, random_graphs, together, libraries, guarded_module):
    fuzzed(random_graphs, range(7100 + 50 * block, 7150 + 50 * block), together, libraries, guarded_module)
