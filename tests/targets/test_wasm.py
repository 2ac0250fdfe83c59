"""WebAssembly: modules are linked from LLVM's objects and run in Node, with pointers of four bytes and no multiply-add."""

import contextlib
import shutil
import subprocess

import numpy
import pytest

from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm.engine import compile_module
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.wasm.link import HEAP_ALIGN, STACK_BYTES, link
from hybridize.machine.target import named_target
from hybridize.ops import evaluate

BLOCKS = 6
in_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node to run WebAssembly")


@in_node
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_op_is_the_reference_in_node(block, catalogue, programs):
    cases = catalogue.cases[block::BLOCKS]
    found, _ = programs(catalogue.jobs(cases), "wasm32").in_node()
    catalogue.check(cases, found)


@in_node
def test_models_run_in_node(models, programs):
    jobs = [make() for make in models.MODELS.values()]
    found, _ = programs(jobs, "wasm32").in_node()
    for (graph, inputs), outputs in zip(jobs, found, strict=True):
        models.check(graph, outputs, evaluate(graph, inputs))


@in_node
@pytest.mark.long
def test_resnet18_runs_in_node(models, programs):
    graph, inputs = models.resnet18()
    found, _ = programs([(graph, inputs)], "wasm32").in_node()
    models.check(graph, found[0], evaluate(graph, inputs))


@in_node
def test_one_program_serves_several_sizes_in_node(models, programs):
    jobs, exact = models.of_any_length([2, 3, 16, 70])
    made = programs(jobs, "wasm32")
    assert all(built.plan.sizes == ("n in 2.. like 9",) for built in made.built)
    for (graph, inputs), outputs in zip(exact, made.in_node()[0], strict=True):
        models.check(graph, outputs, evaluate(graph, inputs))


@in_node
@pytest.mark.long
@pytest.mark.parametrize("block", range(4))
def test_random_graphs_agree_in_node(block, random_graphs, programs):
    made = random_graphs.given(range(5000 + 100 * block, 5100 + 100 * block))
    random_graphs.compare(made, programs([(graph, inputs) for _, graph, inputs in made], "wasm32").in_node()[0])


@in_node
@pytest.mark.long
def test_a_small_net_takes_microseconds(models, programs):
    """13 us on the machine of docs/benchmarks.md, with nothing else running; 45 is what we promise."""
    _, times = programs([models.mlp(1)], "wasm32").in_node(timed=True)
    assert times[0] <= 45


def linked(text):
    return link(emit_object(text, named_target("wasm32")))


def values(tmp_path, module, *expressions):
    """What JavaScript makes of expressions in `m`, the module's exports, and `memory`, its bytes."""
    (tmp_path / "m.wasm").write_bytes(module)
    script = (
        f"const source = require('fs').readFileSync('{tmp_path}/m.wasm');"
        "const env = {fmodf: (x, y) => x % y, sinf: Math.sin, cos: Math.cos};"
        "const m = new WebAssembly.Instance(new WebAssembly.Module(source), {env}).exports;"
        "const memory = new DataView(m.memory.buffer);"
        f"console.log([{', '.join(expressions)}].join(' '))"
    )
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@in_node
def test_data_lies_above_the_stack_and_below_the_heap(tmp_path):
    text = """
    @word = global i32 7, align 64
    @zeros = global [100 x i8] zeroinitializer, align 16
    @table = private constant [3 x i16] [i16 11, i16 22, i16 33], align 2
    @inside = global ptr getelementptr (i8, ptr @table, i32 4), align 4
    define i16 @third() {
      %p = load ptr, ptr @inside
      %x = load i16, ptr %p
      ret i16 %x
    }
    """
    names = ("word", "zeros", "inside")
    module = linked(text)
    assert set(module.exports) == {"third", *names}
    assert module.imports == ()
    found = values(
        tmp_path,
        module.module,
        "m.third()",
        "memory.getInt32(m.word.value, true)",
        "m.__heap_base.value",
        *(f"m.{name}.value" for name in names),
    )
    third, word, heap, *places = map(int, found)
    assert (third, word) == (33, 7)
    assert heap % HEAP_ALIGN == 0
    assert places[0] % 64 == 0
    assert all(STACK_BYTES <= place < heap for place in places)
    assert abs(places[1] - places[0]) >= 4


