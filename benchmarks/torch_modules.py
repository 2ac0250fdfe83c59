# SPDX-License-Identifier: Apache-2.0
"""Modules of PyTorch that `torch_door.py` measures; as a program, one first call in this process.

python benchmarks/torch_modules.py mlp|bert|resnet18 hybridize|trace
"""

import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize

torch.set_num_threads(1)
torch.manual_seed(0)


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (part(x).view(split).transpose(1, 2) for part in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width)
        x = self.first(x + self.dropout(self.o(y)))
        return self.second(x + self.dropout(self.outer(F.gelu(self.inner(x)))))


class Bert(nn.Module):
    def __init__(self, layers=2, width=128, heads=2):
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        self.positions = nn.Parameter(torch.randn(1, 16, width))
        self.layers = nn.ModuleList([Layer(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions
        for layer in self.layers:
            x = layer(x)
        return torch.tanh(self.head(x[:, 0]))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.first, self.second = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, seen):
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (part(x).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(q, k, v, seen).transpose(1, 2).reshape(batch, length, width)
        x = self.first(x + self.output(y))
        return self.second(x + self.narrow(F.gelu(self.wide(x))))


class MiniLM(nn.Module):
    """An encoder of sentences: the mean of the last layer over the words that the mask has, of length 1."""

    def __init__(self, layers=6, width=384, heads=12, inner=1536, words=30522):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(512, width)
        self.kinds, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, inner) for _ in range(layers))

    def forward(self, ids, mask):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1])) + self.kinds(torch.zeros_like(ids))
        x, seen = self.norm(x), mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, seen)
        weights = mask[:, :, None].to(x.dtype)
        return F.normalize((x * weights).sum(1) / weights.sum(1))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def mlp():
    return nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2))


class Record(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, given):
        return {"y": self.layer(given["x"])}


MADE = {
    "mlp": lambda: (mlp(), torch.randn(1, 512)),
    "bert": lambda: (Bert(), torch.randint(0, 1000, (2, 16))),
    "resnet18": lambda: (resnet18(), torch.randn(1, 3, 224, 224)),
}


def main() -> None:
    name, way = sys.argv[1:]
    net, x = MADE[name]()
    net.eval()
    with torch.no_grad():
        begin = time.perf_counter()
        fast = hybridize(net) if way == "hybridize" else torch.jit.trace(net, (x,))
        y = fast(x)
        seconds = time.perf_counter() - begin
        torch.testing.assert_close(y, net(x), rtol=1e-3, atol=1e-4)
    assert way != "hybridize" or fast.exported == (), fast.exported
    print(seconds)


if __name__ == "__main__":
    main()
