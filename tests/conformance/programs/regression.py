"""Regression and classification from scratch, as tutorials write them."""

import math

import numpy

from hybridize import autograd, np, npx


def points(count=40, features=3, seed=0):
    draw = numpy.random.default_rng(seed)
    x = draw.normal(size=(count, features)).astype("float32")
    w = numpy.arange(1, features + 1, dtype="float32")
    y = x @ w + 0.5 + 0.01 * draw.normal(size=count).astype("float32")
    return np.array(x), np.array(y)


def classes(count=40, features=3, seed=0):
    x, y = points(count, features, seed)
    return x, (y > 0.5).astype("float32")


def linear_regression(hybridize):
    x, y = points()
    w, b = np.zeros(3), np.zeros(1)
    lr = 0.1

    @hybridize
    def step(w, b):
        pred = np.dot(x, w) + b
        error = pred - y
        loss = (error**2).mean()
        dw = 2 * np.dot(x.T, error) / len(y)
        db = 2 * error.mean()
        return w - lr * dw, b - lr * db, loss

    history = []
    for epoch in range(20):
        w, b, loss = step(w, b)
        if epoch % 5 == 0:
            print(f"epoch {epoch}: loss {loss.item():.4f}")
        history.append(float(loss))
    return w, b, history


def linear_regression_with_autograd(hybridize):
    x, y = points()
    w, b = np.zeros(3), np.zeros(1)
    w.attach_grad()
    b.attach_grad()

    def squared_loss(y_hat, y):
        return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2

    def sgd(params, lr, batch_size):
        for param in params:
            param[:] = param - lr * param.grad / batch_size

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = squared_loss(np.dot(x, w) + b, y)
        loss.backward()
        sgd([w, b], 0.1, len(y))
        return loss.mean()

    losses = []
    for _ in range(3):
        for i in range(0, 40, 10):
            losses.append(train(x[i : i + 10], y[i : i + 10]))
    return w, b, losses


def logistic_regression(hybridize):
    x, y = classes()

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    @hybridize
    def fit(x, y, lr=0.5, epochs=30):
        w = np.zeros(x.shape[1])
        b = 0.0
        losses = []
        for _ in range(epochs):
            p = sigmoid(x @ w + b)
            losses.append(-(y * np.log(p + 1e-8) + (1 - y) * np.log(1 - p + 1e-8)).mean())
            grad = p - y
            w = w - lr * x.T @ grad / len(x)
            b = b - lr * grad.mean()
        return w, b, losses

    w, b, losses = fit(x, y)
    accuracy = ((sigmoid(x @ w + b) > 0.5) == y).mean()
    return w, b, [float(v) for v in losses], accuracy


def logistic_regression_until_converged(hybridize):
    x, y = classes()

    @hybridize
    def fit(x, y):
        w = np.zeros(x.shape[1])
        previous = np.inf
        for i in range(200):
            p = npx.sigmoid(x @ w)
            loss = -np.mean(y * np.log(p + 1e-7) + (1 - y) * np.log(1 - p + 1e-7))
            if abs(previous - loss) < 1e-3:
                break
            previous = loss
            w -= 0.5 * x.T @ (p - y) / len(y)
        return w, loss, i

    return fit(x, y)


def logistic_regression_class(hybridize):
    class LogisticRegression:
        def __init__(self, lr=0.1, n_iters=20):
            self.lr = lr
            self.n_iters = n_iters
            self.weights = None
            self.bias = None
            self.losses = []

        def _sigmoid(self, x):
            return 1 / (1 + np.exp(-x))

        def fit(self, x, y):
            n_samples, n_features = x.shape
            self.weights = np.zeros(n_features)
            self.bias = 0
            for _ in range(self.n_iters):
                a = self._sigmoid(np.dot(x, self.weights) + self.bias)
                self.losses.append(np.mean((a - y) ** 2))
                dw = (1 / n_samples) * np.dot(x.T, (a - y))
                db = (1 / n_samples) * np.sum(a - y)
                self.weights -= self.lr * dw
                self.bias -= self.lr * db

        def predict(self, x):
            y_hat = self._sigmoid(np.dot(x, self.weights) + self.bias)
            return np.array([1 if i > 0.5 else 0 for i in y_hat])

    x, y = classes(12)
    model = LogisticRegression()
    hybridize(model.fit)(x, y)
    return model.weights, model.bias, model.losses, hybridize(model.predict)(x)


