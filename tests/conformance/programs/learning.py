"""Clusters, decompositions, neighbours, mixtures: classical learning from scratch."""

import collections
import math

import numpy

from hybridize import np, npx


def cloud(count=30, seed=0, features=2):
    draw = numpy.random.default_rng(seed)
    centers = numpy.array([[0, 0], [4, 4], [0, 5]])[:, :features]
    return np.array(centers[numpy.arange(count) % 3] + 0.5 * draw.normal(size=(count, features)), dtype="float32")


def k_means(hybridize):
    @hybridize
    def kmeans(x, centroids, iterations=5):
        for _ in range(iterations):
            distances = ((x[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)
            labels = distances.argmin(axis=1)
            new = []
            for k in range(centroids.shape[0]):
                mask = (labels == k).astype("float32")
                new.append((x * mask[:, None]).sum(axis=0) / np.maximum(mask.sum(), 1))
            centroids = np.stack(new)
        return centroids, labels

    x = cloud()
    return kmeans(x, x[:3])


def k_means_with_masks(hybridize):
    @hybridize
    def kmeans(x, k, max_iters=10):
        centroids = x[:k].copy()
        for _ in range(max_iters):
            distances = np.sqrt(((x - centroids[:, np.newaxis]) ** 2).sum(axis=2))
            labels = np.argmin(distances, axis=0)
            new_centroids = np.array([x[labels == i].mean(axis=0) for i in range(k)])
            if np.allclose(centroids, new_centroids):
                break
            centroids = new_centroids
        return labels, centroids

    return kmeans(cloud(), 3)


def k_means_until_nothing_moves(hybridize):
    @hybridize
    def assign(x, centroids):
        return ((x[:, None] - centroids[None]) ** 2).sum(-1).argmin(1)

    @hybridize
    def update(x, labels, k):
        one_hot = (labels[:, None] == np.arange(k)).astype("float32")
        return one_hot.T @ x / one_hot.sum(0)[:, None]

    x = cloud()
    centroids, labels = x[:3], None
    rounds = 0
    while True:
        new = assign(x, centroids)
        if labels is not None and (new == labels).all():
            break
        labels, rounds = new, rounds + 1
        centroids = update(x, labels, 3)
    return labels, centroids, rounds


def k_nearest_neighbours(hybridize):
    x, labels = cloud(), np.arange(30) % 3

    @hybridize
    def predict(queries, k=3):
        distances = np.sqrt(((queries[:, None] - x[None]) ** 2).sum(-1))
        nearest = np.argsort(distances, axis=1)[:, :k]
        votes = labels[nearest.reshape(-1)].reshape(nearest.shape)
        counts = np.stack([(votes == c).sum(axis=1) for c in range(3)], axis=1)
        return counts.argmax(axis=1)

    return predict(np.array([[0.2, 0.1], [4.1, 3.9], [0.0, 4.5]]))


def nearest_neighbour_with_names(hybridize):
    names = ["red", "green", "blue"]
    x = cloud(9)

    @hybridize
    def classify(query):
        index = int(np.argmin(((x - query) ** 2).sum(axis=1)))
        return names[index % 3]

    return [classify(np.array(q)) for q in ([0.0, 0.0], [4.0, 4.0], [0.0, 5.0])]


def pca_by_power_iteration(hybridize):
    @hybridize
    def pca(x, components):
        x = x - x.mean(axis=0)
        cov = x.T @ x / (len(x) - 1)
        vectors = []
        for _ in range(components):
            v = np.ones(cov.shape[0])
            for _ in range(20):
                v = cov @ v
                v = v / np.sqrt((v**2).sum())
            vectors.append(v)
            cov = cov - (v @ cov @ v) * np.outer(v, v)
        return np.stack(vectors), x @ np.stack(vectors).T

    return pca(cloud(), 2)


def pca_by_svd(hybridize):
    @hybridize
    def pca(x, k):
        centered = x - x.mean(axis=0)
        u, s, vt = np.linalg.svd(centered, full_matrices=False)
        explained = s**2 / (s**2).sum()
        return np.abs(centered @ vt[:k].T), explained

    return pca(np.array(numpy.random.default_rng(0).normal(size=(10, 4)), dtype="float32"), 2)


def pca_by_eigenvectors(hybridize):
    class PCA:
        def __init__(self, n_components):
            self.n_components = n_components
            self.components = None
            self.mean = None

        def fit(self, x):
            self.mean = np.mean(x, axis=0)
            x = x - self.mean
            cov = np.dot(x.T, x) / (x.shape[0] - 1)
            eigenvalues, eigenvectors = np.linalg.eigh(cov)
            idxs = np.argsort(eigenvalues)[::-1]
            self.components = eigenvectors[:, idxs].T[: self.n_components]

        def transform(self, x):
            return np.dot(x - self.mean, self.components.T)

    pca = PCA(1)
    x = cloud()
    hybridize(pca.fit)(x)
    return np.abs(hybridize(pca.transform)(x)), pca.mean


def gaussian_mixture_by_em(hybridize):
    @hybridize
    def em_step(x, pi, mu, var):
        log_p = -0.5 * ((x[:, None] - mu[None]) ** 2 / var + np.log(2 * math.pi * var)) + np.log(pi)
        log_norm = np.log(np.exp(log_p).sum(axis=1, keepdims=True))
        r = np.exp(log_p - log_norm)
        n = r.sum(axis=0)
        mu = (r * x[:, None]).sum(axis=0) / n
        var = (r * (x[:, None] - mu) ** 2).sum(axis=0) / n
        return n / len(x), mu, var, log_norm.sum()

    x = cloud()[:, 0]
    pi, mu, var = np.ones(2) / 2, np.array([0.0, 3.0]), np.ones(2)
    previous, trace = -math.inf, []
    for _ in range(20):
        pi, mu, var, ll = em_step(x, pi, mu, var)
        trace.append(float(ll))
        if ll - previous < 1e-2:
            break
        previous = float(ll)
    return pi, mu, var, trace


def matrix_factorization(hybridize):
    ratings = [(0, 0, 5.0), (0, 1, 3.0), (1, 0, 4.0), (2, 1, 1.0), (2, 2, 5.0)]

    @hybridize
    def epoch(p, q, lr=0.05, reg=0.02):
        total = 0.0
        for user, item, rating in ratings:
            error = rating - p[user] @ q[item]
            p_user = p[user].copy()
            p[user] += lr * (error * q[item] - reg * p[user])
            q[item] += lr * (error * p_user - reg * q[item])
            total += error**2
        return total

    draw = numpy.random.default_rng(0)
    p, q = (np.array(draw.uniform(size=(3, 2)), dtype="float32") for _ in range(2))
    return [epoch(p, q) for _ in range(5)], p, q


def non_negative_matrix_factorization(hybridize):
    @hybridize
    def nmf(v, w, h, steps=10):
        for _ in range(steps):
            h *= (w.T @ v) / (w.T @ w @ h + 1e-9)
            w *= (v @ h.T) / (w @ h @ h.T + 1e-9)
        return w, h, np.linalg.norm(v - w @ h)

    draw = numpy.random.default_rng(0)
    v, w, h = (np.array(draw.uniform(size=s) + 0.1, dtype="float32") for s in ((6, 5), (6, 2), (2, 5)))
    return nmf(v, w, h)


def alternating_least_squares(hybridize):
    @hybridize
    def als(r, u, v, lam):
        k = u.shape[1]
        for _ in range(3):
            u = np.linalg.solve(v.T @ v + lam * np.eye(k), v.T @ r.T).T
            v = np.linalg.solve(u.T @ u + lam * np.eye(k), u.T @ r).T
        return u @ v.T

    draw = numpy.random.default_rng(0)
    r, u, v = (np.array(draw.uniform(size=s), dtype="float32") for s in ((5, 4), (5, 2), (4, 2)))
    return als(r, u, v, 0.1)


def page_rank(hybridize):
    links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2]}

    @hybridize
    def page_rank(rank, damping=0.85, tolerance=1e-4):
        n = len(links)
        change = 1.0
        iterations = 0
        while change > tolerance:
            new = np.ones(n) * (1 - damping) / n
            for page, targets in links.items():
                for target in targets:
                    new[target] += damping * rank[page] / len(targets)
            change = np.abs(new - rank).sum()
            rank = new
            iterations += 1
        return rank, iterations

    return page_rank(np.ones(4) / 4)


