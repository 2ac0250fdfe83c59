"""Training loops, with what people put around them: logs, schedules, early stopping, metrics, checkpoints."""

import collections
import dataclasses
import math
from dataclasses import dataclass, field

import numpy

from hybridize import autograd, gluon, np, npx
from hybridize.gluon import nn


def blobs(count=60, seed=0):
    draw = numpy.random.default_rng(seed)
    labels = draw.integers(0, 3, count)
    x = draw.normal(size=(count, 4)) + 2 * numpy.eye(3, 4)[labels]
    return np.array(x, dtype="float32"), np.array(labels, dtype="int32")


def fill(net, x):
    """Weights that do not depend on a random generator."""
    net.initialize()
    net(x)
    for i, p in enumerate(net.collect_params().values()):
        p.set_data(np.array(0.3 * numpy.random.default_rng(i).normal(size=p.shape), dtype="float32"))
    return net


def mlp(x):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    return fill(net, x)


def batches(x, y, size=20):
    for i in range(0, len(x), size):
        yield x[i : i + size], y[i : i + size]


def gluon_training_loop(hybridize):
    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    @hybridize
    def train_batch(data, label):
        with autograd.record():
            output = net(data)
            loss = loss_fn(output, label)
        loss.backward()
        trainer.step(len(data))
        return loss.mean(), (output.argmax(axis=1) == label).mean()

    for epoch in range(2):
        train_loss, train_acc, n = 0.0, 0.0, 0
        for data, label in batches(x, y):
            loss, acc = train_batch(data, label)
            train_loss += loss.item()
            train_acc += acc.item()
            n += 1
        print(f"epoch {epoch + 1}: loss {train_loss / n:.3f}, train acc {train_acc / n:.3f}")
    return train_loss, train_acc, [p.data() for p in net.collect_params().values()]


def losses_in_a_list(hybridize):
    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    losses = []

    @hybridize
    def train_batch(data, label):
        with autograd.record():
            loss = loss_fn(net(data), label).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss)

    for data, label in batches(x, y):
        train_batch(data, label)
    return np.stack(losses), len(losses)


def float_of_the_loss(hybridize):
    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    history = {"loss": [], "acc": []}

    @hybridize
    def train_batch(data, label):
        with autograd.record():
            out = net(data)
            loss = loss_fn(out, label).mean()
        loss.backward()
        trainer.step(1)
        history["loss"].append(float(loss))
        history["acc"].append(float((out.argmax(1) == label).mean()))

    for data, label in batches(x, y):
        train_batch(data, label)
    return history


def printing_each_step(hybridize):
    x, y = blobs()
    w = np.zeros((4, 3))

    @hybridize
    def step(i, data, label, w):
        p = npx.softmax(data @ w)
        loss = -np.log(p[np.arange(len(label)), label]).mean()
        if i % 2 == 0:
            print(f"step {i}: loss = {loss:.4f}")
        return w - 0.5 * data.T @ (p - np.eye(3)[label]) / len(data)

    for i, (data, label) in enumerate(batches(x, y)):
        w = step(i, data, label, w)
    return w


def early_stopping(hybridize):
    @dataclass
    class EarlyStopping:
        patience: int = 2
        min_delta: float = 0.01
        best: float = math.inf
        counter: int = 0

        def __call__(self, loss):
            if loss < self.best - self.min_delta:
                self.best = loss
                self.counter = 0
            else:
                self.counter += 1
            return self.counter >= self.patience

    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y).mean()
        loss.backward()
        trainer.step(1)
        return loss

    stop = EarlyStopping()
    epochs = 0
    while epochs < 10:
        epochs += 1
        if stop(train(x, y).item()):
            break
    return epochs, stop.best


