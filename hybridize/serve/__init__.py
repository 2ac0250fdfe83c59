# SPDX-License-Identifier: Apache-2.0
"""A server of saved models by the Open Inference Protocol, version 2: REST with binary tensors, and gRPC.

In: files and folders that an operator names, requests of clients. Out: answers, metrics, lines of a log. Nothing
imports this package but `tools`, for `hybridize serve`; only it loads starlette, uvicorn, grpc, orjson and
prometheus_client, which the extra `[serve]` installs. It calls what
`hybridize.load` gives, and knows nothing of how programs are made.

    server          one event loop with both protocols, signals, the end
    rest | grpc     the protocols: requests to arrays and back; page, for eyes
    extensions      Triton's beyond the protocol: configurations, statistics; those that are refused
    registry        which models are loaded; swaps
    batching        the queue of a model: batches, deadlines, refusals
    loaded          a file as tensors in and out
    sources         what the operator named: folders, versions, copies that nobody changes meanwhile
"""
