"""Every optimizer, and every schedule of the learning rate, on a small perceptron that reads handwritten digits.

    pip install "hybridize[data,plot]"
    python examples/training/optimizers.py [--plot curves.png]

Each trains imperatively, then hybridized. Exits with an error when the losses of the two differ, or when one of them
tells fewer than 90 % of the test digits right. `--plot` draws the losses (matplotlib).
"""

import argparse

import numpy

from hybridize import autograd, gluon, init, lr_scheduler, random
from hybridize.gluon import data, nn

BATCH, EPOCHS = 64, 6
STEPS = EPOCHS * 23
GOAL = 0.90

OPTIMIZERS = {
    "sgd": {"learning_rate": 0.3},
    "sgd with momentum": {"learning_rate": 0.05, "momentum": 0.9},
    "nag": {"learning_rate": 0.05, "momentum": 0.9},
    "adagrad": {"learning_rate": 0.05},
    "rmsprop": {"learning_rate": 0.003},
    "rmsprop, centred": {"learning_rate": 0.003, "centered": True},
    "adadelta": {"learning_rate": 1.0, "rho": 0.9},
    "adam": {"learning_rate": 0.005},
    "adamw": {"learning_rate": 0.005, "wd": 0.01},
    "adamax": {"learning_rate": 0.01},
    "nadam": {"learning_rate": 0.005},
    "ftrl": {"learning_rate": 1.0, "lamda1": 0.001},
    "lamb": {"learning_rate": 0.02},
    "signum": {"learning_rate": 0.002, "momentum": 0.9},
    "adabelief": {"learning_rate": 0.01},
    "ftml": {"learning_rate": 0.02},
    "dcasgd": {"learning_rate": 0.3},
    "lars": {"learning_rate": 4.0, "eta": 0.01},
    "lbsgd": {"learning_rate": 0.05, "momentum": 0.9},
    "lans": {"learning_rate": 0.02},
}
SCHEDULES = {
    "factor": lr_scheduler.FactorScheduler(step=30, factor=0.7, base_lr=0.5),
    "multi-factor": lr_scheduler.MultiFactorScheduler(step=[60, 100], factor=0.3, base_lr=0.5),
    "polynomial": lr_scheduler.PolyScheduler(max_update=STEPS, base_lr=0.5, pwr=2),
    "cosine with warm-up": lr_scheduler.CosineScheduler(STEPS, base_lr=0.5, warmup_steps=20),
}
SETTINGS = {
    **{name: (name.split()[0].rstrip(","), options) for name, options in OPTIMIZERS.items()},
    **{name: ("sgd", {"lr_scheduler": schedule}) for name, schedule in SCHEDULES.items()},
}
FAMILIES = {
    "gradient descent": ("sgd", "sgd with momentum", "nag", "signum", "dcasgd"),
    "by sums and averages of squares": ("adagrad", "rmsprop", "rmsprop, centred", "adadelta", "ftrl"),
    "Adam and its kin": ("adam", "adamw", "adamax", "nadam"),
    "newer kin": ("adabelief", "ftml"),
    "for large batches": ("lamb", "lans", "lars", "lbsgd"),
    "schedules of sgd": tuple(SCHEDULES),
}


def train(name="adam", compiled=False, dtype="float32", epochs=EPOCHS):
    """The loss of every step, and the accuracy on digits not seen."""
    random.seed(5)
    training, testing = data.sets.digits(True), data.sets.digits(False)
    if dtype != "float32":
        training, testing = (one.transform_first(lambda x: x.astype(dtype), lazy=False) for one in (training, testing))
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="tanh", in_units=64), nn.Dense(10, in_units=32))
    net.initialize(init.Xavier())
    net.cast(dtype)
    if compiled:
        net.hybridize()
    optimizer, options = SETTINGS[name]
    trainer = gluon.Trainer(net.collect_params(), optimizer, options)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(epochs):
        for x, y in data.DataLoader(training, BATCH, shuffle=True):
            with autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(len(x))
            losses.append(float(loss.mean()))
    accuracy = gluon.metric.Accuracy()
    for x, y in data.DataLoader(testing, 256):
        accuracy.update(y, net(x))
    return losses, accuracy.get()[1]


def draw(curves, path):
    """The losses of each, as means of ten steps; a part for each family, the other curves in grey behind."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means = {name: numpy.convolve(losses, numpy.full(10, 0.1), mode="valid") for name, losses in curves.items()}
    figure, parts = pyplot.subplots(2, 3, figsize=(15, 8), sharex=True, sharey=True)
    for part, (title, names) in zip(parts.flat, FAMILIES.items(), strict=True):
        for name, values in means.items():
            if name not in names:
                part.plot(numpy.arange(10, len(values) + 10), values, color="0.88", linewidth=1)
        for name, style in zip(names, ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1))), strict=False):
            if name in means:
                values = means[name]
                part.plot(numpy.arange(10, len(values) + 10), values, linestyle=style, linewidth=2, label=name)
        part.set_title(title)
        part.set_yscale("log")
        part.set_yticks([2, 1, 0.5, 0.2, 0.1, 0.05], labels=["2", "1", "0.5", "0.2", "0.1", "0.05"], minor=False)
        part.set_yticks([], minor=True)
        part.grid(color="0.94")
        part.set_axisbelow(True)
        part.spines[["top", "right"]].set_visible(False)
        if part.get_legend_handles_labels()[0]:
            part.legend(fontsize="small", frameon=False, loc="upper right", handlelength=3)
    figure.supxlabel("steps", fontsize="medium")
    figure.supylabel("loss, mean of ten steps", fontsize="medium")
    figure.suptitle("A perceptron that reads digits, 64 at a time")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="draw the losses")
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(SETTINGS)}")
    chosen = parser.parse_args()
    curves = {}
    for name in chosen.names or SETTINGS:
        imperative, right = train(name)
        compiled, right_compiled = train(name, compiled=True)
        numpy.testing.assert_allclose(compiled[:10], imperative[:10], rtol=1e-4)
        print(f"{name:20} loss {imperative[0]:.3f} -> {imperative[-1]:.3f}, {right:.1%} right")
        if min(right, right_compiled) < GOAL:
            raise SystemExit(f"{name}: fewer than {GOAL:.0%} are right")
        curves[name] = compiled
    if chosen.plot:
        draw(curves, chosen.plot)
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
