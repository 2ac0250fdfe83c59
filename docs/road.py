"""The picture of the doors in, the road and the doors out, wide and for a phone: `docs/make.py` writes both."""

from collections.abc import Mapping, Sequence
from html import escape

DOORS_IN = (
    ("Gluon block", "net.hybridize()"),
    ("Python function", "@hybridize"),
    ("PyTorch module", "hybridize(module)"),
    ("Keras model, tf.function", "hybridize(model)"),
    ("JAX function", "hybridize(jax.jit(f))"),
    ("ONNX, TFLite, SavedModel", 'load("model.onnx")'),
    ("saved file", "load(path)"),
)
DOORS_OUT = (
    ("a faster call", "net(x)"),
    ("MXNet's pair of files", 'net.export("my_mlp")'),
    ("one archive", "net.save(path)"),
    ("a C library", 'export(…, format="library")'),
    ("a Python wheel", 'export(…, format="wheel")'),
    ("WebAssembly", 'export(…, format="wasm")'),
    ("an ONNX model", 'export(…, format="onnx")'),
    ("an explanation", "program.explain()"),
)
ROAD = (
    ("capture", "Python runs", "once"),
    ("graph", "typed,", "immutable"),
    ("passes", "fold, share,", "drop"),
    ("schedule", "fuse, plan", "memory"),
    ("LLVM", "vector", "code"),
)
BACKEND = ("NumPy backend: the same graph, op by op", "what every compiled result is checked against")
TITLE = "Several doors in, one road, several doors out"
STYLE = """
text { font: 14px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328; }
.head { font-weight: 600; font-size: 12px; letter-spacing: 1px; fill: #57606a; }
.code { font: 12px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #57606a; }
.door { fill: #f6f8fa; stroke: #d0d7de; } .line { fill: none; stroke: #8c959f; stroke-width: 1.5; }
.step { fill: #ddf4ff; stroke: #0969da; } .on { fill: none; stroke: #0969da; stroke-width: 2; }
.stage { font-weight: 600; font-size: 13px; fill: #0a3069; } .does { font-size: 11px; fill: #0a3069; }
.check { fill: #dafbe1; stroke: #1a7f37; } .dashed { fill: none; stroke: #1a7f37; stroke-dasharray: 4 3; }
.said { fill: #116329; } .small { font-size: 12px; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8ec; } .head, .code { fill: #aab1bc; } .door { fill: #262b36; stroke: #4a5160; }
  .line { stroke: #7d8590; } .step { fill: #17304f; stroke: #58a6ff; } .on { stroke: #58a6ff; }
  .stage, .does { fill: #cfe4ff; } .check { fill: #12321d; stroke: #3fb950; } .dashed { stroke: #3fb950; }
  .said { fill: #b8f0c4; }
}
"""
HIGH, APART, STEP = 46, 10, 80
"""The height of a door, the space between two, and the height of a step of the road."""


