"""LeNet on handwritten digits that are moved about: `Estimator`, augmentation, batches of several sizes.

    pip install "hybridize[data]"
    python examples/training/augmentation.py

Each batch lies at another place of its images, up to a pixel away. Batches are of 64, 48 and 32 digits in turn, and a
rest: one program serves them all. Trained imperatively and hybridized; exits with an error when the losses of both ways
differ, or when fewer than 95 % of the test digits, which stay where they are, are told right.
"""

import time

import numpy

from hybridize import gluon, init, np, random
from hybridize.gluon import data, nn
from hybridize.gluon.contrib.estimator import BatchEnd, Estimator
from hybridize.gluon.data.vision import transforms

SIZES = 64, 48, 32
GOAL = 0.95


def lenet():
    """Two convolutions with their pooling, two dense layers."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
    net.add(nn.Conv2D(16, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
    net.add(nn.Dense(64, activation="relu"), nn.Dense(10))
    return net


def digits(train):
    """Scikit-learn's digits as images of 8 x 8 x 1 pixels from 0 to 255."""
    images, labels = data.sets.digits(train, scaled=False, images=True)[:]
    return data.ArrayDataset((numpy.asarray(images) * (255 / 16)).astype("uint8"), numpy.asarray(labels))


def batches(moved, dtype):
    """A function that makes a batch of samples: channels first, from 0 to 1, moved about or not."""
    steps = [transforms.RandomCrop(8, pad=1)] if moved else []
    as_images = transforms.Compose([*steps, transforms.ToTensor(), transforms.Cast(dtype)])

    def batch(samples):
        images, labels = zip(*samples, strict=True)
        return as_images(np.array(numpy.stack(images), dtype="uint8")), np.array(numpy.stack(labels))

    return batch


class Mixed(data.Sampler):
    """Positions in a random order, in batches of several sizes in turn."""

    def __init__(self, length):
        self.samples = data.RandomSampler(length)

    def __iter__(self):
        batch, number = [], 0
        for position in self.samples:
            batch.append(position)
            if len(batch) == SIZES[number % len(SIZES)]:
                yield batch
                batch, number = [], number + 1
        if batch:
            yield batch

    def __len__(self):
        rounds, rest = divmod(len(self.samples), sum(SIZES))
        ends = numpy.cumsum((0, *SIZES))
        return rounds * len(SIZES) + int(numpy.sum(ends[:-1] < rest))


class Losses(BatchEnd):
    """Keeps the mean loss of each batch."""

    def __init__(self):
        self.found = []

    def batch_end(self, estimator, *args, **kwargs):
        losses = kwargs["loss"]
        self.found += [float(loss.mean()) for loss in (losses if isinstance(losses, list) else [losses])]


def train(compiled=False, dtype="float32", epochs=12):
    """The loss of every batch, the accuracy on digits not seen, and seconds an epoch."""
    random.seed(5)
    numpy.random.seed(5)
    net = lenet()
    net.initialize(init.Xavier())
    net.cast(dtype)
    if compiled:
        net.hybridize()
    learned = digits(True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9})
    accuracy = gluon.metric.Accuracy()
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), accuracy, trainer=trainer)
    estimator.logger.setLevel("WARNING")
    losses, start = Losses(), time.perf_counter()
    loader = data.DataLoader(learned, batch_sampler=Mixed(len(learned)), batchify_fn=batches(True, dtype))
    estimator.fit(loader, epochs=epochs, event_handlers=[losses])
    seconds = (time.perf_counter() - start) / epochs
    right = gluon.metric.Accuracy()
    for x, y in data.DataLoader(digits(False), 256, batchify_fn=batches(False, dtype)):
        right.update(y, net(x))
    return losses.found, right.get()[1], seconds


def main():
    first = None
    for compiled in (False, True):
        losses, right, seconds = train(compiled)
        first = first or losses
        numpy.testing.assert_allclose(losses[:10], first[:10], rtol=1e-3)
        how = "hybridized" if compiled else "imperative"
        last = sum(losses[-20:]) / 20
        print(f"{how:11} loss {losses[0]:.3f} -> {last:.4f}, {right:.1%} right, {seconds:.2f} s an epoch")
        if right < GOAL:
            raise SystemExit(f"fewer than {GOAL:.0%} are right")
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
