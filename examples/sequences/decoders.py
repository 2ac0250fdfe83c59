"""Small language models that read Python's own help, letter by letter, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/decoders.py

A LLaMA and a GPT of some hundred thousand parameters are trained on the text that `help()` shows, first a few steps
imperatively and as one program, then as one program alone. Then they write. Exits with an error when the losses of the
two ways differ, or when a letter costs more than 2.5 nats in the end (a letter out of 96 costs 4.6).
"""

import pydoc_data.topics
import sys
import time

import numpy

from hybridize import autograd, gluon, hybridize, np, random
from hybridize.gluon.generation import BeamSearch, SequenceSampler
from hybridize.gluon.model_zoo.text import GPT, Llama

TIME, BATCH, STEPS = 64, 16, 300
GOAL = 2.5
MODELS = {
    "LLaMA": lambda: Llama(96, 64, 2, 4, 2, max_length=2 * TIME),
    "GPT": lambda: GPT(96, 64, 2, 4, max_length=2 * TIME),
}


def letters(text):
    """Numbers of printable letters; others are spaces."""
    codes = numpy.frombuffer(text.encode("ascii", "replace"), numpy.uint8).astype("i8") - 32
    return numpy.where((codes >= 0) & (codes < 95), codes, 0)


def text_of(numbers):
    return "".join(chr(int(number) + 32) for number in numbers)


def batches(steps):
    """Random pieces of the text, one letter longer than what is read at once."""
    every = letters(" ".join(" ".join(pydoc_data.topics.topics.values()).split()))
    rng = numpy.random.default_rng(0)
    for _ in range(steps):
        first = rng.integers(0, len(every) - TIME - 1, BATCH)
        yield numpy.stack([every[at : at + TIME + 1] for at in first])


def train(name="LLaMA", compiled=True, steps=STEPS):
    """The loss of every step, and the net."""
    random.seed(1)
    net = MODELS[name]()
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(piece):
        with autograd.record():
            loss = loss_of(net(piece[:, :-1]), piece[:, 1:]).mean()
        loss.backward()
        trainer.step(1)
        return loss

    run = hybridize(step) if compiled else step
    return [float(run(np.array(piece, dtype="int64"))) for piece in batches(steps)], net


def main():
    failed = False
    for name in MODELS:
        imperative, _ = train(name, compiled=False, steps=5)
        started = time.perf_counter()
        losses, net = train(name)
        took = time.perf_counter() - started
        last = numpy.mean(losses[-20:])
        print(f"{name}: loss {losses[0]:.2f} -> {last:.2f} in {len(losses)} steps, {took:.1f} s")
        failed |= not numpy.allclose(imperative, losses[:5], rtol=1e-4) or last > GOAL
        prompts = np.array(letters("The name of the ")[None], dtype="int64")
        for generator in (SequenceSampler(net, TIME, temperature=0.7, top_p=0.9), BeamSearch(net, TIME)):
            generator.hybridize()
            tokens = generator(prompts)[0].asnumpy().reshape(-1)
            print(f"  {type(generator).__name__}: The name of the {text_of(tokens)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