def early_stopping_inside(hybridize):
    x, y = blobs()
    y = (y > 0).astype("float32")

    @hybridize
    def fit(x, y, patience=3):
        w = np.zeros(4)
        best_loss, best_w, wait = np.inf, w, 0
        for epoch in range(100):
            p = npx.sigmoid(x @ w)
            loss = ((p - y) ** 2).mean()
            if loss < best_loss - 1e-3:
                best_loss, best_w, wait = loss, w, 0
            else:
                wait += 1
                if wait == patience:
                    break
            w = w - 0.5 * x.T @ (p - y) / len(y)
        return best_w, best_loss, epoch

    return fit(x, y)


def gradient_clipping(hybridize):
    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})

    def grad_clipping(params, theta):
        norm = np.sqrt(sum((p.grad() ** 2).sum() for p in params))
        if norm > theta:
            for p in params:
                p.grad()[:] *= theta / norm
        return norm

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y).mean()
        loss.backward()
        norm = grad_clipping(list(net.collect_params().values()), 0.5)
        trainer.step(1)
        return loss, norm

    return [train(x, y) for _ in range(3)]


def gradient_accumulation(hybridize):
    x, y = blobs(40)
    w = np.zeros((4, 3))
    w.attach_grad()
    accumulated = [np.zeros((4, 3))]
    count = 0

    @hybridize
    def accumulate(data, label):
        nonlocal count
        with autograd.record():
            loss = -(npx.log_softmax(data @ w) * np.eye(3)[label]).sum() / len(data)
        loss.backward()
        accumulated[0] += w.grad
        count += 1
        if count % 2 == 0:
            w[:] = w - 0.1 * accumulated[0] / 2
            accumulated[0] = np.zeros_like(w)
        return loss

    return [accumulate(*batch) for batch in batches(x, y, 10)], w, count


def exponential_moving_average_of_weights(hybridize):
    class EMA:
        def __init__(self, decay):
            self.decay = decay
            self.shadow = {}

        def register(self, name, val):
            self.shadow[name] = val.copy()

        def __call__(self, name, x):
            assert name in self.shadow
            new_average = (1.0 - self.decay) * x + self.decay * self.shadow[name]
            self.shadow[name] = new_average.copy()
            return new_average

    params = {"w": np.ones((2, 2)), "b": np.zeros(2)}
    ema = EMA(0.9)
    for name, value in params.items():
        ema.register(name, value)

    @hybridize
    def step(x):
        for name in params:
            params[name] = params[name] - 0.1 * x.mean() * np.ones_like(params[name])
            ema(name, params[name])
        return x @ ema.shadow["w"] + ema.shadow["b"]

    return [step(np.array([[1.0, float(i)]])) for i in range(3)], ema.shadow


def cosine_schedule_with_warmup(hybridize):
    def get_lr(it, warmup=3, total=10, max_lr=0.1, min_lr=0.01):
        if it < warmup:
            return max_lr * (it + 1) / warmup
        if it > total:
            return min_lr
        ratio = (it - warmup) / (total - warmup)
        return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (max_lr - min_lr)

    @hybridize
    def step(w, it):
        lr = get_lr(it)
        return w - lr * 2 * w, lr

    w, rates = np.array([1.0, -2.0]), []
    for it in range(12):
        w, lr = step(w, it)
        rates.append(lr)
    return w, rates


def step_decay_by_callbacks(hybridize):
    class Callback:
        def on_batch_end(self, state):
            pass

    class StepDecay(Callback):
        def __init__(self, every, factor):
            self.every, self.factor = every, factor

        def on_batch_end(self, state):
            if state["step"] % self.every == 0:
                state["lr"] *= self.factor

    class Recorder(Callback):
        def __init__(self):
            self.losses = []

        def on_batch_end(self, state):
            self.losses.append(state["loss"])

    recorder = Recorder()
    callbacks = [StepDecay(2, 0.5), recorder]
    state = {"step": 0, "lr": 0.4, "w": np.array([3.0, -1.0]), "loss": None}

    @hybridize
    def train_step(target):
        error = state["w"] - target
        state["loss"] = (error**2).sum()
        state["w"] = state["w"] - state["lr"] * error
        state["step"] += 1
        for callback in callbacks:
            callback.on_batch_end(state)
        return state["loss"]

    return [train_step(np.zeros(2)) for _ in range(5)], recorder.losses, state


