"""Python's ways: decorators, generators, dataclasses, registries, context managers, classes that hold state."""

import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import math
from dataclasses import dataclass, field

from hybridize import autograd, np, npx


def registry_of_activations(hybridize):
    registry = {}

    def register(name):
        def decorator(function):
            registry[name] = function
            return function

        return decorator

    @register("relu")
    def relu(x):
        return np.maximum(x, 0)

    @register("swish")
    def swish(x):
        return x / (1 + np.exp(-x))

    @hybridize
    def apply(x, name):
        if name not in registry:
            raise KeyError(f"unknown activation {name}")
        return registry[name](x)

    x = np.array([-1.0, 2.0])
    first = apply(x, "relu"), apply(x, "swish")
    registry["relu"] = lambda x: x * 10
    return first, apply(x, "relu")


def counting_decorator(hybridize):
    def counted(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            wrapper.calls += 1
            return function(*args, **kwargs)

        wrapper.calls = 0
        return wrapper

    @counted
    def loss(x):
        return (x**2).sum()

    @hybridize
    def step(x):
        return loss(x) + loss(x * 2)

    return [step(np.array([float(i)])) for i in range(3)], loss.calls


def memo_in_a_dict(hybridize):
    cache = {}

    def basis(n):
        if n not in cache:
            cache[n] = np.arange(n) / n
        return cache[n]

    @hybridize
    def project(x):
        return x @ basis(len(x))

    return project(np.ones(3)), project(np.ones(5)), project(np.ones(3) * 2), sorted(cache)


def lru_cached_window(hybridize):
    @functools.lru_cache(maxsize=None)
    def window(n):
        return 0.5 - 0.5 * np.cos(2 * math.pi * np.arange(n) / (n - 1))

    @hybridize
    def energy(x):
        return ((x * window(len(x))) ** 2).sum()

    return energy(np.ones(4)), energy(np.ones(8)), energy(np.ones(4) * 3)


def shapes_with_inheritance(hybridize):
    class Shape:
        def area(self):
            return 0.0

        def describe(self):
            return f"{type(self).__name__} of {float(self.area()):.2f}"

    class Circle(Shape):
        def __init__(self, r):
            self.r = r

        def area(self):
            return math.pi * self.r**2

    class Square(Shape):
        def __init__(self, side):
            self.side = side

        def area(self):
            return self.side**2

    @hybridize
    def total(shapes_r):
        shapes = [Circle(shapes_r[0]), Square(shapes_r[1])]
        return sum(s.area() for s in shapes)

    return total(np.array([1.0, 2.0])), Circle(np.array(1.0)).describe()


def vectors_with_operators(hybridize):
    class Vector:
        def __init__(self, data):
            self.data = data

        def __add__(self, other):
            return Vector(self.data + other.data)

        def __mul__(self, scale):
            return Vector(self.data * scale)

        __rmul__ = __mul__

        def __matmul__(self, other):
            return (self.data * other.data).sum()

        def __getitem__(self, index):
            return self.data[index]

        def __len__(self):
            return len(self.data)

    @hybridize
    def combine(a, b):
        v = Vector(a) + 2 * Vector(b)
        return v @ v, v[0], len(v)

    return combine(np.array([1.0, 2.0]), np.array([3.0, -1.0]))


def returns_of_a_dataclass(hybridize):
    @dataclass
    class Output:
        logits: object
        loss: object = None
        hidden: list = field(default_factory=list)

    w = np.ones((3, 2))

    @hybridize
    def model(x, labels=None):
        out = Output(x @ w)
        out.hidden.append(x)
        if labels is not None:
            out.loss = -npx.pick(npx.log_softmax(out.logits), labels).mean()
        return out

    x = np.array([[1.0, 2.0, 3.0]])
    return model(x), model(x, np.array([1], dtype="int32")).loss


def settings_by_context_manager(hybridize):
    state = {"training": False}

    @contextlib.contextmanager
    def training():
        state["training"] = True
        try:
            yield
        finally:
            state["training"] = False

    @hybridize
    def forward(x):
        return x * 0.5 if state["training"] else x

    x = np.ones(2)
    first = forward(x)
    with training():
        second = forward(x)
    return first, second, forward(x)


def context_manager_inside(hybridize):
    class Scope:
        stack = []

        def __init__(self, name):
            self.name = name

        def __enter__(self):
            Scope.stack.append(self.name)
            return self

        def __exit__(self, *error):
            Scope.stack.pop()

    @hybridize
    def forward(x):
        with Scope("encoder"):
            x = x * len(Scope.stack)
            with Scope("layer"):
                x = x + len(Scope.stack)
        return x

    return forward(np.ones(2)), Scope.stack


def modes_of_an_enum(hybridize):
    class Reduction(enum.Enum):
        NONE = "none"
        MEAN = "mean"
        SUM = "sum"

    @hybridize
    def loss(x, y, reduction=Reduction.MEAN):
        error = (x - y) ** 2
        match reduction:
            case Reduction.MEAN:
                return error.mean()
            case Reduction.SUM:
                return error.sum()
        return error

    x, y = np.array([1.0, 2.0]), np.array([0.0, 4.0])
    return loss(x, y), loss(x, y, Reduction.SUM), loss(x, y, Reduction.NONE)


def pairs_and_windows_by_itertools(hybridize):
    @hybridize
    def interactions(columns):
        products = [a * b for a, b in itertools.combinations(columns, 2)]
        windows = [a + b for a, b in zip(columns, columns[1:])]
        return np.stack(products), np.stack(windows), list(itertools.accumulate(columns))[-1]

    return interactions([np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])])


