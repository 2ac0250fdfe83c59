# SPDX-License-Identifier: Apache-2.0
"""Text of tensors, in strings that are returned and in what is printed: PyTorch's own, in the order of the lines."""

import collections

import pytest
import torch
from torch import nn

from hybridize import hybridize, load

Pair = collections.namedtuple("Pair", "tensor number")

TEXTS = {
    "f-string of an element": lambda x: f"{x.sum()} {x.sum():.2f} {x.sum()!r} {x.sum()!s} {x.sum()=}",
    "f-string": lambda x: f"{x} {x!r}",
    "f-string of a list": lambda x: f"{[x, x.sum()]} { {'a': x.sum()} }",
    "str": lambda x: str(x) + str(x.sum()),
    "str of a tuple": lambda x: str((x.sum(), 1)),
    "repr": lambda x: repr(x) + repr([x]),
    "percent": lambda x: "%s %.2f %r" % (x.sum(), x.sum(), x),  # noqa: UP031
    "percent of a list": lambda x: "%s" % [x.sum()],
    "format": lambda x: "{} {!r} {:.1f}".format(x.sum(), x, x.sum()),  # noqa: UP032
    "format of a dict": lambda x: "{}".format({"a": x}),
    "format()": lambda x: format(x.sum(), ".1f"),
    "join": lambda x: ",".join([str(x.sum()), "a"]) + ",".join(map(str, x)),
    "named tuple": lambda x: str(Pair(x, 1)),
    "numbers": lambda x: f"{x.sum().item()} {x.tolist()} {[float(v) for v in x]}",
}
PRINTS = {
    "tensors": lambda x: print(x.sum(), x, x.double(), x.half()),
    "containers": lambda x: print([x, 2], (x.sum(),), {"a": x}, Pair(x, 1), sep="|", end="!"),
    "before and after a write": lambda x: (print(x), x.add_(1), print(x)),
    "in a branch": lambda x: (print("a"), print(x.sum()) if x.sum() > 0 else print("no", x[0]), print("b", x)),
    "words in a branch": lambda x: (print("a"), print("c") if x.sum() > 0 else print("d"), print("b")),
    "in a loop": lambda x: [print("r", v, x.shape) if v > 0 else print("n", v.item()) for v in x],
    "to another stream": lambda x: print(x, x.sum(), file=STREAM),
}


class Stream:
    def __init__(self):
        self.said = []

    def write(self, text):
        self.said.append(text)


STREAM = Stream()
LINES = (torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.1, -1.0]), torch.tensor([-3.0, 4.5, -9.0]))


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_tensors_is_torchs(name):
    compiled = hybridize(TEXTS[name])
    for x in LINES:
        assert compiled(x) == TEXTS[name](x)


@pytest.mark.parametrize("name", PRINTS)
def test_prints_come_in_the_order_of_the_lines_and_say_what_torch_says(name, capsys):
    compiled = hybridize(PRINTS[name])

    def said(function, x):
        STREAM.said.clear()
        function(x.clone())
        return capsys.readouterr().out + "".join(STREAM.said)

    for x in LINES:
        assert said(compiled, x) == said(PRINTS[name], x) != ""


def test_parameters_and_buffers_are_printed_as_such(capsys):
    class Shows(nn.Linear):
        def forward(self, x):
            print(self.weight, self.bias, self.frozen)
            return super().forward(x)

    module = Shows(2, 1)
    module.register_buffer("frozen", torch.ones(2))
    module.bias.requires_grad_(False)
    hybridize(module)(torch.ones(1, 2))
    found = capsys.readouterr().out
    module(torch.ones(1, 2))
    assert found == capsys.readouterr().out


def test_a_loaded_program_prints_too(capsys, tmp_path):
    compiled = hybridize(lambda x: (print("sum", x.sum()), x * 2)[1])
    compiled(LINES[0])
    compiled.save(tmp_path / "prints")
    capsys.readouterr()
    load(tmp_path / "prints")(LINES[0])
    assert capsys.readouterr().out == "sum tensor(3.)\n"
