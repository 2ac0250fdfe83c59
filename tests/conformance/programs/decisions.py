"""Reinforcement learning, filters, searches: programs that decide as they go."""

import collections
import math
import random

import numpy

from hybridize import autograd, np, npx

NEXT = np.array([[1, 2], [3, 0], [0, 3], [3, 3]], dtype="int32")
REWARD = np.array([[0.0, 1.0], [5.0, 0.0], [0.0, 2.0], [0.0, 0.0]])


def q_learning_table(hybridize):
    q = np.zeros((4, 2))

    @hybridize
    def update(state, action, alpha=0.5, gamma=0.9):
        reward, following = REWARD[state, action], NEXT[state, action]
        target = reward + gamma * q[following].max()
        q[state, action] += alpha * (target - q[state, action])
        return following

    state = np.array(0, dtype="int32")
    for step in range(8):
        state = update(state, step % 2)
        if state == 3:
            state = np.array(0, dtype="int32")
    return q


def epsilon_greedy_episode(hybridize):
    @hybridize
    def episode(q, noise, epsilon):
        state, total, steps = np.array(0, dtype="int64"), 0.0, 0
        while state != 3 and steps < 10:
            if noise[steps] < epsilon:
                action = steps % 2
            else:
                action = np.argmax(q[state])
            total += REWARD[state, action]
            state = NEXT[state, action].astype("int64")
            steps += 1
        return total, steps

    draw = numpy.random.default_rng(0)
    return episode(np.array(draw.uniform(size=(4, 2)), dtype="float32"), np.array(draw.uniform(size=10)), 0.3)


def sarsa_with_dict(hybridize):
    q = {}

    def value(s, a):
        return q.get((s, a), 0.0)

    @hybridize
    def learn(s, a, r, s2, a2, alpha=0.5, gamma=0.9):
        q[(s, a)] = value(s, a) + alpha * (r + gamma * value(s2, a2) - value(s, a))
        return q[(s, a)]

    for _ in range(3):
        for transition in ((0, 0, np.array(1.0), 1, 1), (1, 1, np.array(0.5), 0, 0)):
            learn(*transition)
    return q


def value_iteration(hybridize):
    @hybridize
    def value_iteration(gamma=0.9, theta=1e-4):
        v = np.zeros(4)
        iterations = 0
        while True:
            new = (REWARD + gamma * v[NEXT]).max(axis=1)
            delta = np.abs(new - v).max()
            v = new
            iterations += 1
            if delta < theta:
                break
        return v, (REWARD + gamma * v[NEXT]).argmax(axis=1), iterations

    return value_iteration()


def policy_iteration(hybridize):
    @hybridize
    def evaluate(policy, gamma):
        p = np.eye(4)[NEXT[np.arange(4), policy]]
        r = REWARD[np.arange(4), policy]
        return np.linalg.solve(np.eye(4) - gamma * p, r)

    policy = np.zeros(4, dtype="int32")
    for _ in range(5):
        v = evaluate(policy, 0.9)
        better = (REWARD + 0.9 * v[NEXT]).argmax(axis=1).astype("int32")
        if (better == policy).all():
            break
        policy = better
    return policy, v


def reinforce_with_baseline(hybridize):
    theta = np.zeros((4, 2))
    theta.attach_grad()
    baseline = 0.0

    @hybridize
    def learn(states, actions, returns):
        nonlocal baseline
        advantage = returns - baseline
        with autograd.record():
            log_probs = npx.log_softmax(theta[states])
            loss = -(npx.pick(log_probs, actions) * advantage).mean()
        loss.backward()
        theta[:] -= 0.5 * theta.grad
        baseline = 0.9 * baseline + 0.1 * returns.mean()
        return loss

    losses = []
    for i in range(3):
        states = np.array([0, 1, 2], dtype="int32")
        actions = np.array([0, 1, i % 2], dtype="int32")
        losses.append(learn(states, actions, np.array([5.0, 4.0, float(i)])))
    return losses, theta, baseline