def generator_of_batches_inside(hybridize):
    def chunks(x, size):
        for start in range(0, len(x), size):
            yield x[start : start + size]

    @hybridize
    def norms(x):
        return [np.sqrt((chunk**2).sum()) for chunk in chunks(x, 2)]

    return norms(np.arange(6, dtype="float32"))


def keyword_arguments_through_layers(hybridize):
    def dense(x, w, *, bias=None, activation=None):
        x = x @ w
        if bias is not None:
            x = x + bias
        return activation(x) if activation else x

    def network(x, *layers, **options):
        for w in layers:
            x = dense(x, w, **options)
        return x

    @hybridize
    def run(x, layers):
        return network(x, *layers, activation=np.tanh, bias=0.1)

    return run(np.ones((1, 2)), [np.ones((2, 3)), np.ones((3, 1))])


def pipeline_by_reduce(hybridize):
    steps = [lambda x: x + 1, np.square, lambda x: x - x.mean(), functools.partial(np.clip, a_min=-1, a_max=1)]

    @hybridize
    def pipeline(x):
        return functools.reduce(lambda value, step: step(value), steps, x)

    first = pipeline(np.array([0.0, 1.0, 2.0]))
    steps.pop()
    return first, pipeline(np.array([0.0, 1.0, 2.0]))


def validation_of_arguments(hybridize):
    @hybridize
    def normalize(x, axis=-1, eps=1e-5):
        if not isinstance(x, np.ndarray):
            raise TypeError(f"an array is expected, not {type(x).__name__}")
        if x.ndim == 0 or eps <= 0:
            raise ValueError("bad arguments")
        return x / (np.abs(x).sum(axis=axis, keepdims=True) + eps)

    messages = []
    for args in ((np.array(1.0),), (np.ones(2), 0, -1.0)):
        try:
            normalize(*args)
        except ValueError as error:
            messages.append(str(error))
    return normalize(np.array([[1.0, 3.0]])), messages


def fallback_on_missing_keys(hybridize):
    defaults = {"scale": 2.0}

    @hybridize
    def forward(x, options):
        try:
            scale = options["scale"]
        except KeyError:
            scale = defaults["scale"]
        shift = options.get("shift", 0.0)
        return x * scale + shift

    x = np.ones(2)
    results = [forward(x, {}), forward(x, {"scale": 5.0}), forward(x, {"shift": 1.0})]
    defaults["scale"] = 7.0
    return [*results, forward(x, {})]


def running_statistics_by_welford(hybridize):
    class RunningStats:
        def __init__(self):
            self.n = 0
            self.mean = 0.0
            self.m2 = 0.0

        def push(self, x):
            self.n += 1
            delta = x - self.mean
            self.mean += delta / self.n
            self.m2 += delta * (x - self.mean)
            return self

        @property
        def variance(self):
            return self.m2 / (self.n - 1) if self.n > 1 else 0.0

    stats = RunningStats()

    @hybridize
    def observe(x):
        return stats.push(x.mean()).variance

    variances = [observe(np.array([float(v), v + 1.0])) for v in (1, 5, 2)]
    return variances, stats.mean, stats.n


def nonlocal_counter_with_reset(hybridize):
    def make_logger(every):
        step, sums = 0, np.zeros(())

        def log(value):
            nonlocal step, sums
            step += 1
            sums = sums + value
            if step % every == 0:
                average, sums = sums / every, np.zeros(())
                return average
            return None

        return log

    log = make_logger(2)

    @hybridize
    def train(x):
        return log((x**2).sum())

    return [train(np.array([float(i)])) for i in range(4)]


def nested_structures_by_tree_map(hybridize):
    def tree_map(function, *trees):
        first = trees[0]
        if isinstance(first, dict):
            return {k: tree_map(function, *(t[k] for t in trees)) for k in first}
        if isinstance(first, (list, tuple)):
            return type(first)(tree_map(function, *parts) for parts in zip(*trees))
        return function(*trees)

    @hybridize
    def update(params, grads, lr):
        return tree_map(lambda p, g: p - lr * g, params, grads)

    params = {"dense": [np.ones(2), np.zeros(1)], "scale": (np.array(2.0),)}
    grads = {"dense": [np.ones(2), np.ones(1)], "scale": (np.array(1.0),)}
    for _ in range(2):
        params = update(params, grads, 0.1)
    return params


