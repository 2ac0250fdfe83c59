# SPDX-License-Identifier: Apache-2.0
"""Small files of our own, where the book's sections expect what they download.

Their form is that of the published files, so what reads them is tested; what they hold is drawn, and a net learns
little of it. `d2l.download` warns that they are not the published ones.
"""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy

IMAGES = 128
WORDS = ("the", "time", "traveller", "said", "that", "he", "would", "go", "on", "with", "it", "and", "was", "there")
"""Of which the text is drawn: long enough for 15,000 runs of 32 letters."""
PAIRS = (
    ("go .", "va !"), ("i lost .", "j'ai perdu ."), ("he's calm .", "il est calme ."), ("i'm home .", "je suis chez moi ."),
    ("come on !", "viens !"), ("we won !", "nous avons gagné !"), ("she runs .", "elle court ."), ("stop !", "arrête !"),
    ("how are you ?", "comment vas tu ?"), ("they left .", "ils sont partis ."),
)  # fmt: skip


def write(home: Path) -> None:
    """Write the files below a folder, whose `data` is `../data` for a section, and MXNET_HOME."""
    data = home / "data"
    data.mkdir()
    drawn = numpy.random.default_rng(0)
    for name in ("fashion-mnist", "mnist"):
        folder = data / "datasets" / name
        folder.mkdir(parents=True)
        for part in ("train", "t10k"):
            labels = (numpy.arange(IMAGES) % 10).astype(numpy.uint8)
            images = drawn.integers(0, 128, (IMAGES, 28, 28), numpy.uint8) + (labels * 12)[:, None, None]
            (folder / f"{part}-images-idx3-ubyte").write_bytes(idx(images.astype(numpy.uint8)))
            (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx(labels))
    (data / "timemachine.txt").write_text(" ".join(WORDS[one] for one in drawn.integers(0, len(WORDS), 5000)))
    with zipfile.ZipFile(data / "fra-eng.zip", "w") as packed:
        lines = [PAIRS[one] for one in drawn.integers(0, len(PAIRS), 800)]
        packed.writestr("fra-eng/fra.txt", "\n".join(f"{one.capitalize()}\t{two}" for one, two in lines))
    features = drawn.normal(size=(1503, 5))
    noise = features @ drawn.normal(size=5) + 0.1 * drawn.normal(size=1503)
    numpy.savetxt(data / "airfoil_self_noise.dat", numpy.column_stack([features, noise]), delimiter="\t")


def idx(array: numpy.ndarray) -> bytes:
    """Return an array of bytes in the format of MNIST's files."""
    return struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes()