def hidden_markov_forward(hybridize):
    start, trans = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    emit = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])

    @hybridize
    def forward(observations):
        alpha = start * emit[:, observations[0]]
        scale = []
        for t in range(1, len(observations)):
            alpha = (alpha @ trans) * emit[:, observations[t]]
            c = alpha.sum()
            alpha = alpha / c
            scale.append(np.log(c))
        return alpha, sum(scale)

    return forward(np.array([0, 1, 2, 2], dtype="int32"))


def viterbi_with_names(hybridize):
    states = ["healthy", "fever"]
    start, trans = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    emit = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])

    @hybridize
    def viterbi(observations):
        v = np.log(start) + np.log(emit[:, observations[0]])
        pointers = []
        for o in observations[1:]:
            scores = v[:, None] + np.log(trans)
            pointers.append(scores.argmax(axis=0))
            v = scores.max(axis=0) + np.log(emit[:, o])
        path = [v.argmax()]
        for pointer in reversed(pointers):
            path.append(pointer[path[-1]])
        return [states[int(s)] for s in reversed(path)]

    return viterbi([0, 1, 2])


def naive_bayes(hybridize):
    class NaiveBayes:
        def fit(self, x, y, classes):
            self.classes = classes
            self.mean, self.var, self.prior = {}, {}, {}
            for c in classes:
                mask = (y == c).astype("float32")[:, None]
                n = mask.sum()
                self.mean[c] = (x * mask).sum(axis=0) / n
                self.var[c] = (mask * (x - self.mean[c]) ** 2).sum(axis=0) / n
                self.prior[c] = n / len(x)

        def predict(self, x):
            posteriors = []
            for c in self.classes:
                log_pdf = -0.5 * (np.log(self.var[c]) + (x - self.mean[c]) ** 2 / self.var[c]).sum(axis=1)
                posteriors.append(np.log(self.prior[c]) + log_pdf)
            return np.argmax(np.stack(posteriors), axis=0)

    x, y = cloud(), np.arange(30) % 3
    model = NaiveBayes()
    hybridize(model.fit)(x, y, (0, 1, 2))
    return hybridize(model.predict)(x), model.prior


