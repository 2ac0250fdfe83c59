"""Numerical methods, as courses write them."""

import math

import numpy

from hybridize import autograd, np


def newton_square_root(hybridize):
    @hybridize
    def sqrt(a):
        x = a
        while abs(x * x - a) > 1e-4:
            x = (x + a / x) / 2
        return x

    return [sqrt(np.array(v)) for v in (2.0, 9.0, 0.5)]


def newton_raphson_with_limit(hybridize):
    def f(x):
        return x**3 - 2 * x - 5

    def df(x):
        return 3 * x**2 - 2

    @hybridize
    def solve(x, tol=1e-5, max_iter=20):
        for i in range(max_iter):
            step = f(x) / df(x)
            x = x - step
            if abs(step) < tol:
                break
        return x, i

    return solve(np.array(2.0, dtype="float64"))


def bisection(hybridize):
    @hybridize
    def bisect(lo, hi):
        for _ in range(30):
            mid = (lo + hi) / 2
            if np.cos(mid) - mid > 0:
                lo = mid
            else:
                hi = mid
        return (lo + hi) / 2

    return bisect(np.array(0.0), np.array(1.0))


def bisection_with_check(hybridize):
    @hybridize
    def bisect(lo, hi):
        f_lo, f_hi = lo**2 - 2, hi**2 - 2
        if f_lo * f_hi > 0:
            raise ValueError("f(a) and f(b) must have opposite signs")
        count = 0
        while hi - lo > 1e-3:
            mid = (lo + hi) / 2
            f_mid = mid**2 - 2
            if f_lo * f_mid <= 0:
                hi = mid
            else:
                lo, f_lo = mid, f_mid
            count += 1
        return lo, hi, count

    return bisect(np.array(0.0), np.array(2.0))


def secant(hybridize):
    @hybridize
    def secant(x0, x1):
        f = lambda x: np.exp(x) - 3
        iterations = []
        for _ in range(6):
            x2 = x1 - f(x1) * (x1 - x0) / (f(x1) - f(x0) + 1e-12)
            x0, x1 = x1, x2
            iterations.append(x2)
        return np.stack(iterations)

    return secant(np.array(0.0), np.array(2.0))


def gradient_descent_on_rosenbrock(hybridize):
    def rosenbrock(v):
        x, y = v
        return (1 - x) ** 2 + 100 * (y - x**2) ** 2

    @hybridize
    def step(v, lr):
        v.attach_grad()
        with autograd.record():
            value = rosenbrock(v)
        value.backward()
        return v - lr * v.grad, value

    v = np.array([-1.0, 1.0])
    path = []
    for _ in range(20):
        v, value = step(v, 0.001)
        path.append((v.tolist(), float(value)))
    return path


def backtracking_line_search(hybridize):
    def f(x):
        return (x**4).sum() + (x**2).sum()

    def grad(x):
        return 4 * x**3 + 2 * x

    @hybridize
    def descend(x):
        for _ in range(10):
            g = grad(x)
            t = 1.0
            while f(x - t * g) > f(x) - 0.5 * t * (g**2).sum():
                t *= 0.5
            x = x - t * g
        return x, f(x)

    return descend(np.array([1.0, -2.0, 0.5]))


def momentum_and_history(hybridize):
    class Optimizer:
        def __init__(self, lr=0.1, beta=0.9):
            self.lr, self.beta = lr, beta
            self.velocity = None
            self.trace = []

        def update(self, x, g):
            if self.velocity is None:
                self.velocity = np.zeros_like(x)
            self.velocity = self.beta * self.velocity + g
            x = x - self.lr * self.velocity
            self.trace.append(x)
            return x

    optimizer = Optimizer()

    @hybridize
    def step(x):
        return optimizer.update(x, np.array([0.2, 4.0]) * x)

    x = np.array([-5.0, -2.0])
    for _ in range(5):
        x = step(x)
    return x, optimizer.trace


def conjugate_gradient(hybridize):
    a = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
    b = np.array([1.0, 2.0, 3.0])

    @hybridize
    def solve(a, b, x):
        r = b - a @ x
        p = r
        rs = r @ r
        for _ in range(len(b)):
            ap = a @ p
            alpha = rs / (p @ ap)
            x = x + alpha * p
            r = r - alpha * ap
            rs_new = r @ r
            if np.sqrt(rs_new) < 1e-6:
                break
            p = r + (rs_new / rs) * p
            rs = rs_new
        return x

    return solve(a, b, np.zeros(3))


