"""The benchmark of exported programs: its parts on programs whose answers are known, then the whole in small."""

import dataclasses
import shutil

import numpy
import pytest
from hybridize_bench import bench, c_calls, deployment, report
from hybridize_bench.peers import ARCHIVE, ARTIFACTS, CHAPTER, EXPORTED, KERNEL, LIBRARY, WASM, Artifact
from hybridize_bench.sampling import sample

from hybridize import hybridize, np
from hybridize.compiler.compile import compile

QUICK = bench.BenchOptions(rounds=1, seconds=0.01, cpu=0, only=("ONNX",))
ROWS = {one.name: one for one in ARTIFACTS}

# A library by hand: doubles two numbers; refuses another size than 2, and a processor that it does not know.
TWICE = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { const char *weights, *processor; void *parallel_for, *context; int32_t threads; } twice_options;
static int32_t living;
int32_t twice_living(void) { return living; }
int32_t twice_create(void **model, const twice_options *options) {
  if (options && options->processor && strcmp(options->processor, "avx2")) return 7;
  *model = malloc(8);
  living++;
  return 0;
}
int32_t twice_run(void *model, const void *const *inputs, const int64_t *input_sizes, void *const *outputs,
                  const int64_t *output_sizes) {
  if (!model || input_sizes[0] != 2 || output_sizes[0] != 2) return 258;
  for (int i = 0; i < 2; i++) ((float *)outputs[0])[i] = 2 * ((const float *)inputs[0])[i];
  return 0;
}
void twice_destroy(void *model) { free(model); living--; }
const char *twice_error(int32_t code) { return code == 7 ? "no such processor" : "input 0: axis 0 must be 2"; }
"""


@pytest.fixture(scope="module")
def harness(system, tmp_path_factory):
    system("cc")
    path = tmp_path_factory.mktemp("harness") / "calls.so"
    return c_calls.Harness(str(deployment.compiled("calls.c", path, QUICK, "-shared", "-fPIC")))


@pytest.fixture
def twice(harness, tmp_path):
    source = tmp_path / "twice.c"
    source.write_text(TWICE)
    return c_calls.TimedLibrary(
        harness, deployment.compiled(str(source), tmp_path / "libtwice.so", QUICK, "-shared", "-fPIC"), "twice"
    )


TWO = numpy.array([1, 2], numpy.float32)


def test_a_library_is_called_and_timed(twice):
    model = c_calls.TimedModel(twice, [TWO], [2 * TWO])
    assert 0 < model.timeit(1000) < 1
    assert model.outputs[0].tolist() == [2, 4]
    samples, _ = sample(model, 0.005)
    assert all(0 < seconds < 1e-3 for seconds in samples)
    model.destroy()


def test_models_are_made_and_given_back(twice):
    seconds = twice.seconds_of_creates(20)
    assert len(seconds) == 20
    assert all(0 <= one < 1 for one in seconds)
    assert twice.functions.twice_living() == 0


def test_codes_are_errors(twice):
    with pytest.raises(OSError, match="no such processor"):
        c_calls.TimedModel(twice, [TWO], [TWO], "baseline")
    model = c_calls.TimedModel(twice, [numpy.ones(3, numpy.float32)], [TWO], "avx2")
    with pytest.raises(OSError, match=r"axis 0 must be 2 \(258\)"):
        model.timeit(10)


def test_machine_code_alone_is_called_with_arrays_of_its_own(harness):
    weight = np.array([[1.0, 2.0], [3.0, 4.0]])
    function = hybridize(lambda x: np.dot(x, weight) + 1, freeze=True)
    function(np.array([[1.0, 1.0]]))
    graph = function.saved().signatures[0].graph
    one = numpy.ones((1, 2), numpy.float32)
    program = compile(graph)
    kernel = c_calls.TimedProgram(harness, program, [one], program.constants)
    assert 0 < kernel.timeit(100) < 1
    assert kernel.outputs[0].tolist() == [[5, 7]]


@pytest.mark.parametrize("name", c_calls.CASES)
def test_cases_are_right_before_they_are_timed(name, tmp_path):
    case = c_calls.CASES[name](tmp_path)
    found = case.program(*map(np.array, case.inputs))
    found = [numpy.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
    c_calls.check(name, found, case.expected)
    with pytest.raises(ValueError, match="output 0 is wrong"):
        c_calls.check(name, [found[0] + 1, *found[1:]], case.expected)


@pytest.fixture
def one_process_each(monkeypatch):
    monkeypatch.setattr(deployment, "PROCESSES_EACH", 1)


@pytest.mark.long
@pytest.mark.usefixtures("one_process_each")
def test_files_start_in_fresh_processes(system):
    system("cc", "node")
    rows = {row.name: row for row in deployment.starts(QUICK)}
    assert rows[ARCHIVE].error == ""
    assert len(rows[ARCHIVE].rounds) == 1
    assert 0 < rows["ONNX Runtime, .onnx"].median < 60
    assert "LiteRT, .tflite" not in rows
    assert rows[deployment.PROGRAM].error == ""
    assert rows[deployment.PROGRAM].median >= rows[deployment.FIRST_CREATE].median
    assert rows[deployment.WASM_START].error == ""


@pytest.mark.long
@pytest.mark.usefixtures("one_process_each")
def test_sizes_are_those_of_files_and_processes(system):
    system("cc", "node")
    found, notes = deployment.sizes(QUICK)
    rows = {row.name: row for row in found}
    weights = 4 * (512 * 256 + 256 + 256 * 128 + 128 + 128 * 2 + 2)
    assert f"the weights of {weights:,} bytes" in notes[0]
    for name, row in rows.items():
        assert row.error == "", name
    assert rows[f"{ARCHIVE}: mlp.hybridize"].besides == weights
    assert rows[f"{LIBRARY}: libmlp.so"].beyond > 0
    assert rows[f"{ARCHIVE}: {deployment.RESIDENT}"].beyond > 1 << 20
    assert rows[f"{ARCHIVE}: {deployment.PEAK}"].nbytes >= rows[f"{ARCHIVE}: {deployment.RESIDENT}"].nbytes


@pytest.mark.long
def test_calls_are_timed_beside_the_kernel(system):
    system("cc", "node")
    chosen = dataclasses.replace(QUICK, only=(CHAPTER, "7 rows"))
    found = {row.name: row for row in deployment.calls(chosen)}
    cases = {name.partition(": ")[0] for name in found if KERNEL in name}
    assert cases == {CHAPTER, "MLP, any batch, 7 rows"}
    for case in cases:
        for row in (KERNEL, EXPORTED):
            assert found[f"{case}: {row}"].error == ""
            assert len(found[f"{case}: {row}"].rounds) == 1
    assert len(found[deployment.CREATE].rounds[0]) == c_calls.CREATES
    assert found[deployment.WASM_CALL].error == ""


def test_a_wrong_first_result_is_not_timed():
    wrong = Artifact("wrong", "", "", "numpy", "", ("x.npy",), "", "y = x[:, :2] * 0")
    with deployment.arrays() as data, pytest.raises(OSError, match="wrong result"):
        deployment.in_python(wrong, data, QUICK)


def test_what_cannot_be_written_is_a_line_of_the_table(monkeypatch):
    lost = dataclasses.replace(ROWS[ARCHIVE], mode="no such mode")
    elsewhere = dataclasses.replace(ROWS[ARCHIVE], name="elsewhere", files=("another.file",))
    monkeypatch.setattr(deployment, "ARTIFACTS", (lost, elsewhere))
    first, second = deployment.starts(QUICK)
    assert "no such mode" in first.error
    assert second.error == "another.file was not written"


def test_no_compiler_and_no_node_are_lines_of_the_table(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(deployment, "ARTIFACTS", (ROWS[WASM],))
    monkeypatch.setattr(deployment, "write", lambda *arguments: "")
    errors = [row.error for row in deployment.calls(QUICK)]
    assert errors == ["there is no C compiler `cc` here", "there is no `node` here"]


def test_a_process_that_fails_says_why():
    with pytest.raises(OSError, match="ended with 3: broken"):
        deployment.finished(["sh", "-c", "echo broken >&2; exit 3"], QUICK)


def test_tables_and_goals():
    kernel = bench.Measurement(f"{CHAPTER}: {KERNEL}", [[4e-6], [5e-6]])
    library = bench.Measurement(f"{CHAPTER}: {EXPORTED}", [[4.4e-6], [5.5e-6]])
    broken = bench.Measurement("broken", error="no")
    grid = report.deployed("deploy-calls", [kernel, library, broken, broken], ())
    assert [row[3] for row in grid.rows] == ["1.00 ×", "1.10 ×", "", ""]
    assert grid.notes == ("broken and 1 more: no",)
    size = bench.Amount(f"{LIBRARY}: libmlp.so", 1_000_000, 700_000)
    memory = bench.Amount(f"{ARCHIVE}: {deployment.RESIDENT}", 100 << 20, 70 << 20)
    grid = report.deployed("deploy-sizes", [size, memory, bench.Amount("lost", error="why")], ["note"])
    assert grid.rows[0] == (size.name, "976.6 KiB", "293.0 KiB")
    assert grid.rows[1][1:] == ("100.0 MiB", "30.0 MiB")
    assert grid.notes == ("note", "lost: why")
    goals = report.goals({"deploy-calls": [kernel, library, broken], "deploy-sizes": [size, memory]})
    assert [row[-1] for row in goals.rows] == ["must", "no", "must"]