def softmax_regression(hybridize):
    x, y = points(30, 4)
    labels = np.array(numpy.digitize(y.asnumpy(), [-2, 2]), dtype="int32")
    w, b = np.zeros((4, 3)), np.zeros(3)

    def softmax(x):
        x_exp = np.exp(x)
        return x_exp / x_exp.sum(axis=1, keepdims=True)

    def cross_entropy(y_hat, y):
        return -np.log(y_hat[range(len(y_hat)), y])

    def accuracy(y_hat, y):
        return float((y_hat.argmax(axis=1) == y).sum()) / len(y)

    w.attach_grad()
    b.attach_grad()

    @hybridize
    def train_epoch(x, y):
        with autograd.record():
            y_hat = softmax(np.dot(x, w) + b)
            loss = cross_entropy(y_hat, y)
        loss.backward()
        w[:] -= 0.1 * w.grad / len(x)
        b[:] -= 0.1 * b.grad / len(x)
        return loss.sum(), accuracy(y_hat, y)

    return [train_epoch(x, labels) for _ in range(5)], w


def softmax_regression_one_hot(hybridize):
    x, y = points(30, 4)
    labels = np.array(numpy.digitize(y.asnumpy(), [-2, 2]), dtype="int32")

    @hybridize
    def train(x, labels, w, lr):
        z = x @ w
        z = z - z.max(axis=1, keepdims=True)
        probs = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        target = np.eye(3)[labels]
        loss = -(target * np.log(probs + 1e-9)).sum(axis=1).mean()
        return w - lr * x.T @ (probs - target) / x.shape[0], loss

    w = np.zeros((4, 3))
    losses = []
    for epoch in range(10):
        w, loss = train(x, labels, w, 0.5 / (1 + epoch))
        losses.append(loss.item())
    return w, losses


def normal_equations(hybridize):
    x, y = points()

    @hybridize
    def fit(x, y):
        design = np.concatenate([np.ones((x.shape[0], 1)), x], axis=1)
        return np.linalg.solve(design.T @ design, design.T @ y)

    return fit(x, y)


def normal_equations_by_inverse(hybridize):
    x, y = points()

    @hybridize
    def fit(x, y):
        a = np.hstack([x, np.ones((len(x), 1))])
        theta = np.linalg.inv(a.T.dot(a)).dot(a.T).dot(y)
        residual = y - a @ theta
        r2 = 1 - (residual**2).sum() / ((y - y.mean()) ** 2).sum()
        return theta, r2

    return fit(x, y)


def ridge_regression(hybridize):
    x, y = points()

    @hybridize
    def ridge(x, y, alpha):
        n = x.shape[1]
        return np.linalg.solve(x.T @ x + alpha * np.eye(n), x.T @ y)

    best, best_error = None, math.inf
    for alpha in [0.01, 0.1, 1.0, 10.0]:
        w = ridge(x[:30], y[:30], alpha)
        error = float(((x[30:] @ w - y[30:]) ** 2).mean())
        if error < best_error:
            best, best_error = alpha, error
    return best, best_error


def lasso_by_coordinate_descent(hybridize):
    x, y = points()

    def soft_threshold(rho, lamda):
        if rho < -lamda:
            return rho + lamda
        elif rho > lamda:
            return rho - lamda
        return 0.0

    @hybridize
    def lasso(x, y, lamda):
        m, n = x.shape
        x = x / np.sqrt((x**2).sum(axis=0))
        theta = np.ones(n)
        for _ in range(10):
            for j in range(n):
                xj = x[:, j]
                rho = xj @ (y - x @ theta + theta[j] * xj)
                theta[j] = soft_threshold(rho, lamda)
        return theta

    return lasso(x, y, 1.0)


def polynomial_features(hybridize):
    t = np.linspace(-1, 1, 20)
    y = 1 - 2 * t + 3 * t**3

    @hybridize
    def fit(t, y, degree, lr):
        features = np.stack([t**i for i in range(degree + 1)], axis=1)
        w = np.zeros(degree + 1)
        for _ in range(100):
            w = w - lr * features.T @ (features @ w - y) / len(t)
        return w, features @ w

    return fit(t, y, 3, 0.5)


