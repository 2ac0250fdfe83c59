# SPDX-License-Identifier: Apache-2.0
"""Thirty architectures of timm and transformers at batch 1, against PyTorch eager, torch.compile and TorchScript.

    python benchmarks/torch_zoo.py [--only NAME]... [--rounds 5] [--cpu 0] [--without torch.compile] [--markdown]

Networks of timm are as published, transformers have four layers of 256, all with random weights; one thread. Each
architecture has a process of its own, in which all ways take turns of some milliseconds. torch.compile has the weights
as constants (`freezing`), TorchScript is traced, frozen and optimized for inference. What every way gives is compared
with eager's before it is timed. The ratio of an architecture is the median over rounds of our time over that of the
best of the others; the figure is the geometric mean over architectures. The packages come from .timm, which
`make .timm/.installed` fills.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paired import geometric_mean, in_turns, median_ratio, parser, run_on, table
from rich.console import Console
from rich.progress import Progress

ROOT = Path(__file__).parents[1]
OURS, EAGER, COMPILED, SCRIPT = "hybridize", "eager", "torch.compile", "TorchScript"
TURNS = 6
"""Samples of each way in a round."""
PATIENCE_S = 240
"""After so long torch.compile is given up for an architecture."""
TOLERANCE = 2e-3
FIGURE = "30 architectures ÷ best"

TIMM = {
    "resnet18": 224, "mobilenetv3_small_100": 224, "mobilenetv2_100": 224, "efficientnet_b0": 224, "convnext_atto": 224,
    "densenet121": 224, "repvgg_a0": 224, "regnetx_002": 224, "ghostnet_100": 224, "vit_tiny_patch16_224": 224,
    "deit_tiny_distilled_patch16_224": 224, "swin_tiny_patch4_window7_224": 224, "mixer_s16_224": 224,
    "poolformer_s12": 224, "pvt_v2_b0": 224, "mobilevit_xxs": 256, "edgenext_xx_small": 256,
    "xcit_nano_12_p16_224": 224,
}  # fmt: skip
"""Networks, and the size of their images."""
WIDTH, LAYERS, HEADS, WORDS, LENGTH = 256, 4, 4, 1000, 64
ENCODER = {
    "vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
    "intermediate_size": 4 * WIDTH, "max_position_embeddings": 2 * LENGTH + 2,
}  # fmt: skip
DECODER = {**ENCODER, "num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
NAMED = {
    "vocab_size": WORDS, "d_model": WIDTH, "encoder_layers": LAYERS, "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": 4 * WIDTH,
    "decoder_ffn_dim": 4 * WIDTH, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}  # fmt: skip
TRANSFORMERS: dict[str, tuple[str, dict[str, Any]]] = {
    "BertModel": ("BertConfig", ENCODER),
    "RobertaModel": ("RobertaConfig", ENCODER),
    "ElectraModel": ("ElectraConfig", {**ENCODER, "embedding_size": WIDTH}),
    "AlbertModel": ("AlbertConfig", {**ENCODER, "embedding_size": WIDTH}),
    "DistilBertModel": (
        "DistilBertConfig",
        {"vocab_size": WORDS, "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": 4 * WIDTH},
    ),
    "GPT2LMHeadModel": ("GPT2Config", {"vocab_size": WORDS, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS}),
    "OPTForCausalLM": (
        "OPTConfig",
        {
            "vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
            "ffn_dim": 4 * WIDTH, "word_embed_proj_dim": WIDTH,
        },
    ),
    "GPTNeoXForCausalLM": ("GPTNeoXConfig", ENCODER),
    "LlamaForCausalLM": ("LlamaConfig", DECODER),
    "Qwen2ForCausalLM": ("Qwen2Config", DECODER),
    "T5ForConditionalGeneration": (
        "T5Config",
        {
            "vocab_size": WORDS, "d_model": WIDTH, "d_kv": 64, "d_ff": 4 * WIDTH, "num_layers": LAYERS,
            "num_heads": HEADS,
        },
    ),
    "WhisperModel": (
        "WhisperConfig",
        {**NAMED, "num_mel_bins": 80, "max_source_positions": LENGTH, "max_target_positions": LENGTH},
    ),
}  # fmt: skip
"""Networks, the classes of their settings, and these."""
NAMES = (*TIMM, *TRANSFORMERS)


def made(name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A network that predicts, and the arguments of a call."""
    import torch

    sys.path.insert(0, str(ROOT))
    from tests.torch.side_packages import load

    torch.manual_seed(0)
    if name in TIMM:
        net = load("timm").create_model(name, pretrained=False)
        for part in net.modules():  # as after a training: neither 0 nor 1
            if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
                part.running_mean.normal_(0, 0.1)
                part.running_var.uniform_(0.5, 1.5)
        return net.eval(), (torch.randn(1, 3, TIMM[name], TIMM[name]),), {}
    transformers = load("transformers")
    transformers.logging.set_verbosity_error()
    settings, options = TRANSFORMERS[name]
    config = getattr(transformers, settings)(**options)
    config.use_cache = False
    net = getattr(transformers, name)(config).eval()
    tokens = torch.randint(3, WORDS, (1, LENGTH))
    if name == "WhisperModel":
        return net, (), {"input_features": torch.randn(1, 80, 2 * LENGTH), "decoder_input_ids": tokens[:, :16]}
    more = {"decoder_input_ids": tokens[:, :16]} if name.startswith("T5") else {}
    return net, (), {"input_ids": tokens, **more}


