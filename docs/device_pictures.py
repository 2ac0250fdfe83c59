"""Pictures of a program on a device, which `docs/make.py` writes: from its graph to launches, the memory of a call."""

from collections.abc import Mapping, Sequence

from road import Drawing

Box = tuple[str, str, str]
ROAD: tuple[tuple[str, Sequence[Box]], ...] = (
    (
        "ONCE FOR A PROGRAM",
        (
            ("graph", "passes as on a CPU", "programs/device_machine"),
            ("steps", "threads, tiles, barriers", "schedule/device"),
            ("kernels", "LLVM IR, one lane", "codegen/llvm/device"),
            ("PTX and plan", "text, on the disk", "compiler/kernels"),
        ),
    ),
    (
        "ONCE FOR A GPU",
        (
            ("machine code", "by the driver's linker", "runtime/cuda/linking"),
            ("constants", "copied, or computed", "runtime/device_code"),
        ),
    ),
    (
        "EACH CALL",
        (
            ("check", "types, sizes, places", "runtime/device_code"),
            ("call block", "numbers, one copy", "runtime/device_code"),
            ("memory", "scratch, results", "runtime/device_code"),
            ("launches", "or a graph of them", "runtime/device_steps"),
        ),
    ),
)
WIDTH, HIGH, APART, ROW = 188, 64, 20, 108
MEMORY: Sequence[tuple[int, int, Box]] = (
    (2, 2, ("x", "5,120 bytes", "the caller's")),
    (2, 88, ("w", "2,400 bytes", "from outside")),
    (330, 45, ("scratch", "7,680 bytes", "shared by programs")),
    (330, 131, ("call block: k", "8 bytes", "this call's")),
    (658, 88, ("result", "7,680 bytes", "the caller's")),
)
"""Arrays with their places in the picture."""


def road() -> str:
    """Return the way of a program, a row for how often it is gone."""
    drawing = Drawing()
    for row, (head, boxes) in enumerate(ROAD):
        top = 34 + row * ROW
        drawing.text("head", 2, top - 10, head)
        for column, box in enumerate(boxes):
            left = 2 + column * (WIDTH + APART)
            drawing.titled("step", left, top, WIDTH, box)
            if column:
                drawing.arrow(left - APART, top + HIGH / 2, APART)
    return drawing.svg(4 * (WIDTH + APART) - 16, 34 + 2 * ROW + HIGH + 2, "From a graph to launches", ROAD_SAID)


def memory() -> str:
    """Return the memory that the call of the page reads and writes."""
    drawing = Drawing()
    for left, top, box in MEMORY:
        drawing.titled("door", left, top, 166, box)
    for name, does, left, top in (("product0", "x @ w", 206, 52), ("loops1", "softmax · k", 534, 95)):
        drawing.box("step", left, top, 86, 50)
        drawing.text("stage", left + 43, top + 22, name, "middle")
        drawing.text("does", left + 43, top + 39, does, "middle")
    for left, begin, end in ((168, 34, 67), (168, 120, 87), (496, 77, 110), (496, 163, 130)):
        drawing.bent(left, begin, 38, end)
    drawing.arrow(292, 77, 38)
    drawing.arrow(620, 120, 38)
    return drawing.svg(826, 197, "Memory of a call", "product0 reads x and w; loops1 reads scratch and k")


ROAD_SAID = "; ".join(f"{head.capitalize()}: {', '.join(name for name, *_ in boxes)}" for head, boxes in ROAD)


def pictures() -> Mapping[str, str]:
    """Return the pictures by the names of their files."""
    return {"internals/device-road.svg": road(), "internals/device-call.svg": memory()}