def perceptron(hybridize):
    x, y = classes(20)
    y = np.where(y > 0, 1, -1)

    @hybridize
    def train(x, y, epochs=5):
        w = np.zeros(x.shape[1])
        b = 0.0
        errors = 0
        for _ in range(epochs):
            for xi, target in zip(x, y):
                update = 0.1 * (target - np.sign(xi @ w + b))
                w = w + update * xi
                b = b + update
                errors += (update != 0.0).astype("int32")
        return w, b, errors

    return train(x, y)


def perceptron_with_if(hybridize):
    x, y = classes(16)

    @hybridize
    def epoch(x, y, w, b):
        mistakes = 0
        for i in range(len(x)):
            prediction = 1.0 if np.dot(w, x[i]) + b > 0 else 0.0
            if prediction != y[i]:
                w = w + (y[i] - prediction) * x[i]
                b = b + (y[i] - prediction)
                mistakes += 1
        return w, b, mistakes

    w, b = np.zeros(3), np.zeros(())
    log = []
    for _ in range(5):
        w, b, mistakes = epoch(x, y, w, b)
        log.append(int(mistakes))
        if mistakes == 0:
            break
    return w, b, log


def support_vectors_by_hinge_loss(hybridize):
    x, y = classes(30)
    y = 2 * y - 1

    class SVM:
        def __init__(self, c=1.0, lr=0.01):
            self.c, self.lr = c, lr
            self.w, self.b = np.zeros(3), np.zeros(1)
            self.history = []

        @hybridize
        def step(self, x, y):
            margin = y * (x @ self.w + self.b)
            mask = margin < 1
            hinge = np.maximum(0, 1 - margin)
            loss = 0.5 * (self.w**2).sum() + self.c * hinge.mean()
            dw = self.w - self.c * (x * (y * mask)[:, None]).mean(axis=0)
            db = -self.c * (y * mask).mean()
            self.w = self.w - self.lr * dw
            self.b = self.b - self.lr * db
            self.history.append(loss)
            return loss

    svm = SVM()
    for _ in range(10):
        svm.step(x, y)
    return svm.w, svm.b, svm.history


def huber_regression(hybridize):
    x, y = points()
    y[0] = 100.0

    def huber(error, delta=1.0):
        small = np.abs(error) <= delta
        return np.where(small, 0.5 * error**2, delta * (np.abs(error) - 0.5 * delta))

    @hybridize
    def gradient(x, y, w):
        w.attach_grad()
        with autograd.record():
            loss = huber(x @ w - y).mean()
        loss.backward()
        return w.grad, loss

    w = np.zeros(3)
    for _ in range(10):
        g, loss = gradient(x, y, w)
        w = w - 0.5 * g
    return w, loss


def quantile_regression(hybridize):
    x, y = points()

    @hybridize
    def fit(x, y, q):
        w = np.zeros(x.shape[1])
        for step in range(50):
            error = y - x @ w
            grad = np.where(error > 0, -q, 1 - q)
            w -= 0.1 / math.sqrt(step + 1) * (x * grad[:, None]).mean(axis=0)
        return w

    return {q: fit(x, y, q) for q in (0.1, 0.5, 0.9)}


def poisson_regression_by_newton(hybridize):
    x, y = points(30)
    counts = np.floor(np.exp(np.clip(y * 0.3, -2, 2)))

    @hybridize
    def irls(x, y):
        beta = np.zeros(x.shape[1])
        for _ in range(5):
            mu = np.exp(x @ beta)
            hessian = x.T @ (x * mu[:, None])
            gradient = x.T @ (y - mu)
            beta = beta + np.linalg.solve(hessian, gradient)
        return beta

    return irls(x, counts)