def discounted_returns(hybridize):
    @hybridize
    def discount(rewards, gamma):
        returns = []
        running = 0.0
        for r in reversed(rewards):
            running = r + gamma * running
            returns.insert(0, running)
        returns = np.array(returns)
        return (returns - returns.mean()) / (returns.std() + 1e-8)

    return discount(np.array([1.0, 0.0, 0.0, 2.0]), 0.9)


def generalized_advantages(hybridize):
    @hybridize
    def gae(rewards, values, dones, gamma=0.99, lam=0.95):
        advantages = np.zeros_like(rewards)
        last = 0
        for t in reversed(range(len(rewards))):
            following = values[t + 1] if t + 1 < len(values) else 0.0
            delta = rewards[t] + gamma * following * (1 - dones[t]) - values[t]
            last = delta + gamma * lam * (1 - dones[t]) * last
            advantages[t] = last
        return advantages, advantages + values

    return gae(np.array([1.0, 0.5, 2.0]), np.array([0.5, 0.4, 0.3]), np.array([0.0, 1.0, 0.0]))


def replay_buffer_of_arrays(hybridize):
    class ReplayBuffer:
        def __init__(self, capacity):
            self.buffer = collections.deque(maxlen=capacity)

        def push(self, state, reward):
            self.buffer.append((state, reward))

        def batch(self, indices):
            states, rewards = zip(*[self.buffer[i] for i in indices])
            return np.stack(states), np.stack(rewards)

        def __len__(self):
            return len(self.buffer)

    memory = ReplayBuffer(3)

    @hybridize
    def act(state):
        reward = state.sum()
        memory.push(state, reward)
        return state * 0.5 + 1, reward

    state = np.array([1.0, -1.0])
    for _ in range(5):
        state, _ = act(state)
    return memory.batch([0, 2]), len(memory)


def replay_buffer_as_ring(hybridize):
    states, rewards = np.zeros((4, 2)), np.zeros(4)
    position, full = 0, False

    @hybridize
    def push(state, reward):
        nonlocal position, full
        states[position] = state
        rewards[position] = reward
        position = (position + 1) % 4
        full = full or position == 0
        return rewards.sum()

    totals = [push(np.array([float(i), -float(i)]), np.array(float(i))) for i in range(6)]
    return totals, states, position, full


def deep_q_step_with_target(hybridize):
    online, target = {"w": np.ones((3, 2)) * 0.1}, {"w": np.zeros((3, 2))}
    online["w"].attach_grad()
    steps = 0

    @hybridize
    def learn(s, a, r, s2, done):
        nonlocal steps
        with autograd.record():
            q = npx.pick(s @ online["w"], a)
            best = (s2 @ target["w"]).max(axis=1)
            loss = ((q - (r + 0.9 * best * (1 - done))) ** 2).mean()
        loss.backward()
        online["w"][:] = online["w"] - 0.1 * online["w"].grad
        steps += 1
        if steps % 2 == 0:
            target["w"][:] = online["w"]
        return loss

    draw = numpy.random.default_rng(0)
    s, s2 = (np.array(draw.normal(size=(4, 3)), dtype="float32") for _ in range(2))
    a, done = np.array([0, 1, 1, 0], dtype="int32"), np.array([0.0, 0.0, 1.0, 0.0])
    return [learn(s, a, np.ones(4), s2, done) for _ in range(4)], target["w"], steps


def cart_pole_environment(hybridize):
    class CartPole:
        gravity, mass_cart, mass_pole, length = 9.8, 1.0, 0.1, 0.5

        def __init__(self):
            self.total_mass = self.mass_cart + self.mass_pole
            self.state = np.array([0.0, 0.0, 0.05, 0.0])

        def step(self, action):
            x, x_dot, theta, theta_dot = self.state
            force = 10.0 if action == 1 else -10.0
            cos, sin = np.cos(theta), np.sin(theta)
            temp = (force + self.mass_pole * self.length * theta_dot**2 * sin) / self.total_mass
            acc = (self.gravity * sin - cos * temp) / (
                self.length * (4.0 / 3.0 - self.mass_pole * cos**2 / self.total_mass)
            )
            x_acc = temp - self.mass_pole * self.length * acc * cos / self.total_mass
            self.state = np.array(
                [x + 0.02 * x_dot, x_dot + 0.02 * x_acc, theta + 0.02 * theta_dot, theta_dot + 0.02 * acc]
            )
            done = abs(self.state[2]) > 0.2
            return self.state, 1.0, done

    env = CartPole()
    step = hybridize(env.step)
    total = 0.0
    for t in range(30):
        state, reward, done = step(1 if env.state[2] > 0 else 0)
        total += reward
        if done:
            break
    return total, state