def self_organizing_map(hybridize):
    @hybridize
    def train_step(grid, sample, radius, rate):
        d = ((grid - sample) ** 2).sum(axis=1)
        winner = d.argmin()
        neighbourhood = np.exp(-((np.arange(len(grid)) - winner) ** 2) / (2 * radius**2))
        grid += rate * neighbourhood[:, None] * (sample - grid)
        return winner

    grid = np.array(numpy.random.default_rng(1).normal(size=(6, 2)), dtype="float32")
    winners = []
    for i, sample in enumerate(cloud(9)):
        winners.append(int(train_step(grid, sample, max(2.0 - 0.2 * i, 0.5), 0.5)))
    return grid, winners


def mean_shift(hybridize):
    @hybridize
    def shift(points, data, bandwidth):
        for _ in range(100):
            d2 = ((points[:, None] - data[None]) ** 2).sum(-1)
            w = np.exp(-d2 / (2 * bandwidth**2))
            moved = (w[:, :, None] * data[None]).sum(1) / w.sum(1, keepdims=True)
            if np.abs(moved - points).max() < 1e-2:
                return moved
            points = moved
        return points

    x = cloud(12)
    return shift(x, x, 1.0)


def decision_stump(hybridize):
    @hybridize
    def best_split(x, y):
        best_gain, best_threshold, best_feature = -1.0, 0.0, 0
        for feature in range(x.shape[1]):
            for threshold in x[:, feature]:
                left = x[:, feature] <= threshold
                n_left, n_right = left.sum(), (~left).sum()
                if n_left == 0 or n_right == 0:
                    continue
                p_left = (y * left).sum() / n_left
                p_right = (y * ~left).sum() / n_right
                gain = abs(p_left - p_right)
                if gain > best_gain:
                    best_gain, best_threshold, best_feature = gain, threshold, feature
        return best_gain, best_threshold, best_feature

    x = cloud(8)
    return best_split(x, (x[:, 0] > 2).astype("float32"))


def decision_tree_as_dicts(hybridize):
    tree = {"feature": 0, "threshold": 2.0, "left": {"feature": 1, "threshold": 2.5, "left": 0, "right": 2}, "right": 1}

    @hybridize
    def predict(row, node=tree):
        while isinstance(node, dict):
            if row[node["feature"]] <= node["threshold"]:
                node = node["left"]
            else:
                node = node["right"]
        return node

    return [predict(row) for row in cloud(6)]


