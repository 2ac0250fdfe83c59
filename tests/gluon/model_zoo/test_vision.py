"""The model zoo: MXNet's networks by their names, numbers and parameter names; hybridized, saved, exported and trained.

Few networks run in every test; all of them in a long run.
"""

import numpy
import pytest
from hybridize_bench import networks

from hybridize import autograd, errors, gluon, np
from hybridize.gluon import nn
from hybridize.gluon.model_zoo import get_model, vision
from hybridize.gluon.model_zoo.files import find_parameters

NUMBERS = {
    "alexnet": 61_100_840, "densenet121": 8_062_504, "densenet161": 28_900_936, "densenet169": 14_307_880,
    "densenet201": 20_242_984, "inceptionv3": 23_869_000, "mobilenet0.25": 475_544, "mobilenet0.5": 1_342_536,
    "mobilenet0.75": 2_601_976, "mobilenet1.0": 4_253_864, "mobilenetv2_0.25": 1_526_856,
    "mobilenetv2_0.5": 1_983_104, "mobilenetv2_0.75": 2_653_864, "mobilenetv2_1.0": 3_539_136,
    "mobilenetv3_large": 5_507_432, "mobilenetv3_small": 2_554_968, "resnet18_v1": 11_699_112,
    "resnet34_v1": 21_814_696, "resnet50_v1": 25_629_032, "resnet101_v1": 44_695_144, "resnet152_v1": 60_404_072,
    "resnet18_v2": 11_695_796, "resnet34_v2": 21_811_380, "resnet50_v2": 25_595_060, "resnet101_v2": 44_639_412,
    "resnet152_v2": 60_329_140, "squeezenet1.0": 1_248_424, "squeezenet1.1": 1_235_496, "vgg11": 132_863_336,
    "vgg11_bn": 132_874_344, "vgg13": 133_047_848, "vgg13_bn": 133_059_624, "vgg16": 138_357_544,
    "vgg16_bn": 138_374_440, "vgg19": 143_667_240, "vgg19_bn": 143_689_256,
}  # fmt: skip
"""Parameters of the networks with 1000 classes, running statistics among them, as MXNet's table of its zoo has them; of
MobileNet v3 what torchvision's has, and the statistics."""
SAMPLE = ("squeezenet1.1", "mobilenetv3_small", "resnet18_v2")
EXPORTED = ("squeezenet1.1", "resnet18_v2")
"""Those that are exported in every test."""


def each(sample=SAMPLE):
    return [name if name in sample else pytest.param(name, marks=pytest.mark.long) for name in NUMBERS]


def side(name):
    """Of the smallest images that the network takes."""
    if name.startswith("inception"):
        return 299
    return 224 if name.startswith(("densenet", "squeezenet")) else 64


def small():
    """A net of our own out of ResNet's blocks, for images of 32 × 32."""
    return vision.ResNetV1(vision.BottleneckV1, [1, 1], [16, 32, 64], classes=10, thumbnail=True)


def images(name, batch=1, seed=0):
    size = side(name)
    return np.array(numpy.random.default_rng(seed).standard_normal((batch, 3, size, size)).astype("float32"))


def initialized(name, **kwargs):
    net = get_model(name, **kwargs)
    net.initialize()
    return net


def whole(name):
    """An image of 224, by which MXNet's dense layers have their sizes; where the net has none but the last, a small one."""
    return np.ones((1, 3, 224, 224)) if name.startswith(("alexnet", "vgg")) else images(name)


def close(found, expected, tolerance=1e-3):
    found, expected = found.asnumpy(), expected.asnumpy()
    numpy.testing.assert_allclose(found, expected, atol=tolerance * max(1e-6, float(numpy.abs(expected).max())), rtol=0)


def test_all_of_mxnets_names_are_there():
    assert set(NUMBERS) == set(vision.MODELS)
    for name, make in vision.MODELS.items():
        assert make is getattr(vision, make.__name__), name
        assert make.__doc__.startswith(f"Return the network {name}.")


@pytest.mark.parametrize("name", each())
def test_numbers_of_parameters(name):
    net = initialized(name)
    assert net(whole(name)).shape == (1, 1000)
    assert sum(p.data().size for p in net.collect_params().values()) == NUMBERS[name]