def metrics_in_a_dataclass(hybridize):
    @dataclass
    class Metrics:
        correct: int = 0
        total: int = 0
        loss: float = 0.0
        history: list = field(default_factory=list)

        def update(self, output, label, loss):
            self.correct += (output.argmax(axis=1) == label).sum()
            self.total += len(label)
            self.loss += loss
            self.history.append(loss)

        @property
        def accuracy(self):
            return self.correct / self.total

    x, y = blobs()
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    metrics = Metrics()

    @hybridize
    def evaluate(data, label):
        output = net(data)
        metrics.update(output, label, loss_fn(output, label).sum())

    for batch in batches(x, y):
        evaluate(*batch)
    return float(metrics.accuracy), metrics.total, float(metrics.loss), len(metrics.history)


def accumulator_and_evaluation(hybridize):
    class Accumulator:
        def __init__(self, n):
            self.data = [0.0] * n

        def add(self, *args):
            self.data = [a + float(b) for a, b in zip(self.data, args)]

        def reset(self):
            self.data = [0.0] * len(self.data)

        def __getitem__(self, idx):
            return self.data[idx]

    x, y = blobs()
    net = mlp(x)

    def accuracy(y_hat, y):
        if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
            y_hat = y_hat.argmax(axis=1)
        cmp = y_hat.astype(y.dtype) == y
        return float(cmp.astype(y.dtype).sum())

    metric = Accumulator(2)

    @hybridize
    def evaluate(data, label):
        metric.add(accuracy(net(data), label), label.size)

    for data, label in batches(x, y):
        evaluate(data, label)
    return metric[0] / metric[1]


def average_meter(hybridize):
    class AverageMeter:
        def __init__(self, name):
            self.name = name
            self.reset()

        def reset(self):
            self.val = self.avg = self.sum = self.count = 0

        def update(self, val, n=1):
            self.val = val
            self.sum += val * n
            self.count += n
            self.avg = self.sum / self.count

        def __str__(self):
            return f"{self.name} {self.val:.3f} ({self.avg:.3f})"

    meter = AverageMeter("loss")

    @hybridize
    def validate(x):
        loss = (x**2).mean()
        meter.update(loss, x.shape[0])
        return meter.avg

    return [validate(np.ones((4, 2)) * i) for i in range(3)], meter.count


def confusion_matrix_on_the_way(hybridize):
    x, y = blobs()
    net = mlp(x)
    matrix = np.zeros((3, 3))

    @hybridize
    def update(data, label):
        predicted = net(data).argmax(axis=1)
        for i in range(3):
            for j in range(3):
                matrix[i, j] += np.sum((label == i) & (predicted == j))
        return predicted

    for batch in batches(x, y):
        update(*batch)
    precision = np.diag(matrix) / np.maximum(matrix.sum(axis=0), 1)
    return matrix, precision


def best_checkpoint_in_a_dict(hybridize):
    params = {"w": np.array([2.0, -3.0])}
    best = {"loss": float("inf"), "params": None}

    @hybridize
    def step(noise):
        params["w"] = params["w"] * 0.8 + noise
        loss = (params["w"] ** 2).sum()
        if loss < best["loss"]:
            best["loss"] = loss
            best["params"] = {k: v.copy() for k, v in params.items()}
        return loss

    losses = [step(np.array(v)) for v in (0.1, 0.0, 2.0, 0.0)]
    return losses, best


