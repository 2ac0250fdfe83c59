"""Reports of the guide's page on `program.explain()`: run here, as they come out.

python docs/explained.py        rewrites the two reports in guide/explain.md; times are those of this machine
"""

from pathlib import Path

import numpy

from hybridize import hybridize, np, npx
from hybridize.compiler.explanation import Explanation
from hybridize.gluon import nn

PAGE = Path(__file__).parent / "guide" / "explain.md"


def normal(*shape: int) -> object:
    """Random numbers, the same at every run."""
    return np.array(numpy.random.default_rng(0).standard_normal(shape).astype(numpy.float32))


def net() -> Explanation:
    """The chapter's net."""
    made = nn.HybridSequential()
    made.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    made.initialize()
    made.hybridize()
    x = normal(64, 512)
    made(x)
    return made.program(x).explain(x, profile=True)


def function() -> Explanation:
    """Layer norm, gelu, residual."""

    @hybridize
    def block(x, w, b):
        return npx.gelu(npx.layer_norm(x, w, b), "tanh") + x

    w, b = normal(1024), normal(1024)
    for rows in (1024, 512, 256):
        block(normal(rows, 1024), w, b)
    x = normal(256, 1024)
    return block.program(x, w, b).explain(x, w, b, profile=True)


REPORTS = {"net": net, "function": function}


def with_report(page: str, name: str, report: Explanation) -> str:
    """The page with one report replaced."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n```text\n{report}\n```\n{end}{after}"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for name, report in REPORTS.items():
        text = with_report(text, name, report())
    PAGE.write_text(text, encoding="utf-8")
