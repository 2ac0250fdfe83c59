"""Pictures, signals and cellular automata."""

import functools
import math

import numpy

from hybridize import np


def picture(height=8, width=8, seed=0):
    return np.array(numpy.random.default_rng(seed).integers(0, 256, (height, width)), dtype="float32")


def game_of_life(hybridize):
    @hybridize
    def generation(board):
        neighbours = sum(
            np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )
        return ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype("int32")

    board = np.zeros((6, 6), dtype="int32")
    board[1, 2] = board[2, 3] = board[3, 1] = board[3, 2] = board[3, 3] = 1
    history = []
    for _ in range(4):
        board = generation(board)
        history.append(int(board.sum()))
    return board, history


def game_of_life_by_loops(hybridize):
    @hybridize
    def generation(board):
        rows, cols = board.shape
        new = np.zeros((rows, cols), dtype="int32")
        for r in range(rows):
            for c in range(cols):
                count = 0
                for dr in (-1, 0, 1):
                    for dc in (-1, 0, 1):
                        if (dr or dc) and 0 <= r + dr < rows and 0 <= c + dc < cols:
                            count += board[r + dr, c + dc]
                if board[r, c] == 1 and count in (2, 3):
                    new[r, c] = 1
                elif board[r, c] == 0 and count == 3:
                    new[r, c] = 1
        return new

    return generation(np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]], dtype="int32"))


def elementary_automaton(hybridize):
    rule = [int(b) for b in f"{30:08b}"][::-1]
    table = np.array(rule, dtype="int32")

    @hybridize
    def run(cells, steps):
        rows = [cells]
        for _ in range(steps):
            index = 4 * np.roll(cells, 1) + 2 * cells + np.roll(cells, -1)
            cells = table[index]
            rows.append(cells)
        return np.stack(rows)

    start = np.zeros(11, dtype="int32")
    start[5] = 1
    return run(start, 5)


def mandelbrot(hybridize):
    @hybridize
    def mandelbrot(cx, cy, max_iter):
        x, y = np.zeros_like(cx), np.zeros_like(cy)
        counts = np.zeros(cx.shape, dtype="int32")
        for _ in range(max_iter):
            x, y = x * x - y * y + cx, 2 * x * y + cy
            alive = x * x + y * y <= 4
            counts += alive
            x, y = np.where(alive, x, 10.0), np.where(alive, y, 0.0)
        return counts

    cx, cy = np.meshgrid(np.linspace(-2, 1, 7), np.linspace(-1, 1, 5))
    return mandelbrot(cx, cy, 12)


def mandelbrot_of_one_point(hybridize):
    @hybridize
    def escape(cx, cy, max_iter=50):
        x = y = 0.0
        for i in range(max_iter):
            if x * x + y * y > 4:
                return i
            x, y = x * x - y * y + cx, 2 * x * y + cy
        return max_iter

    return [escape(np.array(cx), np.array(cy)) for cx, cy in ((0.0, 0.0), (1.0, 1.0), (-1.5, 0.5))]


def convolution_by_loops(hybridize):
    @hybridize
    def convolve(image, kernel):
        h, w = image.shape
        kh, kw = kernel.shape
        out = np.zeros((h - kh + 1, w - kw + 1))
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
        return out

    return convolve(picture(6, 6), np.array([[1.0, 0.0, -1.0]] * 3))


def sobel_edges(hybridize):
    gx = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]

    @hybridize
    def edges(image):
        padded = np.pad(image, 1, mode="edge")
        h, w = image.shape
        dx, dy = np.zeros((h, w)), np.zeros((h, w))
        for i in range(3):
            for j in range(3):
                window = padded[i : i + h, j : j + w]
                dx += gx[i][j] * window
                dy += gx[j][i] * window
        magnitude = np.sqrt(dx**2 + dy**2)
        return magnitude / magnitude.max()

    return edges(picture())


def median_filter(hybridize):
    @hybridize
    def median(image):
        h, w = image.shape
        p = np.pad(image, 1, mode="constant")
        windows = np.stack([p[i : i + h, j : j + w] for i in range(3) for j in range(3)])
        return np.sort(windows, axis=0)[4]

    return median(picture())


def histogram_equalization(hybridize):
    @hybridize
    def equalize(image):
        levels = np.arange(256)
        histogram = (image.reshape(-1, 1) == levels).sum(axis=0)
        cdf = np.cumsum(histogram)
        cdf_min = cdf[cdf > 0].min()
        table = np.round((cdf - cdf_min) / (image.size - cdf_min) * 255)
        return table[image.astype("int32")]

    return equalize(picture())


def histogram_by_loop(hybridize):
    @hybridize
    def histogram(values, bins):
        counts = np.zeros(bins, dtype="int32")
        for v in values:
            index = np.clip(v * bins, 0, bins - 1).astype("int32")
            counts[index] += 1
        return counts

    return histogram(np.array([0.1, 0.5, 0.55, 0.9, 0.99]), 4)


def otsu_threshold(hybridize):
    @hybridize
    def otsu(image):
        best, threshold = -1.0, 0
        for t in range(32, 256, 32):
            low, high = image < t, image >= t
            w0, w1 = low.mean(), high.mean()
            if w0 == 0 or w1 == 0:
                continue
            m0 = (image * low).sum() / low.sum()
            m1 = (image * high).sum() / high.sum()
            between = w0 * w1 * (m0 - m1) ** 2
            if between > best:
                best, threshold = between, t
        return threshold, image > threshold

    return otsu(picture())