def jacobi_iteration(hybridize):
    @hybridize
    def jacobi(a, b, tolerance=1e-5, max_iterations=100):
        x = np.zeros_like(b)
        d = np.diag(a)
        r = a - np.diag(d)
        for k in range(max_iterations):
            x_new = (b - r @ x) / d
            if np.linalg.norm(x_new - x) < tolerance:
                return x_new, k
            x = x_new
        return x, max_iterations

    return jacobi(np.array([[10.0, 2.0, 1.0], [1.0, 5.0, 1.0], [2.0, 3.0, 10.0]]), np.array([7.0, -8.0, 6.0]))


def gauss_seidel(hybridize):
    @hybridize
    def gauss_seidel(a, b, sweeps):
        n = a.shape[0]
        x = np.zeros(n)
        for _ in range(sweeps):
            for i in range(n):
                sigma = 0.0
                for j in range(n):
                    if j != i:
                        sigma += a[i, j] * x[j]
                x[i] = (b[i] - sigma) / a[i, i]
        return x

    return gauss_seidel(np.array([[4.0, 1.0], [2.0, 5.0]]), np.array([1.0, 2.0]), 6)


def power_method(hybridize):
    @hybridize
    def power_iteration(a, num_simulations):
        b_k = np.ones(a.shape[1])
        for _ in range(num_simulations):
            b_k1 = np.dot(a, b_k)
            b_k1_norm = np.linalg.norm(b_k1)
            b_k = b_k1 / b_k1_norm
        return b_k, b_k @ a @ b_k

    return power_iteration(np.array([[0.5, 0.5], [0.2, 0.8]]), 10)


def eigenvalues_by_qr(hybridize):
    @hybridize
    def eigenvalues(a):
        for _ in range(15):
            q, r = np.linalg.qr(a)
            a = r @ q
        return np.diag(a)

    return eigenvalues(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]], dtype="float64"))


def gram_schmidt(hybridize):
    @hybridize
    def gram_schmidt(vectors):
        basis = []
        for v in vectors:
            w = v - sum(np.dot(v, b) * b for b in basis)
            if np.linalg.norm(w) > 1e-6:
                basis.append(w / np.linalg.norm(w))
        return np.array(basis)

    return gram_schmidt(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))


def cholesky_by_hand(hybridize):
    @hybridize
    def cholesky(a):
        n = a.shape[0]
        lower = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1):
                s = sum(lower[i, k] * lower[j, k] for k in range(j))
                if i == j:
                    lower[i, j] = np.sqrt(a[i, i] - s)
                else:
                    lower[i, j] = (a[i, j] - s) / lower[j, j]
        return lower

    return cholesky(np.array([[4.0, 2.0, 1.0], [2.0, 5.0, 3.0], [1.0, 3.0, 6.0]]))


def gaussian_elimination(hybridize):
    @hybridize
    def solve(a, b):
        n = len(b)
        a, b = a.copy(), b.copy()
        for k in range(n - 1):
            for i in range(k + 1, n):
                factor = a[i, k] / a[k, k]
                a[i, k:] -= factor * a[k, k:]
                b[i] -= factor * b[k]
        x = np.zeros(n)
        for i in range(n - 1, -1, -1):
            x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
        return x

    return solve(np.array([[2.0, 1.0, -1.0], [-3.0, -1.0, 2.0], [-2.0, 1.0, 2.0]]), np.array([8.0, -11.0, -3.0]))


def elimination_with_pivoting(hybridize):
    @hybridize
    def solve(a, b):
        n = len(b)
        m = np.concatenate([a, b.reshape(-1, 1)], axis=1)
        for k in range(n):
            pivot = k + np.argmax(np.abs(m[k:, k]))
            row = m[pivot].copy()
            m[pivot] = m[k]
            m[k] = row
            m[k] = m[k] / m[k, k]
            for i in range(n):
                if i != k:
                    m[i] = m[i] - m[i, k] * m[k]
        return m[:, -1]

    return solve(np.array([[0.0, 2.0, 1.0], [1.0, -2.0, -3.0], [-1.0, 1.0, 2.0]]), np.array([-8.0, 0.0, 3.0]))


def trapezoid_and_simpson(hybridize):
    @hybridize
    def integrate(f_values, dx):
        trapezoid = dx * (f_values[0] / 2 + f_values[1:-1].sum() + f_values[-1] / 2)
        simpson = dx / 3 * (f_values[0] + 4 * f_values[1:-1:2].sum() + 2 * f_values[2:-1:2].sum() + f_values[-1])
        return trapezoid, simpson

    x = np.linspace(0, math.pi, 101, dtype="float64")
    return integrate(np.sin(x), math.pi / 100)