def learning_rate_finder(hybridize):
    x, y = blobs()
    target = np.eye(3)[y]

    @hybridize
    def try_rate(w, lr):
        p = npx.softmax(x @ w)
        loss = -(target * np.log(p + 1e-8)).sum(axis=1).mean()
        return w - lr * x.T @ (p - target) / len(x), loss

    w, lr, best = np.zeros((4, 3)), 1e-3, math.inf
    lrs, losses = [], []
    while lr < 10:
        w, loss = try_rate(w, lr)
        loss = float(loss)
        if loss > 4 * best:
            break
        best = min(best, loss)
        lrs.append(lr)
        losses.append(loss)
        lr *= 2
    return lrs[int(numpy.argmin(losses))], losses


def label_smoothing_loss(hybridize):
    x, y = blobs(20)
    net = mlp(x)

    class LabelSmoothing(gluon.loss.Loss):
        def __init__(self, smoothing=0.1, classes=3, **kwargs):
            super().__init__(weight=None, batch_axis=0, **kwargs)
            self.smoothing, self.classes = smoothing, classes

        def forward(self, pred, label):
            log_probs = npx.log_softmax(pred)
            one_hot = npx.one_hot(label, self.classes)
            smooth = one_hot * (1 - self.smoothing) + self.smoothing / self.classes
            return -(smooth * log_probs).sum(axis=-1)

    loss_fn = hybridize(LabelSmoothing())
    return loss_fn(net(x), y)


def focal_loss_and_class_weights(hybridize):
    weights = np.array([1.0, 2.0, 0.5])

    @hybridize
    def focal(logits, label, gamma=2.0):
        log_p = npx.log_softmax(logits)
        log_pt = npx.pick(log_p, label)
        pt = np.exp(log_pt)
        alpha = weights[label]
        loss = -alpha * (1 - pt) ** gamma * log_pt
        return loss.sum() / alpha.sum()

    x, y = blobs(12)
    return focal(x[:, :3], y)


def mixup_and_random_numbers(hybridize):
    @hybridize
    def mixup(x, y):
        lam = np.random.uniform(0.3, 0.7)
        index = np.arange(len(x))[::-1]
        return lam * x + (1 - lam) * x[index], lam * y + (1 - lam) * y[index]

    x, y = blobs(6)
    return mixup(x, np.eye(3)[y])


def training_with_config(hybridize):
    @dataclass(frozen=True)
    class Config:
        lr: float = 0.1
        momentum: float = 0.9
        nesterov: bool = True
        weight_decay: float = 1e-2

    config = Config()

    @hybridize
    def step(state, grad):
        g = grad + config.weight_decay * state["w"]
        v = config.momentum * state["v"] + g
        update = g + config.momentum * v if config.nesterov else v
        return {"w": state["w"] - config.lr * update, "v": v, "t": state["t"] + 1}

    state = {"w": np.ones(3), "v": np.zeros(3), "t": 0}
    for i in range(3):
        state = step(state, np.array([1.0, 0.0, -1.0]) * (i + 1))
    config = dataclasses.replace(config, nesterov=False)
    return step(state, np.ones(3))


def train_state_as_dataclass(hybridize):
    @dataclass
    class TrainState:
        params: dict
        step: int

    @hybridize
    def train_step(state, x, y):
        pred = x @ state.params["w"] + state.params["b"]
        error = pred - y
        grads = {"w": x.T @ error / len(x), "b": error.mean()}
        new = {k: p - 0.1 * grads[k] for k, p in state.params.items()}
        return TrainState(new, state.step + 1), (error**2).mean()

    x, y = blobs(10)
    state = TrainState({"w": np.zeros(4), "b": np.zeros(())}, 0)
    losses = []
    for _ in range(3):
        state, loss = train_step(state, x, y.astype("float32"))
        losses.append(loss)
    return state.params, state.step, losses


def train_state_as_named_tuple(hybridize):
    State = collections.namedtuple("State", ["w", "m", "step"])

    @hybridize
    def update(state, g):
        m = 0.9 * state.m + g
        return State(state.w - 0.1 * m, m, state.step + 1)

    state = State(np.ones(2), np.zeros(2), 0)
    for i in range(3):
        state = update(state, state.w * 0.5)
    return state