def gamma_and_contrast(hybridize):
    @hybridize
    def adjust(image, gamma=1.0, contrast=1.0):
        if gamma <= 0:
            raise ValueError(f"gamma must be positive, got {gamma}")
        image = (image / 255.0) ** (1 / gamma)
        return np.clip((image - 0.5) * contrast + 0.5, 0, 1)

    try:
        adjust(picture(), gamma=-1.0)
    except ValueError as error:
        message = str(error)
    return adjust(picture(), 2.2, 1.5), message


def resize_by_nearest(hybridize):
    @hybridize
    def resize(image, height, width):
        rows = (np.arange(height) * image.shape[0] / height).astype("int32")
        cols = (np.arange(width) * image.shape[1] / width).astype("int32")
        return image[rows][:, cols]

    return resize(picture(4, 6), 8, 3)


def rotation_by_transposes(hybridize):
    @hybridize
    def rotations(image):
        return [image, image.T[::-1], image[::-1, ::-1], image.T[:, ::-1]]

    return rotations(picture(3, 4))


def dilation_and_erosion(hybridize):
    def morph(image, op):
        p = np.pad(image, 1, mode="constant")
        h, w = image.shape
        out = image
        for i in range(3):
            for j in range(3):
                out = op(out, p[i : i + h, j : j + w])
        return out

    @hybridize
    def opening(image):
        return morph(morph(image, np.minimum), np.maximum)

    return opening((picture() > 60).astype("float32"))


def flood_fill_by_sweeps(hybridize):
    @hybridize
    def flood(mask, seed):
        filled = seed
        while True:
            p = np.pad(filled, 1, mode="constant")
            grown = functools.reduce(np.maximum, [filled, p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]]) * mask
            if (grown == filled).all():
                return filled
            filled = grown

    mask = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    seed = np.zeros((3, 3))
    seed[0, 0] = 1
    return flood(mask, seed)


def augmentation_pipeline(hybridize):
    class Compose:
        def __init__(self, transforms):
            self.transforms = transforms

        def __call__(self, x):
            for t in self.transforms:
                x = t(x)
            return x

    class Normalize:
        def __init__(self, mean, std):
            self.mean, self.std = mean, std

        def __call__(self, x):
            return (x - self.mean) / self.std

    class Flip:
        def __call__(self, x):
            return x[:, ::-1]

    pipeline = Compose([lambda x: x / 255, Flip(), Normalize(0.5, 0.25)])
    return hybridize(pipeline.__call__)(picture())


def grayscale_and_crop(hybridize):
    @hybridize
    def prepare(image, size):
        gray = 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]
        top, left = (gray.shape[0] - size) // 2, (gray.shape[1] - size) // 2
        return gray[top : top + size, left : left + size]

    return prepare(np.array(numpy.random.default_rng(0).uniform(size=(8, 10, 3)), dtype="float32"), 4)


def moving_average_and_peaks(hybridize):
    @hybridize
    def analyse(signal, window):
        cumulative = np.cumsum(np.concatenate([np.zeros(1), signal]))
        smooth = (cumulative[window:] - cumulative[:-window]) / window
        peaks = (smooth[1:-1] > smooth[:-2]) & (smooth[1:-1] > smooth[2:])
        return smooth, peaks.sum()

    return analyse(np.sin(np.arange(30) * 0.7), 3)


def exponential_smoothing(hybridize):
    @hybridize
    def smooth(series, alpha):
        result = [series[0]]
        for n in range(1, len(series)):
            result.append(alpha * series[n] + (1 - alpha) * result[n - 1])
        return result

    return smooth(np.array([3.0, 10.0, 12.0, 13.0, 12.0]), 0.3)


def autocorrelation(hybridize):
    @hybridize
    def autocorrelation(x, lags):
        x = x - x.mean()
        variance = (x**2).sum()
        return np.array([(x[: len(x) - k] * x[k:]).sum() / variance for k in range(lags)])

    return autocorrelation(np.sin(np.arange(20) * 0.5), 5)


def low_pass_filter(hybridize):
    class LowPass:
        def __init__(self, cutoff, dt):
            rc = 1 / (2 * math.pi * cutoff)
            self.alpha = dt / (rc + dt)
            self.y = 0.0

        def __call__(self, x):
            self.y = self.y + self.alpha * (x - self.y)
            return self.y

    lp = LowPass(2.0, 0.1)
    step = hybridize(lambda x: lp(x))
    return [step(np.array(v)) for v in (1.0, 1.0, 0.0, 2.0)], lp.y


def run_length_by_diff(hybridize):
    @hybridize
    def changes(bits):
        edges = np.abs(bits[1:] - bits[:-1])
        longest = current = 1
        for e in edges:
            current = 1 if e > 0 else current + 1
            longest = max(longest, current)
        return edges.sum(), longest

    return changes(np.array([0, 0, 1, 1, 1, 0, 1], dtype="int32"))


PROGRAMS = [
    game_of_life, game_of_life_by_loops, elementary_automaton, mandelbrot, mandelbrot_of_one_point,
    convolution_by_loops, sobel_edges, median_filter, histogram_equalization, histogram_by_loop, otsu_threshold,
    gamma_and_contrast, resize_by_nearest, rotation_by_transposes, dilation_and_erosion, flood_fill_by_sweeps,
    augmentation_pipeline, grayscale_and_crop, moving_average_and_peaks, exponential_smoothing, autocorrelation,
    low_pass_filter, run_length_by_diff,
]  # fmt: skip
