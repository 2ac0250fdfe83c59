"""Convolutional networks of timm with random weights: the door gives what eager PyTorch gives, all of it machine code.

`make test-long` lays timm into .timm, without its dependencies, which would draw in another build of PyTorch.
"""

import pytest
import torch

from hybridize import hybridize
from tests.torch.side_packages import load

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
    return load("timm")


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
