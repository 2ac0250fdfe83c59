# SPDX-License-Identifier: Apache-2.0
"""The command `hybridize serve`: its options in typer's words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

import hybridize
from hybridize.base.errors import ReadError, StateError
from hybridize.base.loading import LOADING

TOKEN: Final = "HYBRIDIZE_SERVE_TOKEN"
"""The variable of the environment that may hold the token."""
_NEEDED: Final = ("starlette", "uvicorn", "uvloop", "httptools", "grpc", "google", "orjson", "prometheus_client")


def token(file: Path | None) -> str | None:
    """Return the token in a file, or in the environment; None where there is none.

    Raises:
        ReadError E600: the file cannot be read, or is empty.
    """
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError("E600", f"the token in {file} cannot be read: {error}") from None
    if not text or not text.isascii() or " " in text:
        raise ReadError("E600", f"{file} holds no token: letters and digits on one line")
    return text


def run(**options: Any) -> None:
    """Serve models until a signal; the keywords are those of `hybridize.serve.options.ServerOptions`.

    Raises:
        StateError E593: the extra `[serve]` is not installed.
    """
    try:
        with LOADING:
            from hybridize.serve.options import ServerOptions  # late: who runs nets needs no web server
            from hybridize.serve.server import ModelServer
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing not in _NEEDED:
            raise
        what = f"hybridize serve needs {missing}, which is not installed"
        raise StateError("E593", what, help='pip install "hybridize[serve]"') from None
    ModelServer(ServerOptions(**options)).run()


def serve(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="Archives, NAME-symbol.json, models of ONNX and TFLite, SavedModels; folders of them, with versions "
            "as NAME/1/model.onnx; NAME=PATH names one.",
        ),
    ],
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 is all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of REST; 0: any.")] = 8000,
    grpc_port: Annotated[int, typer.Option(min=0, max=65535, help="Of gRPC; 0: any.")] = 8001,
    grpc: Annotated[bool, typer.Option(help="Serve gRPC, too.")] = True,
    max_batch: Annotated[
        int, typer.Option(min=1, help="Rows of several requests that one call has; 1: no batches.")
    ] = 1,
    max_wait_us: Annotated[int, typer.Option(min=0, help="Microseconds that a request waits for others.")] = 0,
    max_queue: Annotated[int, typer.Option(min=1, help="Requests waiting for a model; more are refused: 429.")] = 1024,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until a request is given up: 504.")] = 60.0,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes of a request; more are refused: 413.")] = 64 << 20,
    max_programs: Annotated[
        int, typer.Option(min=1, help="Programs for sizes of requests that a model may have.")
    ] = 32,
    max_connections: Annotated[int, typer.Option(min=1, help="Connections that are open at a time.")] = 4096,
    slow: Annotated[float, typer.Option(min=0.1, help="Seconds that a client may take to send a request.")] = 30.0,
    drain: Annotated[float, typer.Option(min=0, help="Seconds of not being ready before listening ends.")] = 0.5,
    versions: Annotated[Literal["latest", "all"], typer.Option(help="Which of several to load.")] = "latest",
    control: Annotated[
        bool | None,
        typer.Option(
            "--control/--no-control",
            help="Let requests load and unload models. Default: if only this machine, or who has the token, can ask.",
            show_default=False,
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help=f"File of the bearer token that requests must have; or set {TOKEN}.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="TLS: the certificate chain, in PEM.")] = None,
    key: Annotated[Path | None, typer.Option(help="TLS: its private key, in PEM.")] = None,
    log: Annotated[Literal["requests", "errors", "off"], typer.Option(help="Which lines to write.")] = "requests",
    threads: Annotated[int | None, typer.Option(min=1, help="That a program may use at most.")] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Map the files, no copy of them: nobody overwrites or shortens them.")
    ] = False,
    images: Annotated[
        bool, typer.Option("--images", help="Run the machine code in archives: trust them as programs.")
    ] = False,
) -> None:
    """Serve models by the Open Inference Protocol (REST and gRPC), until SIGTERM or Ctrl-C."""
    if (certificate is None) != (key is None):
        raise typer.BadParameter("--certificate and --key belong together")
    if threads is not None:
        hybridize.set_num_threads(threads)
    run(
        paths=tuple(paths), host=host, port=port, grpc_port=grpc_port if grpc else None, max_batch=max_batch,
        max_wait_us=max_wait_us, max_queue=max_queue, timeout=timeout, max_body=max_body, max_programs=max_programs,
        max_connections=max_connections, slow=slow, drain=drain, versions=versions, control=control,
        token=token(token_file), certificate=str(certificate) if certificate else None,
        key=str(key) if key else None, log=log, in_place=in_place, images=images,
    )  # fmt: skip