def monte_carlo_pi(hybridize):
    @hybridize
    def estimate(points):
        inside = 0
        for x, y in points:
            if x**2 + y**2 <= 1:
                inside += 1
        return 4 * inside / len(points)

    return estimate(np.array(numpy.random.default_rng(0).uniform(size=(50, 2)), dtype="float32"))


def euler_method(hybridize):
    def f(t, y):
        return -2 * y + t

    @hybridize
    def euler(y, t_end, steps):
        h = t_end / steps
        t = 0.0
        trajectory = [y]
        for _ in range(steps):
            y = y + h * f(t, y)
            t += h
            trajectory.append(y)
        return np.stack(trajectory), t

    return euler(np.array(1.0), 1.0, 10)


def runge_kutta(hybridize):
    def lorenz(state, sigma=10.0, rho=28.0, beta=8 / 3):
        x, y, z = state
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    @hybridize
    def rk4_step(state, dt):
        k1 = lorenz(state)
        k2 = lorenz(state + dt / 2 * k1)
        k3 = lorenz(state + dt / 2 * k2)
        k4 = lorenz(state + dt * k3)
        return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    state = np.array([1.0, 1.0, 1.0], dtype="float64")
    states = []
    for _ in range(10):
        state = rk4_step(state, 0.01)
        states.append(state.tolist())
    return states


def adaptive_step(hybridize):
    def f(t, y):
        return np.cos(t) - y

    @hybridize
    def solve(y, t_end, h, tol):
        t = np.array(0.0)
        accepted = 0
        while t < t_end:
            big = y + h * f(t, y)
            half = y + h / 2 * f(t, y)
            small = half + h / 2 * f(t + h / 2, half)
            error = abs(small - big)
            if error < tol:
                t = t + h
                y = small
                accepted += 1
                h = h * 1.5
            else:
                h = h * 0.5
        return t, y, accepted

    return solve(np.array(0.0), 1.0, np.array(0.1), 1e-3)


def leapfrog_of_planets(hybridize):
    masses = np.array([1.0, 0.01, 0.001])

    @hybridize
    def accelerations(positions):
        total = []
        for i in range(len(masses)):
            force = np.zeros(2)
            for j in range(len(masses)):
                if i == j:
                    continue
                d = positions[j] - positions[i]
                force += masses[j] * d / ((d**2).sum() + 1e-3) ** 1.5
            total.append(force)
        return np.stack(total)

    p = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    v = np.array([[0.0, 0.0], [0.0, 1.0], [-0.7, 0.0]])
    energies = []
    for _ in range(5):
        v = v + 0.005 * accelerations(p)
        p = p + 0.01 * v
        v = v + 0.005 * accelerations(p)
        energies.append((0.5 * masses * (v**2).sum(axis=1)).sum().item())
    return p, v, energies


def pendulum_class(hybridize):
    class Pendulum:
        g = 9.81

        def __init__(self, length=1.0):
            self.length = length
            self.theta = np.array(0.5)
            self.omega = np.array(0.0)
            self.time = 0.0

        @property
        def energy(self):
            return 0.5 * (self.length * self.omega) ** 2 + self.g * self.length * (1 - np.cos(self.theta))

        @hybridize
        def step(self, dt):
            self.omega = self.omega - self.g / self.length * np.sin(self.theta) * dt
            self.theta = self.theta + self.omega * dt
            self.time += dt
            return self.energy

    pendulum = Pendulum(2.0)
    energies = [pendulum.step(0.01) for _ in range(8)]
    return energies, pendulum.theta, pendulum.time


def heat_equation(hybridize):
    @hybridize
    def simulate(u, alpha, steps):
        for _ in range(steps):
            u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    u = np.zeros(20)
    u[10] = 100.0
    return simulate(u, 0.25, 30)


def heat_equation_in_two_dimensions(hybridize):
    @hybridize
    def step(u):
        interior = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        new = u.copy()
        new[1:-1, 1:-1] = interior
        return new, np.abs(new - u).max()

    u = np.zeros((8, 8))
    u[0, :] = 1.0
    steps = 0
    while True:
        u, change = step(u)
        steps += 1
        if change < 1e-2 or steps > 100:
            break
    return u, steps


def wave_equation(hybridize):
    @hybridize
    def simulate(u, c=0.5, steps=20):
        previous, current = u, u
        frames = []
        for n in range(steps):
            lap = np.roll(current, 1) + np.roll(current, -1) - 2 * current
            previous, current = current, 2 * current - previous + c**2 * lap
            if n % 5 == 0:
                frames.append(current)
        return frames

    return simulate(np.exp(-((np.arange(16) - 8) ** 2) / 4))