def frozen_layers(hybridize):
    x, y = blobs(20)
    net = mlp(x)
    for p in net[0].collect_params().values():
        p.grad_req = "null"
    before = net[0].weight.data().copy()
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net[1].collect_params(), "sgd", {"learning_rate": 0.5})

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    losses = [train(x, y) for _ in range(3)]
    return losses, (net[0].weight.data() == before).all()


def nan_check(hybridize):
    @hybridize
    def step(w, g):
        if np.isnan(g).any():
            raise ValueError("NaN in the gradient")
        return w - 0.1 * g

    w = step(np.ones(3), np.ones(3))
    try:
        step(w, np.array([1.0, float("nan"), 0.0]))
    except ValueError as error:
        return w, str(error).splitlines()[0][-19:]
    return w, "no error"


def loss_scaling(hybridize):
    class Scaler:
        def __init__(self):
            self.scale = 1024.0
            self.good = 0

        def step(self, w, g):
            g = g / self.scale
            if not np.isfinite(g).all():
                self.scale /= 2
                self.good = 0
                return w
            self.good += 1
            if self.good == 2:
                self.scale *= 2
                self.good = 0
            return w - 0.1 * g

    scaler = Scaler()
    step = hybridize(scaler.step)
    w, scales = np.ones(2), []
    for g in ([1.0, 2.0], [3.0, 4.0], [float("inf"), 0.0], [1.0, 1.0]):
        w = step(w, np.array(g) * scaler.scale)
        scales.append(float(scaler.scale))
    return w, scales


def metrics_with_gluon(hybridize):
    x, y = blobs()
    net = mlp(x)
    metric = gluon.metric.Accuracy()

    @hybridize
    def predict(data):
        return npx.softmax(net(data))

    for data, label in batches(x, y):
        metric.update(label, predict(data))
    return metric.get()


def rate_set_between_epochs(hybridize):
    x, y = blobs(20)
    net = mlp(x)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    losses = []
    for epoch in range(4):
        if epoch == 2:
            trainer.set_learning_rate(trainer.learning_rate * 0.1)
        losses.append(train(x, y).item())
    return losses


def d2l_trainer_with_add_to_class(hybridize):
    def add_to_class(cls):
        def wrapper(obj):
            setattr(cls, obj.__name__, obj)

        return wrapper

    class LinearRegression(nn.HybridBlock):
        def __init__(self, lr):
            super().__init__()
            self.lr = lr
            self.w, self.b = np.zeros(4), np.zeros(1)

    @add_to_class(LinearRegression)
    def forward(self, x):
        return np.dot(x, self.w) + self.b

    @add_to_class(LinearRegression)
    def loss(self, y_hat, y):
        return ((y_hat - y) ** 2 / 2).mean()

    model = hybridize(LinearRegression(0.1))
    x, y = blobs(10)
    first = model.loss(model(x), y)

    @add_to_class(LinearRegression)
    def forward(self, x):
        return np.dot(x, self.w) + 1.0

    return first, model.loss(model(x), y)


PROGRAMS = [
    gluon_training_loop, losses_in_a_list, float_of_the_loss, printing_each_step, early_stopping,
    early_stopping_inside, gradient_clipping, gradient_accumulation, exponential_moving_average_of_weights,
    cosine_schedule_with_warmup, step_decay_by_callbacks, metrics_in_a_dataclass, accumulator_and_evaluation,
    average_meter, confusion_matrix_on_the_way, best_checkpoint_in_a_dict, learning_rate_finder, label_smoothing_loss,
    focal_loss_and_class_weights, mixup_and_random_numbers, training_with_config, train_state_as_dataclass,
    train_state_as_named_tuple, frozen_layers, nan_check, loss_scaling, metrics_with_gluon, rate_set_between_epochs,
    d2l_trainer_with_add_to_class,
]  # fmt: skip