def history_as_deque_of_numbers(hybridize):
    recent = collections.deque(maxlen=3)

    @hybridize
    def smooth(x):
        recent.append(x.sum())
        return sum(recent) / len(recent)

    return [smooth(np.array([float(i), 1.0])) for i in range(5)], len(recent)


def grouped_metrics_by_name(hybridize):
    metrics = collections.defaultdict(list)

    @hybridize
    def evaluate(x):
        metrics["mean"].append(x.mean())
        metrics["max"].append(x.max())
        return x

    for i in range(3):
        evaluate(np.arange(4, dtype="float32") * i)
    return {name: np.stack(values) for name, values in metrics.items()}


def best_of_several_candidates(hybridize):
    @hybridize
    def best(x, rates):
        candidates = [x - r * 2 * x for r in rates]
        losses = [(c**2).sum() for c in candidates]
        return min(losses), candidates[int(np.argmin(np.stack(losses)))]

    return best(np.array([1.0, -2.0]), [0.1, 0.5, 0.9])


def largest_of_elements(hybridize):
    @hybridize
    def summary(x):
        values = list(x)
        return max(values), min(values), sum(values) / len(values), any(v < 0 for v in values)

    largest, smallest, mean, negative = summary(np.array([3.0, -1.0, 2.0]))
    return largest, smallest, mean, bool(negative)


def table_lookup_by_argmax(hybridize):
    actions = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    @hybridize
    def move(position, q):
        dx, dy = actions[int(q.argmax())]
        return position + np.array([dx, dy])

    position = np.zeros(2)
    for q in ([0.1, 0.9, 0.0, 0.0], [0.0, 0.0, 0.2, 0.8]):
        position = move(position, np.array(q))
    return position


def text_of_results(hybridize):
    @hybridize
    def report(x, name):
        mean, std = x.mean(), x.std()
        return f"{name}: {mean:.2f} +- {std:.2f}"

    return report(np.array([1.0, 2.0, 3.0]), "data")


def weights_replaced_by_the_user(hybridize):
    class Layer:
        def __init__(self, w):
            self.w = w
            self.scale = 1.0

        def __call__(self, x):
            return x @ self.w * self.scale

    layer = Layer(np.ones((2, 2)))
    net = hybridize(lambda x: layer(x))
    x = np.array([1.0, 2.0])
    results = [net(x)]
    layer.w = np.eye(2)
    results.append(net(x))
    layer.w[0, 0] = 5
    results.append(net(x))
    layer.scale = 3.0
    results.append(net(x))
    layer = Layer(np.zeros((2, 2)))
    return [*results, net(x)]


def frozen_settings_replaced(hybridize):
    @dataclass(frozen=True)
    class Settings:
        width: int = 3
        activation: str = "relu"

    settings = Settings()

    def forward(x):
        w = np.ones((len(x), settings.width))
        h = x @ w
        return np.maximum(h, 0) if settings.activation == "relu" else np.tanh(h)

    fast = hybridize(forward)
    first = fast(np.array([1.0, -3.0]))
    settings = dataclasses.replace(settings, activation="tanh", width=2)
    return first, fast(np.array([1.0, -3.0]))


def gradients_of_a_class(hybridize):
    class Quadratic:
        def __init__(self):
            self.a = np.array([3.0, 1.0])
            self.a.attach_grad()
            self.losses = []

        def fit_step(self, x, y):
            with autograd.record():
                loss = ((self.a[0] * x**2 + self.a[1] * x - y) ** 2).mean()
            loss.backward()
            self.a[:] = self.a - 0.05 * self.a.grad
            self.losses.append(loss)
            return self

    model = Quadratic()

    @hybridize
    def train(x, y):
        model.fit_step(x, y)
        return model.a * 1

    x = np.linspace(-1, 1, 5)
    weights = [train(x, 2 * x**2) for _ in range(3)]
    return weights, model.losses


PROGRAMS = [
    registry_of_activations, counting_decorator, memo_in_a_dict, lru_cached_window, shapes_with_inheritance,
    vectors_with_operators, returns_of_a_dataclass, settings_by_context_manager, context_manager_inside,
    modes_of_an_enum, pairs_and_windows_by_itertools, generator_of_batches_inside, keyword_arguments_through_layers,
    pipeline_by_reduce, validation_of_arguments, fallback_on_missing_keys, running_statistics_by_welford,
    nonlocal_counter_with_reset, nested_structures_by_tree_map, history_as_deque_of_numbers, grouped_metrics_by_name,
    best_of_several_candidates, largest_of_elements, table_lookup_by_argmax, text_of_results,
    weights_replaced_by_the_user, frozen_settings_replaced, gradients_of_a_class,
]  # fmt: skip