class Drawing:
    """Lines of a picture."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        self.lines.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>')

    def text(self, kind: str, x: float, y: float, text: str, anchor: str = "start") -> None:
        self.lines.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def path(self, kind: str, path: str) -> None:
        self.lines.append(f'<path class="{kind}" d="{path}"/>')

    def doors(self, doors: Sequence[tuple[str, str]], x: float, y: float, width: float, columns: int = 1) -> None:
        for number, (name, code) in enumerate(doors):
            left = x + number % columns * (width + APART)
            top = y + number // columns * (HIGH + APART)
            self.box("door", left, top, width, HIGH)
            self.text("name", left + 12, top + 20, name)
            self.text("code", left + 12, top + 37, code)

    def road(self, x: float, y: float, width: float, apart: float) -> None:
        for number, (stage, *does) in enumerate(ROAD):
            left = x + number * (width + apart)
            self.box("step", left, y, width, STEP)
            if number:
                self.path("on", f"M{left - apart:g} {y + STEP / 2:g}h{apart:g}")
            for row, (kind, text) in enumerate([("stage", stage), *(("does", text) for text in does)]):
                self.text(kind, left + width / 2, y + (28, 49, 64)[row], text, "middle")

    def backend(self, x: float, y: float, width: float) -> None:
        self.box("check", x, y, width, 52)
        for row, (kind, text) in enumerate(zip(("said", "said small"), BACKEND, strict=True)):
            self.text(kind, x + 14, y + 22 + 18 * row, text)

    def titled(self, kind: str, x: float, y: float, width: float, lines: Sequence[str]) -> None:
        self.box(kind, x, y, width, 64)
        for row, (style, text) in enumerate(zip(("stage", "small", "code"), lines, strict=True)):
            self.text(style, x + 10, y + (21, 38, 55)[row], text)

    def arrow(self, x: float, y: float, length: float) -> None:
        self.path("on", f"M{x:g} {y:g}h{length - 2:g}m-6 -5l6 5l-6 5")

    def bent(self, x: float, y: float, length: float, end: float) -> None:
        self.path("on", f"M{x:g} {y:g}C{x + length / 2:g} {y:g} {x + length / 2:g} {end:g} {x + length - 8:g} {end:g}")
        self.arrow(x + length - 8, end, 8)

    def svg(self, width: int, height: int, title: str, description: str) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img">',
            f"<title>{title}</title>",
            f"<desc>{escape(description)}.</desc>",
            f"<style>{STYLE}</style>",
        )
        return "\n".join([*head, *self.lines, "</svg>"]) + "\n"


def said() -> str:
    """Return what the picture shows, in words."""
    names = [", ".join(name for name, *_ in part) for part in (DOORS_IN, ROAD, DOORS_OUT)]
    return f"In: {names[0]}. Road: {names[1]}. Out: {names[2]}"


def wide() -> str:
    """Return the picture from left to right."""
    drawing, height = Drawing(), 48 + len(DOORS_OUT) * (HIGH + APART) + 4
    middle = 48 + (len(DOORS_OUT) * (HIGH + APART) - APART) / 2
    tops = [middle - (len(doors) * (HIGH + APART) - APART) / 2 for doors in (DOORS_IN, DOORS_OUT)]
    for x, text in ((2, "DOORS IN"), (296, "ONE ROAD"), (860, "DOORS OUT")):
        drawing.text("head", x, 26, text)
    for number in range(len(DOORS_IN)):
        y = tops[0] + number * (HIGH + APART) + HIGH / 2
        drawing.path("line", f"M232 {y:g}C264 {y:g} 262 {middle:g} 296 {middle:g}")
    for number in range(len(DOORS_OUT)):
        y = tops[1] + number * (HIGH + APART) + HIGH / 2
        drawing.path("line", f"M796 {middle:g}C828 {middle:g} 826 {y:g} 860 {y:g}")
    drawing.doors(DOORS_IN, 2, tops[0], 230)
    drawing.doors(DOORS_OUT, 860, tops[1], 240)
    drawing.path("dashed", f"M446 {middle + STEP / 2:g}v60")
    drawing.road(296, middle - STEP / 2, 95.2, 6)
    drawing.backend(352, middle + STEP / 2 + 60, 380)
    return drawing.svg(1102, height, TITLE, said())


def narrow() -> str:
    """Return the picture from top to bottom, as wide as a phone."""
    drawing, width = Drawing(), 232
    drawing.text("head", 2, 20, "DOORS IN")
    drawing.doors(DOORS_IN, 2, 32, width, columns=2)
    y = 32 + -(-len(DOORS_IN) // 2) * (HIGH + APART)
    drawing.path("line", f"M239 {y - 4:g}v30")
    drawing.text("head", 2, y + 20, "ONE ROAD")
    drawing.path("dashed", f"M143 {y + 32 + STEP:g}v24")
    drawing.road(2, y + 32, 90, 6)
    drawing.backend(60, y + 32 + STEP + 24, 350)
    below = y + 32 + STEP + 24 + 52
    drawing.path("line", f"M431 {y + 32 + STEP:g}V{below + 26:g}")
    drawing.text("head", 2, below + 26, "DOORS OUT")
    drawing.doors(DOORS_OUT, 2, below + 38, width, columns=2)
    return drawing.svg(476, below + 38 + -(-len(DOORS_OUT) // 2) * (HIGH + APART), TITLE, said())


def pictures() -> Mapping[str, str]:
    """Return the pictures by the names of their files."""
    return {"one-road.svg": wide(), "one-road-narrow.svg": narrow()}