def fft_by_recursion(hybridize):
    @hybridize
    def fft(real, imag):
        n = len(real)
        if n == 1:
            return real, imag
        even_r, even_i = fft(real[0::2], imag[0::2])
        odd_r, odd_i = fft(real[1::2], imag[1::2])
        angle = -2 * math.pi * np.arange(n // 2) / n
        c, s = np.cos(angle), np.sin(angle)
        tr, ti = c * odd_r - s * odd_i, c * odd_i + s * odd_r
        return np.concatenate([even_r + tr, even_r - tr]), np.concatenate([even_i + ti, even_i - ti])

    x = np.array(numpy.random.default_rng(0).normal(size=16), dtype="float32")
    return fft(x, np.zeros(16))


def dft_by_matrix(hybridize):
    @hybridize
    def spectrum(x):
        n = x.shape[0]
        k = np.arange(n).reshape(-1, 1)
        angles = 2 * math.pi * k * np.arange(n) / n
        return np.sqrt((np.cos(angles) @ x) ** 2 + (np.sin(angles) @ x) ** 2)

    return spectrum(np.array([1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0]))


def horner(hybridize):
    coefficients = [2.0, -6.0, 2.0, -1.0]

    @hybridize
    def polynomial(x):
        result = 0
        for c in coefficients:
            result = result * x + c
        return result

    return polynomial(np.array([3.0, 0.5])), polynomial(np.array([1.0, 2.0]))


def lagrange_interpolation(hybridize):
    @hybridize
    def lagrange(xs, ys, t):
        total = np.zeros_like(t)
        for i, (xi, yi) in enumerate(zip(xs, ys)):
            term = yi * np.ones_like(t)
            for j, xj in enumerate(xs):
                if j != i:
                    term = term * (t - xj) / (xi - xj)
            total += term
        return total

    return lagrange(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, -1.0]), np.linspace(0, 3, 7))


def linear_interpolation_by_search(hybridize):
    @hybridize
    def interpolate(x, xs, ys):
        i = np.clip(np.searchsorted(xs, x) - 1, 0, len(xs) - 2)
        t = (x - xs[i]) / (xs[i + 1] - xs[i])
        return ys[i] * (1 - t) + ys[i + 1] * t

    return interpolate(np.array([0.5, 1.5, 2.9]), np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 10.0, 5.0, 0.0]))


def richardson_derivatives(hybridize):
    @hybridize
    def derivative(f_plus, f_minus, h, table=None):
        table = [(p - m) / (2 * k) for p, m, k in zip(f_plus, f_minus, h)]
        order = 1
        while len(table) > 1:
            factor = 4**order
            table = [(factor * b - a) / (factor - 1) for a, b in zip(table, table[1:])]
            order += 1
        return table[0]

    x, h = 1.0, [0.4, 0.2, 0.1]
    plus = [np.sin(np.array(x + k, dtype="float64")) for k in h]
    minus = [np.sin(np.array(x - k, dtype="float64")) for k in h]
    return derivative(plus, minus, h)


def primes_by_sieve(hybridize):
    @hybridize
    def sieve(flags):
        n = len(flags)
        flags[:2] = False
        for i in range(2, int(n**0.5) + 1):
            if flags[i]:
                flags[i * i :: i] = False
        return flags.sum(), flags

    return sieve(np.ones(50, dtype="bool"))


def collatz_lengths(hybridize):
    @hybridize
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    return [collatz(np.array(v, dtype="int32")) for v in (1, 6, 7, 27)]


def fixed_point_with_tolerance(hybridize):
    max_steps, tolerance = 50, 1e-5

    @hybridize
    def fixed_point(x):
        for step in range(max_steps):
            new = np.cos(x)
            if np.abs(new - x).max() < tolerance:
                print("converged after", step)
                break
            x = new
        else:
            print("not converged")
        return x

    return fixed_point(np.array([0.1, 1.0]))


PROGRAMS = [
    newton_square_root, newton_raphson_with_limit, bisection, bisection_with_check, secant,
    gradient_descent_on_rosenbrock, backtracking_line_search, momentum_and_history, conjugate_gradient,
    jacobi_iteration, gauss_seidel, power_method, eigenvalues_by_qr, gram_schmidt, cholesky_by_hand,
    gaussian_elimination, elimination_with_pivoting, trapezoid_and_simpson, monte_carlo_pi, euler_method, runge_kutta,
    adaptive_step, leapfrog_of_planets, pendulum_class, heat_equation, heat_equation_in_two_dimensions, wave_equation,
    fft_by_recursion, dft_by_matrix, horner, lagrange_interpolation, linear_interpolation_by_search,
    richardson_derivatives, primes_by_sieve, collatz_lengths, fixed_point_with_tolerance,
]  # fmt: skip
