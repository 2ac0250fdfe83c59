"""Networks of the zoo against PyTorch ones with the same weights: results, and gradients of every parameter."""

import numpy
import pytest
import torch

from hybridize import autograd, np
from hybridize.gluon.model_zoo import vision
from hybridize.gluon.model_zoo.vision.mobilenet import INVERTED

CLASSES = 5


def normalized(before, after, kernel, stride=1, padding=0, groups=1):
    convolution = torch.nn.Conv2d(before, after, kernel, stride, padding, groups=groups, bias=False)
    return [convolution, torch.nn.BatchNorm2d(after)]


class Residual(torch.nn.Module):
    """A basic block of ResNet v1."""

    def __init__(self, before, after, stride):
        super().__init__()
        first = normalized(before, after, 3, stride, 1)
        self.body = torch.nn.Sequential(*first, torch.nn.ReLU(), *normalized(after, after, 3, 1, 1))
        self.short = torch.nn.Sequential(*normalized(before, after, 1, stride) if before != after else [])

    def forward(self, x):
        return torch.relu(self.body(x) + self.short(x))


class Inverted(torch.nn.Module):
    """An inverted residual of MobileNetV2; the first one has a pointwise convolution too, as MXNet's."""

    def __init__(self, before, after, times, stride):
        super().__init__()
        wide = before * times
        widened = [*normalized(before, wide, 1), torch.nn.ReLU6()]
        windows = [*normalized(wide, wide, 3, stride, 1, wide), torch.nn.ReLU6()]
        self.body = torch.nn.Sequential(*widened, *windows, *normalized(wide, after, 1))
        self.is_added = stride == 1 and before == after

    def forward(self, x):
        return self.body(x) + x if self.is_added else self.body(x)


def resnet(counts, channels):
    layers = [*normalized(3, channels[0], 7, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1)]
    for stage, (count, before, after) in enumerate(zip(counts, channels[:-1], channels[1:], strict=True)):
        layers.append(Residual(before, after, 2 if stage else 1))
        layers += [Residual(after, after, 1) for _ in range(count - 1)]
    last = torch.nn.Linear(channels[-1], CLASSES)
    return torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), last)


def mobilenet_v2(multiplier):
    before = int(32 * multiplier)
    layers = [*normalized(3, before, 3, 2, 1), torch.nn.ReLU6()]
    for times, width, count, first in INVERTED:
        for number in range(count):
            layers.append(Inverted(before, int(width * multiplier), times, 1 if number else first))
            before = int(width * multiplier)
    layers += [*normalized(before, 1280, 1), torch.nn.ReLU6(), torch.nn.AdaptiveAvgPool2d(1)]
    return torch.nn.Sequential(*layers, torch.nn.Conv2d(1280, CLASSES, 1, bias=False), torch.nn.Flatten())


SMALL = (1, 2), (8, 8, 16)
NETWORKS = [
    pytest.param(
        lambda: resnet(*SMALL), lambda: vision.ResNetV1(vision.BasicBlockV1, *SMALL, classes=CLASSES), id="small resnet"
    ),
    pytest.param(
        lambda: resnet((2, 2, 2, 2), (64, 64, 128, 256, 512)), lambda: vision.resnet18_v1(classes=CLASSES),
        id="resnet18", marks=pytest.mark.long,
    ),
    pytest.param(
        lambda: mobilenet_v2(0.25), lambda: vision.mobilenet_v2_0_25(classes=CLASSES),
        id="mobilenet_v2", marks=pytest.mark.long,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "build"), NETWORKS)
def test_pytorchs_results_and_gradients(make, build):
    theirs, ours = make(), build()
    generator = torch.Generator().manual_seed(4)
    for path, one in theirs.state_dict().items():
        drawn = torch.rand(one.shape, generator=generator) - 0.5
        if one.ndim > 1:
            one.copy_(drawn * (24.0 / one[0].numel()) ** 0.5)  # keeps the scale of what goes through ReLU
        elif "num_batches" not in path:
            one.copy_(drawn + (0.0 if path.endswith(("bias", "mean")) else 1.0))
    theirs.double().eval()
    ours.cast("float64")
    ours.initialize()
    x = numpy.random.default_rng(2).normal(size=(2, 3, 40, 40))
    images = np.array(x, dtype="float64")
    ours(images)
    given = [one for path, one in theirs.state_dict().items() if "num_batches" not in path]
    parameters = list(ours.collect_params().values())
    assert [p.shape for p in parameters] == [tuple(one.shape) for one in given]
    for parameter, one in zip(parameters, given, strict=True):
        parameter.set_data(np.array(one.numpy(), dtype="float64"))
    wanted = theirs(torch.tensor(x))
    (wanted**2).sum().backward()
    gradients = [p.grad.numpy() for p in theirs.parameters()]
    for compiled in (False, True):
        ours.hybridize(compiled)
        with autograd.record(train_mode=False):
            found = ours(images)
            loss = (found**2).sum()
        loss.backward()
        scale = float(wanted.detach().abs().max())
        numpy.testing.assert_allclose(found.asnumpy(), wanted.detach().numpy(), atol=1e-9 * scale, rtol=1e-9)
        learned = [p for p in parameters if p.grad_req != "null"]
        for parameter, gradient in zip(learned, gradients, strict=True):
            tolerance = 1e-8 * numpy.abs(gradient).max()
            numpy.testing.assert_allclose(
                parameter.grad().asnumpy(), gradient, atol=tolerance, rtol=1e-7, err_msg=parameter.name
            )
