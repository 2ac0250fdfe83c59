"""Small language models that read Python's own help, letter by letter, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/decoders.py

A LLaMA and a GPT of some hundred thousand parameters. A letter, out of 96, costs 4.6 nats when nothing is known. Exits
with an error when the losses of a step that is one program are not the imperative ones, or when a letter costs more
than 2.5 nats in the end.
"""

import sys

from hybridize import gluon, np, random
from hybridize.gluon.generation import BeamSearch, SequenceSampler
from hybridize.gluon.model_zoo.text import GPT, Llama

from reading import LETTERS, both_ways, learn, letters_of, numbers_of, pieces

TIME, BATCH, STEPS = 64, 16, 300
GOAL = 2.5
MODELS = {
    "LLaMA": lambda: Llama(LETTERS, 64, 2, 4, 2, max_length=2 * TIME),
    "GPT": lambda: GPT(LETTERS, 64, 2, 4, max_length=2 * TIME),
}


def train(name, compiled, steps):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = MODELS[name]()
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    batches = pieces(steps, BATCH, TIME)
    return learn(lambda piece: loss(net(piece[:, :-1]), piece[:, 1:]).mean(), trainer, batches, compiled), net


def main():
    failed = False
    prompt = "The name of the "
    for name in MODELS:
        cost, net = both_ways(lambda compiled, steps, name=name: train(name, compiled, steps), STEPS)
        print(f"{name}: {cost:.2f} nats a letter")
        failed |= cost > GOAL
        for generator in (SequenceSampler(net, TIME, temperature=0.7, top_p=0.9), BeamSearch(net, TIME)):
            generator.hybridize()
            letters = generator(np.array(numbers_of(prompt)[None], dtype="int64"))[0].asnumpy().reshape(-1)
            print(f"  {type(generator).__name__}:\n    {prompt}{letters_of(letters)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
