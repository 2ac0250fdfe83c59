# SPDX-License-Identifier: Apache-2.0
"""The runtimes on networks over sequences, one module each, which share what they can with those of `peers`.

Each module offers tables from a mode to a build, as those of `peers` do; nets are of `tools.sequences`, their arrays by
name:

    RECURRENCE     : (net, arrays) -> start    a layer of LSTM or GRU; [time, batch, in] to [time, batch, out]
    ENCODER        : (net, arrays) -> start    a Transformer encoder; [batch, time, width]
    ATTENTION      : (net, arrays) -> start    attention by itself; [batch, head, time, size], or the order that the
                                               runtime likes best
    ATTENTION_BACK : (net, arrays) -> start    the gradients of q, k and v, stacked, the gradient of the result being q
    DECODER        : (net, arrays) -> start    a step that writes its caches, the same step at each call
    DECODING       : (net, arrays) -> start    step after step
    TRAIN_SEQUENCE : (training, weights, batches) -> start    steps of a language model
"""
