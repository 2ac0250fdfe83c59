"""Libraries from C: headers that are strict C99 and C++, programs that leak nothing and read nothing beyond arrays."""

import re
import shutil
import signal
import subprocess

import ml_dtypes
import numpy
import pytest

from hybridize import np, npx

NUMBER = r"[-+]?(?:\d|nan|inf)\S*"


def normal(*shape):
    return np.array(numpy.random.default_rng(shape).standard_normal(shape).astype("f4"))


def example(library):
    """The program in the comment at the head of a header."""
    head = library.files[1].read_text().partition("*/")[0]
    lines = [line.removeprefix(" *     ") for line in head.splitlines() if line.startswith(" *     ")]
    return [f'#include <stdio.h>\n#include "{library.name}.h"\nint main(void) {{', *lines, "return code != 0; }\n"]


def many_types(x, y, n, class_, half, brain):
    return x + 1, {"float": x > 0, "model": y * n}, class_ // 2, half * 2, brain * 2


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("kind", ["fixed", "sized", "beside", "random", "types", "nothing"])
def test_the_example_in_the_header_compiles_and_runs(library, compile_c, kind, language):
    w = normal(4, 4)
    match kind:
        case "fixed" | "beside":
            made = library(lambda x: np.dot(x, w), (normal(2, 4),), weights="inside" if kind == "fixed" else kind)
        case "sized":
            made = library(lambda data: npx.relu(data), (normal(2, 4),), (normal(3, 4),))
        case "random":
            made = library(lambda x: x + np.random.uniform(size=(3,)), (normal(3),))
        case "nothing":  # goes in
            made = library(lambda: np.random.uniform(size=(3,)), ())
        case _:
            half, brain = (normal(5).astype(dtype) for dtype in ("float16", ml_dtypes.bfloat16))
            integers = np.array([4, 5], dtype="int64")
            made = library(many_types, (normal(3), normal(2, 2), 3, integers, half, brain))
    lines = example(made)
    assert len(lines) <= 9 + made.description.input_count + made.description.output_count + 3
    # As in the comment, which knows nothing of the `//` that C++ and C99 have in common with it.
    program = compile_c("\n".join(lines), made, language=language)
    done = subprocess.run([program], cwd=made.files[0].parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_macros_tell_the_numbers_of_elements(library, compile_c):
    made = library(lambda x, y: (x.sum(axis=1), x), (normal(2, 4), normal(3)), (normal(5, 4), normal(3)))
    text = made.files[1].read_text()
    found = dict(re.findall(rf"#define {made.name}_(\w+) (\d+)\n", text))
    assert found == {"INPUTS": "2", "OUTPUTS": "2", "Y_SIZE": "3"}


THROUGHOUT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"
int main(int argc, char **argv) {
    const NAME_description *said = NAME_describe();
    if (said->input_count != NAME_INPUTS || strcmp(said->name, "NAME")) return 2;
    for (int turn = 0; turn < atoi(argv[1]); turn++) {
        NAME_options options;
        memset(&options, 0, sizeof options);
        options.processor = argc > 2 ? argv[2] : NULL;
        NAME *model;
        int32_t code = NAME_create(&model, &options);
        if (code) return fprintf(stderr, "%s\\n", NAME_error(code)), 1;
        int64_t sizes[] = {1 + turn % 40, 64}, room[2];
        if (NAME_sizes(sizes, room)) return 3;
        float *x = malloc((size_t)(sizes[0] * sizes[1]) * sizeof *x), *y = malloc((size_t)(room[0] * room[1]) * sizeof *y);
        for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) x[i] = (float)(i % 7) - 3;
        const void *inputs[] = {x};
        void *outputs[] = {y};
        code = NAME_run(model, inputs, sizes, outputs, room);
        if (code) return fprintf(stderr, "%s\\n", NAME_error(code)), 1;
        if (turn == 39) for (int i = 0; i < 4; i++) printf("%.9g\\n", (double)y[i]);
        free(x);
        free(y);
        NAME_destroy(model);
        if (NAME_create(&model, NULL) || !NAME_run(model, inputs, NULL, outputs, NULL)) return 4;
        NAME_destroy(model);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def layer(library):
    """A layer over any number of rows, with room for what it takes in between."""
    w = normal(64, 300)

    def net(x):
        return npx.softmax(np.dot(np.exp(np.dot(x, w) * 0.1), w.T))

    x = np.array((numpy.arange(40 * 64) % 7 - 3).reshape(40, 64).astype("f4"))
    return library(net, (normal(1, 64),), (normal(5, 64),)), net(x).asnumpy()[0, :4]


def test_a_program_in_c(layer, compile_c):
    made, wanted = layer
    program = compile_c(THROUGHOUT.replace("NAME", made.name), made)
    for level in ([], ["avx2"], ["baseline"]):
        done = subprocess.run([program, "40", *level], capture_output=True, text=True, check=True)
        numpy.testing.assert_allclose([float(x) for x in done.stdout.split()], wanted, rtol=2e-5)


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="there is no emulator")
@pytest.mark.parametrize(
    "processor", ["qemu64", "Nehalem", "SandyBridge", "Haswell", "Haswell,-bmi2", "Haswell,-f16c", "Haswell,-fma"]
)
def test_older_processors_run_what_they_know(layer, compile_c, processor):
    """An instruction that the processor lacks would stop the program."""
    made, wanted = layer
    program = compile_c(THROUGHOUT.replace("NAME", made.name), made)
    done = subprocess.run(
        ["qemu-x86_64", "-cpu", processor, program, "40"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    numpy.testing.assert_allclose([float(x) for x in done.stdout.split()], wanted, rtol=2e-5)


def test_sanitizers_find_nothing(layer, compile_c):
    made, wanted = layer
    source = THROUGHOUT.replace("NAME", made.name)
    program = compile_c(source, made, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
    done = subprocess.run([program, "80"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    numpy.testing.assert_allclose([float(x) for x in done.stdout.split()], wanted, rtol=2e-5)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
@pytest.mark.parametrize("level", ["avx2", "baseline"])
def test_valgrind_finds_nothing(layer, compile_c, level):
    made, _ = layer
    program = compile_c(THROUGHOUT.replace("NAME", made.name), made)
    command = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9", program, "40"]
    done = subprocess.run([*command, level], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


SHORT_OF_MEMORY = """
#include <stdio.h>
#include <stdlib.h>
#include "NAME.h"
extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
static int left = 1 << 30, held;
void *malloc(size_t size) {
    void *found = left-- > 0 ? __libc_malloc(size) : NULL;
    held += found != NULL;
    return found;
}
void free(void *pointer) {
    held -= pointer != NULL;
    __libc_free(pointer);
}
static float x[70 * 64], y[70 * 64];
int main(void) {
    const void *inputs[] = {x};
    void *outputs[] = {y};
    int64_t sizes[] = {70, 64};
    for (int most = 0; most < 4; most++) {
        NAME *model = (NAME *)x;
        int before = held;
        left = most;
        int32_t code = NAME_create(&model, NULL);
        if (code ? code != NAME_MEMORY || model || most : !model || !most) return 1;
        if (model) {
            for (int turn = 0; turn < 3; turn++) {
                code = NAME_run(model, inputs, sizes, outputs, NULL);
                if (code != (most == 1 ? NAME_MEMORY : NAME_OK)) return 2;
            }
            left = 9;
            if (NAME_run(model, inputs, sizes, outputs, NULL)) return 3;
        }
        NAME_destroy(model);
        if (held != before) return 4;
    }
    return 0;
}
"""


def test_memory_that_is_not_there(layer, compile_c):
    made, _ = layer
    program = compile_c(SHORT_OF_MEMORY.replace("NAME", made.name), made, "-fno-builtin")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


MANY = """
#include <stdio.h>
#include "NAME.h"
int main(void) {
    for (int turn = 0; turn < TURNS; turn++) {
        NAME *model;
        if (NAME_create(&model, NULL)) return 1;
        NAME_destroy(model);
    }
    FILE *file = fopen("/proc/self/statm", "r");
    long all, resident;
    if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2) return 2;
    printf("%ld\\n", resident * 4);
    return 0;
}
"""


def many(library, compile_c, weights, turns):
    w = normal(16, 16)
    made = library(lambda x: np.dot(x, w), (normal(1, 16),), weights=weights)
    source = MANY.replace("NAME", made.name).replace("TURNS", str(turns))
    if weights == "beside":
        source = source.replace("NULL)", "&options)").replace(
            "int main(void) {", f'int main(void) {{ {made.name}_options options = {{"{made.files[2]}", 0, 0, 0, 0}};'
        )
    done = subprocess.run([compile_c(source, made)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16_000


@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_ten_thousand_models_leave_nothing_behind(library, compile_c, weights):
    many(library, compile_c, weights, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_a_hundred_thousand_models_leave_nothing_behind(library, compile_c, weights):
    many(library, compile_c, weights, 100_000)


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("name", ["model", "inputs", "outputs", "sizes", "code", "options"])
def test_models_called_as_the_variables_of_the_example(library, compile_c, name, language):
    made = library(
        lambda stderr, unix, EOF: stderr + unix + EOF, *[(normal(n), normal(n), 2.5) for n in (2, 3)], name=name
    )
    program = compile_c("\n".join(example(made)), made, language=language)
    done = subprocess.run([program], cwd=made.files[0].parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


_OF_THE_HEADER = ("run", "create", "destroy", "error", "options", "sizes", "describe", "OK", "tensor")


@pytest.mark.parametrize("language", ["c", "c++"])
def test_arguments_called_as_what_the_header_declares(library, compile_c, language):
    """Of a model `named` all that begins with `named_` is the header's."""
    names = {}
    exec(f"def named({', '.join(f'named_{one}' for one in _OF_THE_HEADER)}): return named_run + named_OK", names)
    arrays = [normal(3) for _ in _OF_THE_HEADER]
    made = library(names["named"], arrays, name="named")
    program = compile_c("\n".join(example(made)), made, language=language)
    done = subprocess.run([program], cwd=made.files[0].parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


INTERRUPTED = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "{name}.h"
int main(void) {{
    float few[2] = {{-9, -9}}, endless[2] = {{1, 1}}, result[2];
    void *outputs[] = {{result}};
    const int64_t sizes[] = {{2}};
    {name} *model;
    struct sigaction action;
    signal(SIGINT, SIG_DFL); /* a shell may have it ignored */
    int32_t code = {name}_create(&model, NULL);
    if (!code) code = {name}_run(model, (const void *[]){{few}}, sizes, outputs, NULL);
    if (code) return 3;
    for (int number = 1; number < 32; number++)
        if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return 4;
    puts("ready");
    fflush(stdout);
    {name}_run(model, (const void *[]){{endless}}, sizes, outputs, NULL);
    return 5;
}}
"""


def endless(x):
    while x.sum() > -1:
        x = np.sin(x) + 1
    return x


def test_a_signal_ends_a_program_in_c_as_it_does_without_the_library(library, compile_c):
    """A library has no handlers: Ctrl-C is the program's, which here leaves it to the system."""
    made = library(endless, (np.full(2, -9.0),))
    program = compile_c(INTERRUPTED.format(name=made.name), made)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