def adaboost_rounds(hybridize):
    x = cloud(12)
    y = np.where(x[:, 0] + x[:, 1] > 3, 1.0, -1.0)

    @hybridize
    def boost(weights, stumps):
        alphas = []
        for feature, threshold in stumps:
            prediction = np.where(x[:, feature] > threshold, 1.0, -1.0)
            error = (weights * (prediction != y)).sum() / weights.sum()
            alpha = 0.5 * np.log((1 - error + 1e-6) / (error + 1e-6))
            weights = weights * np.exp(-alpha * y * prediction)
            weights /= weights.sum()
            alphas.append(alpha)
        return weights, alphas

    return boost(np.ones(12) / 12, [(0, 2.0), (1, 3.0), (0, 1.0)])


def gaussian_process(hybridize):
    def rbf(a, b, length=1.0):
        return np.exp(-0.5 * ((a[:, None] - b[None]) / length) ** 2)

    @hybridize
    def posterior(x, y, query, noise=1e-2):
        k = rbf(x, x) + noise * np.eye(len(x))
        lower = np.linalg.cholesky(k)
        alpha = np.linalg.solve(lower.T, np.linalg.solve(lower, y))
        ks = rbf(x, query)
        v = np.linalg.solve(lower, ks)
        mean = ks.T @ alpha
        var = 1.0 - (v**2).sum(axis=0)
        log_likelihood = -0.5 * y @ alpha - np.log(np.diag(lower)).sum()
        return mean, var, log_likelihood

    x = np.linspace(0, 5, 6)
    return posterior(x, np.sin(x), np.array([0.5, 2.2]))


def kernel_density(hybridize):
    @hybridize
    def density(grid, data, h):
        u = (grid[:, None] - data[None]) / h
        return np.exp(-0.5 * u**2).sum(axis=1) / (len(data) * h * math.sqrt(2 * math.pi))

    return density(np.linspace(-1, 5, 7), cloud()[:, 0], 0.5)


def spectral_embedding(hybridize):
    @hybridize
    def fiedler(x, sigma):
        w = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / (2 * sigma**2))
        laplacian = np.diag(w.sum(1)) - w
        values, vectors = np.linalg.eigh(laplacian)
        return values, np.abs(vectors[:, 1])

    return fiedler(cloud(9), 2.0)


def counts_of_neighbours(hybridize):
    @hybridize
    def neighbours(x, eps):
        d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
        counts = (d < eps).sum(axis=1)
        core = np.nonzero(counts >= 4)[0]
        return counts, core

    return neighbours(cloud(12), 1.0)


def tf_idf_retrieval(hybridize):
    documents = ["the cat sat", "the dog ran", "a cat and a dog"]
    vocabulary = sorted({w for d in documents for w in d.split()})
    counts = np.array([[collections.Counter(d.split())[w] for w in vocabulary] for d in documents], dtype="float32")

    @hybridize
    def search(query):
        tf = counts / counts.sum(axis=1, keepdims=True)
        idf = np.log(len(documents) / (counts > 0).sum(axis=0))
        vectors = tf * idf
        q = query * idf
        scores = vectors @ q / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(q) + 1e-8)
        order = np.argsort(-scores)
        return scores, [documents[int(i)] for i in order[:2]]

    return search(np.array([1.0 if w == "cat" else 0.0 for w in vocabulary]))


def softmax_temperature_sweep(hybridize):
    @hybridize
    def probabilities(logits, temperatures):
        return {t: npx.softmax(logits / t) for t in temperatures}

    return probabilities(np.array([1.0, 2.0, 3.0]), [0.5, 1.0, 2.0])


PROGRAMS = [
    k_means, k_means_with_masks, k_means_until_nothing_moves, k_nearest_neighbours, nearest_neighbour_with_names,
    pca_by_power_iteration, pca_by_svd, pca_by_eigenvectors, gaussian_mixture_by_em, matrix_factorization,
    non_negative_matrix_factorization, alternating_least_squares, page_rank, hidden_markov_forward,
    viterbi_with_names, naive_bayes, self_organizing_map, mean_shift, decision_stump, decision_tree_as_dicts,
    adaboost_rounds, gaussian_process, kernel_density, spectral_embedding, counts_of_neighbours, tf_idf_retrieval,
    softmax_temperature_sweep,
]  # fmt: skip