@pytest.mark.parametrize("name", each())
def test_hybridized_is_imperative(name):
    net = initialized(name, classes=10)
    x, more = images(name), images(name, 2, seed=1)
    one, two = net(x), net(more)
    assert one.shape == (1, 10)
    assert float(numpy.abs(one.asnumpy()).max()) > 0
    net.hybridize()
    close(net(x), one)
    close(net(more), two)
    close(net(x), one)
    assert net.program(x).fallbacks == net.program(more).fallbacks == ()
    programs = net.cache_info().captures
    close(net(images(name, 3)), net(images(name, 3)))
    assert net.cache_info().captures == programs, "of a third size: no other program"


MULTIPLY_ADDS = {
    "alexnet": 0.714, "densenet121": 2.834, "densenet201": 4.291, "inceptionv3": 5.713, "mobilenet1.0": 0.569,
    "mobilenetv2_1.0": 0.314, "mobilenetv3_large": 0.217, "mobilenetv3_small": 0.057, "resnet18_v1": 1.814,
    "resnet50_v1": 3.858, "resnet50_v2": 4.089, "squeezenet1.0": 0.819, "squeezenet1.1": 0.349, "vgg11": 7.609,
}  # fmt: skip
"""Thousands of millions, of the image for which the network was made. Those of SqueezeNet 1.0, DenseNet-201, Inception
v3 and MobileNet v3 (large) stand in torchvision's table; the others were counted once by hooks, as below.
"""


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long) for name in MULTIPLY_ADDS])
def test_multiply_adds(name):
    net, found = initialized(name), []

    def count(block, _, result):
        if isinstance(block, (nn.Conv2D, nn.Dense)):
            found.append(int(numpy.prod(result.shape[1:])) * int(numpy.prod(block.weight.shape[1:])))

    for block in _all_blocks(net):
        block.register_forward_hook(count)
    size = 299 if name == "inceptionv3" else 224
    net(np.zeros((1, 3, size, size)))
    assert round(sum(found) / 1e9, 3) == MULTIPLY_ADDS[name]


NAMES = {
    "resnet18_v1": ("resnetv1", [
        ("features.0.weight", "conv0_weight"), ("features.1.running_var", "batchnorm0_running_var"),
        ("features.4.1.body.3.weight", "stage1_conv3_weight"),
        ("features.5.0.downsample.0.weight", "stage2_conv2_weight"), ("output.bias", "dense0_bias"),
    ]),
    "resnet18_v2": ("resnetv2", [
        ("features.0.gamma", "batchnorm0_gamma"), ("features.6.0.bn2.beta", "stage2_batchnorm1_beta"),
        ("features.6.0.downsample.weight", "stage2_conv2_weight"), ("output.weight", "dense0_weight"),
    ]),
    "mobilenetv2_0.25": ("mobilenetv2", [
        ("features.0.weight", "features_conv0_weight"),
        ("features.4.out.3.weight", "features_linearbottleneck1_conv1_weight"), ("output.0.weight", "output_pred_weight"),
    ]),
    "squeezenet1.1": ("squeezenet", [
        ("features.3.1.1.0.weight", "conv3_weight"), ("output.0.bias", "conv25_bias"),
    ]),
    "densenet121": ("densenet", [
        ("features.4.0.1.2.weight", "stage1_conv0_weight"), ("features.5.2.weight", "conv1_weight"),
        ("features.6.3.1.5.weight", "stage2_conv7_weight"),
    ]),
    "inceptionv3": ("inception3", [
        ("features.0.0.weight", "conv0_weight"), ("features.7.1.1.0.weight", "A1_conv2_weight"),
        ("features.16.1.1.0.0.0.weight", "E1_conv2_weight"), ("output.weight", "dense0_weight"),
    ]),
    "vgg11_bn": ("vgg", [("features.1.gamma", "batchnorm0_gamma"), ("features.29.weight", "dense0_weight")]),
    "alexnet": ("alexnet", [("features.9.weight", "dense0_weight"), ("output.weight", "dense2_weight")]),
    "mobilenet0.25": ("mobilenet", [("features.3.weight", "conv1_weight"), ("output.weight", "dense0_weight")]),
}  # fmt: skip
"""Paths of MXNet 2.x and names of 1.x."""