def upper_confidence_bandit(hybridize):
    @hybridize
    def choose(counts, sums, t):
        if (counts == 0).any():
            return counts.argmin()
        means = sums / counts
        return (means + np.sqrt(2 * np.log(t) / counts)).argmax()

    payout = [0.2, 0.5, 0.8]
    counts, sums, chosen = np.zeros(3), np.zeros(3), []
    for t in range(1, 9):
        arm = int(choose(counts, sums, float(t)))
        counts[arm] += 1
        sums[arm] += payout[arm]
        chosen.append(arm)
    return chosen, sums


def kalman_filter(hybridize):
    f, h = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    q, r = 0.01 * np.eye(2), np.array([[0.5]])

    @hybridize
    def step(x, p, z):
        x = f @ x
        p = f @ p @ f.T + q
        y = z - h @ x
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        x = x + k @ y
        p = (np.eye(2) - k @ h) @ p
        return x, p

    x, p, estimates = np.zeros(2), np.eye(2), []
    for z in (1.1, 1.9, 3.2, 3.9):
        x, p = step(x, p, np.array([z]))
        estimates.append(x[0].item())
    return estimates, p


def kalman_filter_class(hybridize):
    class KalmanFilter:
        def __init__(self, a, q, r):
            self.a, self.q, self.r = a, q, r
            self.mean, self.var = np.array(0.0), np.array(1.0)
            self.history = []

        def predict(self):
            self.mean = self.a * self.mean
            self.var = self.a**2 * self.var + self.q

        def update(self, z):
            gain = self.var / (self.var + self.r)
            self.mean = self.mean + gain * (z - self.mean)
            self.var = (1 - gain) * self.var
            self.history.append(self.mean)

        def __call__(self, z):
            self.predict()
            self.update(z)
            return self.mean, self.history[-1]

    kf = KalmanFilter(0.9, 0.1, 0.5)
    step = hybridize(kf.__call__)
    return [step(np.array(z)) for z in (1.0, 1.2, 0.8)], np.stack(kf.history)


def particle_filter(hybridize):
    @hybridize
    def step(particles, weights, z):
        particles = particles + 1.0 + np.random.normal(0, 0.1, particles.shape)
        weights = weights * np.exp(-0.5 * (z - particles) ** 2) + 1e-12
        weights = weights / weights.sum()
        effective = 1 / (weights**2).sum()
        if effective < len(particles) / 2:
            positions = (np.arange(len(particles)) + 0.5) / len(particles)
            indices = np.searchsorted(np.cumsum(weights), positions)
            particles = particles[np.clip(indices, 0, len(particles) - 1)]
            weights = np.ones_like(weights) / len(weights)
        return particles, weights, (particles * weights).sum()

    particles, weights = np.linspace(-3, 3, 16), np.ones(16) / 16
    means = []
    for z in (1.0, 2.1, 2.9):
        particles, weights, mean = step(particles, weights, np.array(z))
        means.append(mean.item())
    return means


def evolution_strategy(hybridize):
    @hybridize
    def generation(mean, noise, sigma, lr):
        population = mean + sigma * noise
        fitness = -((population - 3.0) ** 2).sum(axis=1)
        ranks = np.argsort(np.argsort(fitness))
        utilities = ranks / (len(fitness) - 1) - 0.5
        return mean + lr / sigma * (utilities[:, None] * noise).mean(axis=0), fitness.max()

    draw = numpy.random.default_rng(0)
    mean, best = np.zeros(2), []
    for _ in range(5):
        mean, fitness = generation(mean, np.array(draw.normal(size=(10, 2)), dtype="float32"), 0.5, 1.0)
        best.append(fitness.item())
    return mean, best


