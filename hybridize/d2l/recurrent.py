# SPDX-License-Identifier: Apache-2.0
"""Language models of the book: recurrent nets by hand and by layers, and what predicts with them."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any

import hybridize.gluon.rnn as rnn
from hybridize.array import np, npx, random
from hybridize.d2l.classes import Classifier, Module
from hybridize.gluon import nn

if TYPE_CHECKING:
    from hybridize.array.ndarray import ndarray


def check_len(a: Sized, n: int) -> None:
    """Assert that a list has a length.

    Args:
        a: the list.
        n: the length.

    >>> from hybridize import d2l
    >>> d2l.check_len([1, 2], 2)
    """
    assert len(a) == n, f"the length is {len(a)}, not {n}"


def check_shape(a: Any, shape: Sequence[int]) -> None:
    """Assert that an array has a shape.

    Args:
        a: the array.
        shape: the sizes.

    >>> from hybridize import d2l, np
    >>> d2l.check_shape(np.ones((2, 3)), (2, 3))
    """
    assert a.shape == shape, f"the shape is {a.shape}, not {shape}"


class RNNScratch(Module):
    """Apply a recurrent net with arrays as parameters.

    Args:
        num_inputs: how many features a step has.
        num_hiddens: how many the state has.
        sigma: of the normal numbers that weights begin with.

    >>> from hybridize import d2l, np
    >>> net = d2l.RNNScratch(3, 4)
    >>> outputs, state = net(np.ones((5, 2, 3)))
    >>> len(outputs), state.shape
    (5, (2, 4))
    """

    def __init__(self, num_inputs: int, num_hiddens: int, sigma: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.W_xh: ndarray = random.randn(num_inputs, num_hiddens) * sigma
        self.W_hh: ndarray = random.randn(num_hiddens, num_hiddens) * sigma
        self.b_h: ndarray = np.zeros(num_hiddens)

    def forward(self, inputs: Any, state: Any = None) -> Any:
        """Return the states after each step, and the last state.

        Args:
            inputs: (steps, batch, features).
            state: the state before, in a tuple; None: zeros.
        """
        last = np.zeros((inputs.shape[1], self.W_hh.shape[0]), ctx=inputs.ctx) if state is None else state[0]
        states = []
        for X in inputs:
            last = np.tanh(np.dot(X, self.W_xh) + np.dot(last, self.W_hh) + self.b_h)
            states.append(last)
        return states, last


class RNNLMScratch(Classifier):
    """Score the next token of a text by a recurrent net, with arrays as parameters.

    A call takes tokens (batch, steps) and returns scores (batch, steps, vocab_size).

    Args:
        rnn: the recurrent net, such as `RNNScratch`.
        vocab_size: how many tokens there are.
        lr: the learning rate.

    >>> from hybridize import d2l, np
    >>> model = d2l.RNNLMScratch(d2l.RNNScratch(num_inputs=5, num_hiddens=8), vocab_size=5)
    >>> model(np.zeros((2, 3))).shape
    (2, 3, 5)
    """

    rnn: Any
    vocab_size: int
    lr: float

    def __init__(self, rnn: Any, vocab_size: int, lr: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.rnn, self.vocab_size, self.lr = rnn, vocab_size, lr
        self.init_params()

    def init_params(self) -> None:
        """Make the parameters."""
        self.W_hq: Any = random.randn(self.rnn.num_hiddens, self.vocab_size) * self.rnn.sigma
        self.b_q: ndarray = np.zeros(self.vocab_size)
        for one in self.get_scratch_params():
            one.attach_grad()

    def training_step(self, batch: Sequence[Any]) -> Any:
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("ppl", np.exp(loss), train=True)
        return loss

    def validation_step(self, batch: Sequence[Any]) -> None:
        self.plot("ppl", np.exp(self.loss(self(*batch[:-1]), batch[-1])), train=False)

    def one_hot(self, X: Any) -> Any:
        """Return tokens (batch, steps) as (steps, batch, vocab_size) of 0 and 1."""
        return npx.one_hot(X.T, self.vocab_size)

    def output_layer(self, rnn_outputs: Any) -> Any:
        """Return scores (batch, steps, vocab_size) from the states after each step."""
        return np.stack([np.dot(state, self.W_hq) + self.b_q for state in rnn_outputs], 1)

    def forward(self, X: Any, state: Any = None) -> Any:
        outputs, _ = self.rnn(self.one_hot(X), state)
        return self.output_layer(outputs)

    def predict(self, prefix: str, num_preds: int, vocab: Any, device: Any = None) -> str:
        """Continue a text, by the likeliest token each time.

        Args:
            prefix: how it begins.
            num_preds: how many tokens to add.
            vocab: numbers of tokens.
            device: where.
        """
        tokens, state = [vocab[prefix[0]]], None
        for number in range(1, len(prefix) + num_preds):
            outputs, state = self.rnn(self.one_hot(np.array([[tokens[-1]]], ctx=device)), state)
            if number < len(prefix):
                tokens.append(vocab[prefix[number]])
            else:
                tokens.append(int(self.output_layer(outputs).argmax(axis=2).item()))
        return "".join(vocab.idx_to_token[one] for one in tokens)


class RNN(Module):
    """Apply a recurrent layer.

    Args:
        num_hiddens: how many features the state has.

    >>> from hybridize import d2l, np
    >>> net = d2l.RNN(4)
    >>> net.initialize()
    >>> net(np.ones((5, 2, 3)))[0].shape
    (5, 2, 4)
    """

    def __init__(self, num_hiddens: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.rnn: Any = rnn.RNN(num_hiddens)

    def forward(self, inputs: Any, H: Any = None) -> Any:
        """Return the states after each step (steps, batch, hidden), and the last states (layers, batch, hidden)."""
        before = self.rnn.begin_state(inputs.shape[1], ctx=inputs.ctx) if H is None else (H,)
        outputs, (last,) = self.rnn(inputs, before)
        return outputs, last


class RNNLM(RNNLMScratch):
    """Score the next token of a text by layers: `RNNLMScratch` with a recurrent layer and a dense layer.

    Args:
        rnn: the recurrent net, such as `RNN` or `GRU`.
        vocab_size, lr: see `RNNLMScratch`.

    >>> from hybridize import d2l, np
    >>> model = d2l.RNNLM(d2l.RNN(8), vocab_size=5)
    >>> model.predict("ab", 3, d2l.Vocab("abcd"))[:2]
    'ab'
    """

    linear: nn.Dense

    def init_params(self) -> None:
        self.linear = nn.Dense(self.vocab_size, flatten=False)
        self.initialize()

    def output_layer(self, rnn_outputs: Any) -> Any:
        return self.linear(rnn_outputs).swapaxes(0, 1)


class GRU(RNN):
    """Apply layers of gated recurrent units.

    Args:
        num_hiddens: how many features the state of a layer has.
        num_layers: how many layers.
        dropout: the share of features that is dropped between layers while training.

    >>> from hybridize import d2l, np
    >>> net = d2l.GRU(4, num_layers=2)
    >>> net.initialize()
    >>> outputs, state = net(np.ones((5, 2, 3)))
    >>> outputs.shape, state.shape
    ((5, 2, 4), (2, 2, 4))
    """

    def __init__(self, num_hiddens: int, num_layers: int, dropout: float = 0) -> None:
        Module.__init__(self)
        self.save_hyperparameters()
        self.rnn: Any = rnn.GRU(num_hiddens, num_layers, dropout=dropout)