@in_node
def test_functions_are_called_through_pointers_and_a_deep_stack_traps(tmp_path):
    text = """
    declare float @fmodf(float, float)
    @which = global ptr @rest
    define internal float @rest(float %x, float %y) {
      %r = call float @fmodf(float %x, float %y)
      ret float %r
    }
    define float @through(float %x, float %y) {
      %f = load ptr, ptr @which
      %r = call float %f(float %x, float %y)
      ret float %r
    }
    define i32 @deep(i32 %n) {
      %a = alloca [1000 x i8]
      %i = and i32 %n, 511
      %p = getelementptr i8, ptr %a, i32 %i
      store volatile i8 1, ptr %p
      %m = sub i32 %n, 1
      %done = icmp eq i32 %n, 0
      br i1 %done, label %end, label %more
    more:
      %r = call i32 @deep(i32 %m)
      %v = load volatile i8, ptr %p
      %w = zext i8 %v to i32
      %s = add i32 %r, %w
      ret i32 %s
    end:
      ret i32 0
    }
    """
    module = linked(text)
    assert module.imports == ("fmodf",)
    trap = "(() => { try { return m.deep(100000) } catch (e) { return e.constructor.name } })()"
    through, shallow, deep = values(tmp_path, module.module, "m.through(7.5, 2)", "m.deep(100)", trap)
    assert (float(through), int(shallow), deep) == (1.5, 100, "RuntimeError")


@in_node
def test_objects_share_memory_and_imports_and_keep_their_own_functions(tmp_path):
    """Indices of functions, types and imports are other ones in the module than in each object."""
    texts = [
        """
        declare float @sinf(float)
        @kept = internal global i32 5
        @which = internal global ptr @twice
        define internal float @twice(float %x) {
          %r = fadd float %x, %x
          ret float %r
        }
        define i32 @count() {
          %x = load i32, ptr @kept
          %y = add i32 %x, 1
          store i32 %y, ptr @kept
          ret i32 %y
        }
        define float @first(float %x) {
          %f = load ptr, ptr @which
          %y = call float %f(float %x)
          %r = call float @sinf(float %y)
          ret float %r
        }
        """,
        """
        declare double @cos(double)
        declare float @sinf(float)
        @kept = internal global i32 50
        @which = internal global ptr @thrice
        define internal double @thrice(double %x, i32 %n) {
          %m = sitofp i32 %n to double
          %r = fmul double %x, %m
          ret double %r
        }
        define i32 @count.more() {
          %x = load i32, ptr @kept
          %y = add i32 %x, 1
          store i32 %y, ptr @kept
          ret i32 %y
        }
        define double @second(double %x) {
          %f = load ptr, ptr @which
          %y = call double %f(double %x, i32 3)
          %c = call double @cos(double %y)
          %w = fptrunc double %x to float
          %s = call float @sinf(float %w)
          %v = fpext float %s to double
          %r = fadd double %c, %v
          ret double %r
        }
        """,
    ]
    module = link(*(emit_object(text, named_target("wasm32")) for text in texts))
    assert module.imports == ("sinf", "cos")
    assert module.exports == ("count", "first", "count.more", "second")
    expressions = ["m.count()", "m.count()", "m['count.more']()", "m.first(0.25)", "m.second(0.5)"]
    found = [float(value) for value in values(tmp_path, module.module, *expressions)]
    assert found[:3] == [6, 7, 51]
    assert found[3:] == pytest.approx([numpy.sin(0.5), numpy.cos(1.5) + numpy.sin(0.5)], rel=1e-6)
    again = emit_object(texts[0], named_target("wasm32"))
    with pytest.raises(CodegenError, match=r"E976.*count, first"):
        link(again, again)


def test_what_is_no_object_is_refused():
    whole = emit_object("@x = global i32 1\ndefine ptr @f() {\n  ret ptr @x\n}\n", named_target("wasm32"))
    link(whole)
    for length in range(len(whole)):
        with contextlib.suppress(CodegenError):  # what ends between two sections may be an object
            link(whole[:length])
    with pytest.raises(CodegenError, match=r"E967.*section 5"):
        link(link(whole).module)
    with pytest.raises(CodegenError, match=r"E963.*elsewhere"):
        linked("@elsewhere = external global i32\ndefine ptr @f() {\n  ret ptr @elsewhere\n}\n")


def test_code_for_another_machine_is_not_loaded():
    text = "define void @f() {\n  ret void\n}\n"
    assert emit_object(text, named_target("wasm32")).startswith(b"\0asm")
    with pytest.raises(CodegenError, match=r"E965.*wasm32 does not run on this machine"):
        compile_module(text, named_target("wasm32"))


def test_nothing_of_this_machine_is_in_the_code(models):
    """The same bytes wherever they are made: the target names all features."""
    from hybridize.codegen.llvm.program import build

    graph, _ = models.mlp(7)
    target = named_target("wasm32")
    text = build(graph, target, interruptible=False).module.text()
    assert "x86" not in text
    assert numpy.array_equal(*(numpy.frombuffer(emit_object(text, target), numpy.uint8) for _ in range(2)))