@pytest.mark.parametrize("name", NAMES)
def test_names_of_both_generations(name):
    start, pairs = NAMES[name]
    found = get_model(name).collect_params()
    for path, old in pairs:
        first, _, rest = found[path].name.partition("_")
        assert first.startswith(start)
        assert first.removeprefix(start).isdigit()
        assert rest == old


@pytest.mark.parametrize("name", ["resnet18_v1", "squeezenet1.1", "mobilenetv2_0.25"])
def test_files_of_both_generations_load(name, tmp_path):
    net, x = initialized(name, classes=7), images(name)
    expected = net(x)
    net.save_parameters(tmp_path / f"{name}.params")
    old = {p.name: p.data() for p in net.collect_params().values()}
    other, third = get_model(name, classes=7), get_model(name, classes=7)
    other.load_parameters(tmp_path / f"{name}.params")
    third.load_dict(old)  # counters of another process
    close(other(x), expected, 1e-6)
    close(third(x), expected, 1e-6)
    fourth = get_model(name, classes=7, pretrained=True, root=tmp_path)
    close(fourth(x), expected, 1e-6)


def test_nothing_is_downloaded(tmp_path, monkeypatch):
    with pytest.raises(errors.LoadError, match=r"no parameters of resnet18_v1 in .*nothing is downloaded") as caught:
        vision.resnet18_v1(pretrained=True, root=tmp_path)
    assert "resnet18_v1.params" in str(caught.value)
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(errors.LoadError, match="E615"):
        get_model("mobilenetv2_0.5", pretrained=True)
    folder = tmp_path / "models"
    folder.mkdir()
    for file in ("squeezenet1.0-33ba0f93.params", "squeezenet1.1-33ba0f93.params", "squeezenet1.1-not.params"):
        (folder / file).write_bytes(b"")
    assert find_parameters("squeezenet1.1").name == "squeezenet1.1-33ba0f93.params"
    (folder / "squeezenet1.1.params").write_bytes(b"")
    assert find_parameters("squeezenet1.1").name == "squeezenet1.1.params"


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: get_model("resnet19_v1"), "resnet19_v1"), (lambda: vision.get_resnet(3, 18), "must be 1 or 2"),
        (lambda: vision.get_resnet(1, 19), "18, 34, 50, 101, 152"), (lambda: vision.get_vgg(12), "11, 13, 16, 19"),
        (lambda: vision.get_densenet(1), "121, 161, 169, 201"), (lambda: vision.get_squeezenet("2"), "1.0, 1.1"),
        (lambda: vision.ResNetV1(vision.BasicBlockV1, [2], [64]), "numbers of layers"),
        (lambda: vision.VGG([1, 1], [64]), "numbers of layers"),
    ],
)  # fmt: skip
def test_wrong_names_and_numbers(make, word):
    with pytest.raises(errors.ArgumentError, match=r"E331|E345") as caught:
        make()
    assert word in str(caught.value)


def test_makers_by_number_are_those_by_name():
    pairs = [
        (vision.get_resnet(2, 18), "resnet18_v2"), (vision.get_squeezenet("1.1"), "squeezenet1.1"),
        (vision.get_mobilenet(0.25), "mobilenet0.25"), (vision.get_mobilenet_v2(0.75), "mobilenetv2_0.75"),
        (vision.get_vgg(11, batch_norm=True), "vgg11_bn"), (vision.get_densenet(121), "densenet121"),
    ]  # fmt: skip
    for made, name in pairs:
        shapes = [(path, p.shape) for path, p in get_model(name.upper()).collect_params().items()]
        assert [(path, p.shape) for path, p in made.collect_params().items()] == shapes