def cross_entropy_method(hybridize):
    @hybridize
    def iterate(mean, std, noise, elite):
        samples = mean + std * noise
        scores = -np.abs(samples - 2).sum(axis=1)
        top = samples[np.argsort(-scores)[:elite]]
        return top.mean(axis=0), top.std(axis=0) + 1e-3

    draw = numpy.random.default_rng(0)
    mean, std = np.zeros(3), np.ones(3) * 2
    for _ in range(4):
        mean, std = iterate(mean, std, np.array(draw.normal(size=(12, 3)), dtype="float32"), 4)
    return mean, std


def simulated_annealing(hybridize):
    def energy(x):
        return x**2 + 10 * np.sin(3 * x)

    @hybridize
    def anneal(x, steps, noise, uniform):
        temperature = 5.0
        best = x
        accepted = 0
        for i in range(steps):
            candidate = x + noise[i]
            delta = energy(candidate) - energy(x)
            if delta < 0 or uniform[i] < np.exp(-delta / temperature):
                x = candidate
                accepted += 1
            if energy(x) < energy(best):
                best = x
            temperature *= 0.9
        return best, accepted

    draw = numpy.random.default_rng(0)
    noise, uniform = (np.array(v, dtype="float32") for v in (draw.normal(size=20), draw.uniform(size=20)))
    return anneal(np.array(2.0), 20, noise, uniform)


def genetic_algorithm(hybridize):
    target = np.array([1, 0, 1, 1, 0, 1], dtype="int32")

    @hybridize
    def breed(population, points, flips):
        fitness = (population == target).sum(axis=1)
        parents = population[np.argsort(-fitness)[:4]]
        children = []
        for i in range(len(population)):
            a, b = parents[i % 4], parents[(i + 1) % 4]
            child = np.where(np.arange(6) < points[i], a, b)
            children.append(np.where(flips[i], 1 - child, child))
        return np.stack(children), fitness.max()

    draw = numpy.random.default_rng(0)
    population, best = np.array(draw.integers(0, 2, (6, 6)), dtype="int32"), []
    for _ in range(4):
        points = np.array(draw.integers(1, 6, 6), dtype="int32")
        population, fitness = breed(population, points, np.array(draw.uniform(size=(6, 6)) < 0.05))
        best.append(int(fitness))
    return population, best


def tic_tac_toe_winner(hybridize):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    @hybridize
    def winner(board):
        for a, b, c in lines:
            if board[a] != 0 and board[a] == board[b] and board[a] == board[c]:
                return board[a]
        return np.array(0, dtype="int32")

    boards = [[1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 2, 1, 2, 1, 2, 2, 1, 2], [0, 0, 2, 0, 2, 0, 2, 0, 0]]
    return [winner(np.array(b, dtype="int32")) for b in boards]


def shuffled_episodes_with_python_random(hybridize):
    @hybridize
    def reward(position, action):
        return np.maximum(0, 1 - np.abs(position - action))

    random.seed(0)
    order = list(range(5))
    random.shuffle(order)
    return [reward(np.array(float(p)), math.sqrt(p)) for p in order]


PROGRAMS = [
    q_learning_table, epsilon_greedy_episode, sarsa_with_dict, value_iteration, policy_iteration,
    reinforce_with_baseline, discounted_returns, generalized_advantages, replay_buffer_of_arrays,
    replay_buffer_as_ring, deep_q_step_with_target, cart_pole_environment, upper_confidence_bandit, kalman_filter,
    kalman_filter_class, particle_filter, evolution_strategy, cross_entropy_method, simulated_annealing,
    genetic_algorithm, tic_tac_toe_winner, shuffled_episodes_with_python_random,
]  # fmt: skip