def curve_fit_by_gauss_newton(hybridize):
    t = np.linspace(0, 2, 15)
    data = 2.0 * np.exp(-1.3 * t)

    @hybridize
    def gauss_newton(t, data, params):
        a, k = params
        model = a * np.exp(-k * t)
        residual = data - model
        jacobian = np.stack([np.exp(-k * t), -a * t * np.exp(-k * t)], axis=1)
        delta = np.linalg.solve(jacobian.T @ jacobian, jacobian.T @ residual)
        return a + delta[0], k + delta[1]

    params = (np.array(1.5), np.array(1.0))
    for _ in range(5):
        params = gauss_newton(t, data, params)
    return params


def mini_batches_from_a_generator(hybridize):
    x, y = points(24)

    def data_iter(batch_size, features, labels):
        num_examples = len(features)
        indices = list(range(num_examples))
        for i in range(0, num_examples, batch_size):
            batch_indices = np.array(indices[i : min(i + batch_size, num_examples)], dtype="int32")
            yield features[batch_indices], labels[batch_indices]

    w = np.zeros(3)

    @hybridize
    def epoch(w):
        total = 0.0
        for features, labels in data_iter(8, x, y):
            error = features @ w - labels
            w = w - 0.1 * features.T @ error / len(labels)
            total += (error**2).sum()
        return w, total / len(x)

    history = []
    for _ in range(4):
        w, loss = epoch(w)
        history.append(loss.item())
    return w, history


def standardize_and_fit(hybridize):
    x, y = points()

    @hybridize
    def pipeline(x, y):
        mean, std = x.mean(axis=0), x.std(axis=0)
        if (std == 0).any():
            raise ValueError("a feature is constant")
        z = (x - mean) / std
        w = np.zeros(z.shape[1])
        for _ in range(20):
            w = w - 0.2 * z.T @ (z @ w - (y - y.mean())) / len(z)
        return {"mean": mean, "std": std, "w": w}

    return pipeline(x, y)


def k_fold_cross_validation(hybridize):
    x, y = points(20)

    @hybridize
    def train_and_score(x_train, y_train, x_test, y_test):
        w = np.zeros(x_train.shape[1])
        for _ in range(20):
            w -= 0.1 * x_train.T @ (x_train @ w - y_train) / len(x_train)
        return np.sqrt(((x_test @ w - y_test) ** 2).mean())

    k = 4
    fold = len(x) // k
    scores = []
    for i in range(k):
        lo, hi = i * fold, (i + 1) * fold
        scores.append(
            train_and_score(
                np.concatenate([x[:lo], x[hi:]]), np.concatenate([y[:lo], y[hi:]]), x[lo:hi], y[lo:hi]
            ).item()
        )
    return scores, sum(scores) / k


def adam_from_scratch(hybridize):
    x, y = points()

    def init_adam_states(dim):
        return (np.zeros(dim), np.zeros(dim))

    def adam(param, grad, states, hyperparams):
        beta1, beta2, eps = 0.9, 0.999, 1e-6
        v, s = states
        v[:] = beta1 * v + (1 - beta1) * grad
        s[:] = beta2 * s + (1 - beta2) * np.square(grad)
        v_bias_corr = v / (1 - beta1 ** hyperparams["t"])
        s_bias_corr = s / (1 - beta2 ** hyperparams["t"])
        param[:] -= hyperparams["lr"] * v_bias_corr / (np.sqrt(s_bias_corr) + eps)
        hyperparams["t"] += 1

    w = np.zeros(3)
    states, hyperparams = init_adam_states(3), {"lr": 0.1, "t": 1}

    @hybridize
    def step(x, y):
        error = x @ w - y
        adam(w, x.T @ error / len(y), states, hyperparams)
        return (error**2).mean()

    losses = [step(x, y) for _ in range(6)]
    return w, losses, hyperparams["t"]


PROGRAMS = [
    linear_regression, linear_regression_with_autograd, logistic_regression, logistic_regression_until_converged,
    logistic_regression_class, softmax_regression, softmax_regression_one_hot, normal_equations,
    normal_equations_by_inverse, ridge_regression, lasso_by_coordinate_descent, polynomial_features, perceptron,
    perceptron_with_if, support_vectors_by_hinge_loss, huber_regression, quantile_regression,
    poisson_regression_by_newton, curve_fit_by_gauss_newton, mini_batches_from_a_generator, standardize_and_fit,
    k_fold_cross_validation, adam_from_scratch,
]  # fmt: skip