def expired(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError(f"not compiled within {PATIENCE_S} s")


def compiled(net: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The network by torch.compile, its weights constants."""
    import torch
    from torch._inductor import config

    config.freezing = True
    function = torch.compile(net)
    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(PATIENCE_S)
    try:
        function(*args, **kwargs)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return function


def scripted(net: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The network traced, frozen, optimized; called twice, because the executor specialises then."""
    import torch

    given = {"example_inputs": args} if args else {"example_kwarg_inputs": kwargs}
    traced = torch.jit.trace(net, strict=False, check_trace=False, **given)
    function = torch.jit.optimize_for_inference(torch.jit.freeze(traced))
    for _ in range(2):
        function(*args, **kwargs)
    return function


def compare(found: Any, wanted: Any) -> None:
    """Check that all tensors of a result are those of another one."""
    import torch
    from torch.utils import _pytree as pytree

    ours, theirs = (
        [leaf for leaf in pytree.tree_leaves(one) if isinstance(leaf, torch.Tensor)] for one in (found, wanted)
    )
    for one, other in zip(ours, theirs, strict=True):
        scale = max(1.0, other.abs().max().item())
        torch.testing.assert_close(one / scale, other / scale, rtol=0, atol=TOLERANCE)


def measure(name: str, rounds: int, cpu: int | None, without: list[str]) -> dict[str, Any]:
    """Seconds of a call by each way, samples in turns, and why there are none of a way."""
    import torch

    from hybridize import hybridize

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    net, args, kwargs = made(name)
    ways: dict[str, Callable[[], Any]] = {
        OURS: lambda: hybridize(net),
        EAGER: lambda: net,
        SCRIPT: lambda: scripted(net, args, kwargs),
        COMPILED: lambda: compiled(net, args, kwargs),
    }
    functions, failures = {}, {}
    with torch.inference_mode():
        wanted = net(*args, **kwargs)
        for way, make in ways.items():
            if way in without:
                continue
            try:
                function = make()
                compare(function(*args, **kwargs), wanted)
            except Exception as error:  # whatever a peer raises becomes a line below the table
                failures[way] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
                continue
            if way == OURS and function.exported:
                failures[way] = f"captured by torch.export: {function.exported[0][:120]}"
            functions[way] = lambda function=function: function(*args, **kwargs)
        run_on(cpu)
        return {"samples": in_turns(functions, rounds * TURNS), "failures": failures}


def in_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The same in a new process, on one core as soon as all ways are compiled."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", name, "--rounds", str(options.rounds)]
    command += [] if options.cpu is None else ["--cpu", str(options.cpu)]
    command += [part for way in options.without for part in ("--without", way)]
    environment = {**os.environ, "HYBRIDIZE_CACHE": "0", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    # Only calls are timed: what Inductor has compiled in a run before may stay.
    environment.pop("TORCHINDUCTOR_FORCE_DISABLE_CACHES", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        problem = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"samples": {}, "failures": dict.fromkeys((OURS, EAGER, COMPILED, SCRIPT), problem)}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def row(name: str, found: dict[str, Any]) -> tuple[tuple[str, ...], float | None]:
    """The line of an architecture, and its ratio."""
    samples = found["samples"]
    times = {way: statistics.median(values) for way, values in samples.items()}
    peers = [way for way in (EAGER, COMPILED, SCRIPT) if way in times]
    ratio = None
    if OURS in times and OURS not in found["failures"]:
        ratio = median_ratio(samples, OURS, min(peers, key=times.__getitem__))
    figures = [_figure(times, way, found["failures"]) for way in (OURS, EAGER, COMPILED, SCRIPT)]
    return (name, *figures, "" if ratio is None else f"{ratio:.2f}"), ratio


def _figure(times: dict[str, float], way: str, failures: dict[str, str]) -> str:
    if way in times:
        return f"{1e3 * times[way]:.2f}"
    return "failed" if way in failures else "left out"


def main() -> None:
    arguments = parser(__doc__, rounds=5)
    arguments.add_argument("--only", action="append", default=[])
    arguments.add_argument("--without", action="append", default=[], help="a way that is left out")
    arguments.add_argument("--one", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.rounds, options.cpu, options.without)))
        return
    names = [name for name in NAMES if not options.only or any(part in name for part in options.only)]
    rows, ratios, notes = [], [], []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            found = in_process(name, options)
            line, ratio = row(name, found)
            rows.append(line)
            ratios += [] if ratio is None else [ratio]
            notes += [f"{name}, {way}: {error}" for way, error in found["failures"].items()]
            progress.advance(task)
    columns = ("one call, ms", OURS, EAGER, f"{COMPILED}, freezing", f"{SCRIPT} frozen", "÷ best")
    table(columns, rows, options.markdown, columns[:1])
    print(f"\n{len(ratios)} architectures, geometric mean {geometric_mean(ratios):.3f}")
    print("".join(f"\n- {note}" for note in notes))
    # Nothing is a figure of thirty that is not of thirty.
    if options.figures and len(ratios) == len(NAMES):
        options.figures.write_text(json.dumps({FIGURE: geometric_mean(ratios)}))
    elif options.figures:
        options.figures.write_text("{}")


if __name__ == "__main__":
    main()
