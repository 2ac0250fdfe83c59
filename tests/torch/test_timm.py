"""Convolutional networks of timm with random weights: the door gives what eager PyTorch gives, all of it machine code.

`make test-long` lays timm into .timm, without its dependencies, which would draw in another build of PyTorch.
"""

import importlib
import sys
from pathlib import Path

import pytest
import torch

from hybridize import hybridize

HERE = Path(__file__).parents[2] / ".timm"
FAMILIES = {
    "convnext_atto": "ConvNeXt", "cspresnet50": "stages of which a part passes by", "densenet121": "DenseNet",
    "dla34": "trees of joined layers", "efficientnet_b0": "inverted residuals that squeeze and excite",
    "ese_vovnet19b_dw": "VoVNet", "ghostnet_050": "GhostNet", "hrnet_w18_small": "HRNet's fusion of sizes",
    "inception_v3": "Inception", "mixnet_s": "windows of several sizes in a layer", "mobilenetv3_small_050": "MobileNet v3",
    "nf_resnet26": "standardized weights, no norms", "regnety_002": "RegNet", "repvgg_a0": "RepVGG",
    "resnest14d": "split attention", "skresnet18": "selective kernels", "vgg11_bn": "VGG", "xception41": "Xception",
}  # fmt: skip


@pytest.fixture(scope="module")
def timm():
    if not (HERE / ".installed").exists():
        pytest.fail("timm is not there: make .timm/.installed")
    sys.path.append(str(HERE))  # the last place, so that nothing else is taken from there
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        # The compiled part of torchvision is for another build of PyTorch. Its Python, of which timm takes a norm and
        # transforms, does without, but describes two operators that it believes declared; nothing here calls them.
        if "nms does not exist" not in str(error):
            raise
        declared = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            declared.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        importlib.import_module("torchvision")
    yield importlib.import_module("timm")
    sys.path.remove(str(HERE))


def made(timm, name):
    """A network for ten classes, whose running statistics are no ones and zeros, and an image."""
    torch.manual_seed(0)
    net = timm.create_model(name, pretrained=False, num_classes=10).eval()
    for part in net.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    size = 96 if name == "inception_v3" else 64
    return net, torch.randn(1, 3, size, size)


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_families(timm, name):
    net, x = made(timm, name)
    compiled = hybridize(net)
    with torch.no_grad():
        wanted, found = net(x), compiled(x)
    assert ((found - wanted).abs().max() / wanted.abs().max()).item() < 2e-5
    assert compiled.program(x).fallbacks == ()


@pytest.mark.long
@pytest.mark.parametrize("name", ["resnet10t", "mobilenetv3_small_050"])
def test_a_step_of_training_and_another_batch(timm, name):
    """Gradients, running statistics, and the program for all batches."""
    net, _ = made(timm, name)
    net, twin = net.double().train(), made(timm, name)[0].double().train()
    compiled = hybridize(net)
    for batch in (2, 3):
        x = torch.randn(batch, 3, 64, 64, dtype=torch.float64)
        for run in (compiled, twin):
            y = run(x)
            (y * torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)).sum().backward()
    for (name, ours), theirs in zip(net.named_parameters(), twin.parameters(), strict=True):
        scale = max(1.0, theirs.grad.abs().max().item())
        torch.testing.assert_close(ours.grad / scale, theirs.grad / scale, rtol=1e-6, atol=1e-8, msg=name)
    for (name, ours), theirs in zip(net.named_buffers(), twin.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-9, msg=name)