REFERENCES = [
    pytest.param("resnet18_v1", networks.resnet18, id="resnet18", marks=pytest.mark.long),
    pytest.param("densenet121", networks.densenet121, id="densenet121", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("name", "make"), REFERENCES)
def test_results_are_those_of_the_papers_layers(name, make):
    """In float64 by NumPy, from a description of the layers that the zoo does not use."""
    network = make()
    weights, x = network.arrays(), network.input(1)
    expected = networks.expected(network, weights, x)
    net = initialized(name)
    net(np.array(x))
    given = [array for arrays in weights for array in arrays]
    parameters = list(net.collect_params().values())
    assert len(parameters) == len(given)
    for parameter, array in zip(parameters, given, strict=True):
        assert parameter.shape == array.shape
        parameter.set_data(np.array(array))
    for hybrid in (False, True):
        net.hybridize(hybrid)
        numpy.testing.assert_allclose(net(np.array(x)).asnumpy(), expected, atol=1e-3 * numpy.abs(expected).max())


@pytest.mark.filterwarnings("error")  # as of sizes that a file holds
@pytest.mark.parametrize("name", each(EXPORTED))
def test_exported_and_imported(name, tmp_path):
    net, x = initialized(name, classes=5), images(name)
    net.hybridize()
    expected = net(x)
    graph, parameters = net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(graph, ["data"], parameters)
    close(again(x), expected)
    again.hybridize()
    close(again(x), expected)


@pytest.mark.parametrize("name", ["small", *each(())])
def test_a_step_of_training_is_the_same(name):
    """Losses of two steps and the running statistics, in float64; dropout draws the same numbers."""
    net = small() if name == "small" else get_model(name, classes=3)
    net.initialize()
    net.cast("float64")
    x, labels = images(name, 2).astype("float64"), np.array([0, 2])
    net(x)
    before = {path: p.data().copy() for path, p in net.collect_params().items()}
    loss_of, found = gluon.loss.SoftmaxCrossEntropyLoss(), {}
    for hybrid in (False, True):
        net.load_dict(before)
        net.hybridize(hybrid)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
        np.random.seed(5)
        losses = []
        for _ in range(2):
            with autograd.record():
                loss = loss_of(net(x), labels).mean()
            loss.backward()
            trainer.step(1)
            losses.append(float(loss))
        running = [p.data().asnumpy() for path, p in net.collect_params().items() if "running" in path]
        found[hybrid] = losses, running
    numpy.testing.assert_allclose(found[True][0], found[False][0], rtol=1e-7)  # 152 layers magnify rounding
    for one, other in zip(found[True][1], found[False][1], strict=True):
        # Of what has been normalized the mean is 0, and what is there is rounding.
        numpy.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-15 + 1e-8 * float(numpy.abs(other).max()))


def _all_blocks(net):
    yield net
    for child in net._children.values():
        yield from _all_blocks(child)


def test_small_images_and_other_blocks():
    net = small()
    net.initialize()
    x = np.ones((2, 3, 32, 32))
    expected = net(x)
    net.hybridize()
    close(net(x), expected)
    net.output = nn.Dense(4)  # as for another task
    net.output.initialize()
    assert net(x).shape == (2, 4)
    assert net.features(x).shape == (2, 64, 1, 1)


def test_of_half_precision():
    net, x = small(), np.array(numpy.random.default_rng(1).standard_normal((2, 3, 32, 32)).astype("float32"))
    net.initialize()
    net(x)
    net.cast("float16")
    half = x.astype("float16")
    expected = net(half)
    assert expected.dtype == numpy.float16
    net.hybridize()
    close(net(half), expected, 2e-2)


def test_images_of_another_size():
    net, x = small(), np.ones((2, 3, 32, 32))
    net.initialize()
    expected = [net(one) for one in (x, x[:, :, :24, :29])]
    net.hybridize()
    for one, wanted in zip((x, x[:, :, :24, :29]), expected, strict=True):
        close(net(one), wanted)
    programs = net.cache_info().captures
    assert net(np.ones((2, 3, 20, 36))).shape == (2, 10)
    assert net.cache_info().captures == programs, "of a third size: no other program"


@pytest.mark.parametrize("name", each(("squeezenet1.1", "mobilenetv3_small")))
def test_summary(name, capsys):
    net = initialized(name)
    net.summary(whole(name))
    assert f"{NUMBERS[name]}" in capsys.readouterr().out.replace(",", "")


def test_exported_parameters_are_those_of_the_net(tmp_path):
    """As `arg:` and `aux:`, by which a net of the zoo loads them."""
    net, x = initialized("squeezenet1.1", classes=5), images("squeezenet1.1")
    net.hybridize()
    expected = net(x)
    _, parameters = net.export(str(tmp_path / "net"))
    other = get_model("squeezenet1.1", classes=5)
    other.load_parameters(parameters)
    close(other(x), expected)
