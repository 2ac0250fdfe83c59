# SPDX-License-Identifier: Apache-2.0
"""`ModelRegistry`: what is loaded. A new model takes the place of the old in one step; the old ends its work."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from typing import Any

from hybridize.base.errors import HybridizeError
from hybridize.serve.batching import RequestQueue
from hybridize.serve.loaded import LoadedModel
from hybridize.serve.options import ServerOptions
from hybridize.serve.refusals import Refusal
from hybridize.serve.sources import ModelSource, Sources, newest, snapshot
from hybridize.serve.telemetry import Metrics, ModelCounts, RequestLog


class ServedModel:
    """A version that answers requests: the model, its queue, its counts."""

    __slots__ = ("counts", "model", "queue")
    counts: ModelCounts
    model: LoadedModel
    queue: RequestQueue

    def __init__(self, model: LoadedModel, queue: RequestQueue, counts: ModelCounts) -> None:
        self.model, self.queue, self.counts = model, queue, counts


class ModelRegistry:
    """The models of a server, on one event loop.

    Args:
        options: of the operator.
        log: hears of models that come and go.
    """

    def __init__(self, options: ServerOptions, log: RequestLog) -> None:
        self.options = options
        self.log = log
        self.sources: Sources = Sources(options.paths)
        self.metrics: Metrics = Metrics()
        self.draining = False
        self._served: dict[str, dict[str, ServedModel]] = {}
        self._newest: dict[str, ServedModel] = {}
        self._reasons: dict[tuple[str, str], str] = {}
        self._counts: dict[tuple[str, str], ModelCounts] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._retiring: set[asyncio.Task[None]] = set()

    @property
    def ready(self) -> bool:
        """True if requests are welcome."""
        return bool(self._served) and not self.draining

    def served(self) -> list[ServedModel]:
        """Return all versions that answer."""
        return [one for name in sorted(self._served) for one in self._served[name].values()]

    def find(self, name: str, version: str = "") -> ServedModel:
        """Return a version of a model; of the empty version the newest.

        Raises:
            Refusal NOT_FOUND: there is no such model or version.
            Refusal UNAVAILABLE: it is not loaded.
        """
        one = self._served.get(name, {}).get(version) if version else self._newest.get(name)
        if one is not None:
            return one
        shown = f"{name[:80]!r}" + (f" version {version[:20]!r}" if version else "")
        known = self.sources.scan(fresh=False).get(name)
        if known is None or (version and version not in known):
            models = ", ".join(sorted(self._served)) or "none"
            raise Refusal("NOT_FOUND", f"there is no model {shown}; loaded are: {models}", "unknown")
        raise Refusal("UNAVAILABLE", f"model {shown} is not loaded", "unloaded")

    def versions(self, name: str) -> list[str]:
        """Return the loaded versions of a model, the newest last."""
        return newest(list(self._served.get(name, {})))

    def index(self, ready: bool = False) -> list[dict[str, str]]:
        """Return name, version, state and reason of all that the operator named; or of what is `ready` alone."""
        rows = []
        models = self.sources.scan(fresh=False)
        for name in sorted({*models, *self._served}):
            for version in newest(list({*models.get(name, {}), *self._served.get(name, {})})):
                loaded = version in self._served.get(name, {})
                if loaded or not ready:
                    state = "READY" if loaded else "UNAVAILABLE"
                    reason = self._reasons.get((name, version), "" if loaded else "not loaded")
                    rows.append({"name": name, "version": version, "state": state, "reason": reason})
        return rows

    async def load_all(self) -> None:
        """Load what the operator named.

        Raises:
            HybridizeError: a model cannot be loaded.
        """
        for name in sorted(self.sources.scan()):
            await self._load(name)

    async def load(self, name: str) -> None:
        """Load a model anew: the versions that are in its folder now, in place of those that answer.

        Raises:
            Refusal NOT_FOUND: the operator named no such model.
            Refusal INVALID_ARGUMENT: it cannot be loaded; what answered before still does.
            Refusal PERMISSION_DENIED: requests may not load models here.
        """
        self._check_control()
        try:
            await self._load(name)
        except HybridizeError as error:
            text = str(error).splitlines()[0]
            self.log.event("load failed", model=name, error=text)
            raise Refusal("INVALID_ARGUMENT", f"model {name[:80]!r} cannot be loaded: {text}", "load") from None

    async def unload(self, name: str) -> None:
        """Take a model away; requests that it has taken are answered.

        Raises:
            Refusal NOT_FOUND: there is no such model.
            Refusal PERMISSION_DENIED: requests may not unload models here.
        """
        self._check_control()
        async with self._lock(name):
            if name not in self._served:
                self.find(name)
            self._place(name, {})
        self.log.event("unloaded", model=name)

    def _check_control(self) -> None:
        if not self.options.controlled:
            text = "this server lets no request load or unload models; hybridize serve --control does"
            raise Refusal("PERMISSION_DENIED", text, "control")

    def _lock(self, name: str) -> asyncio.Lock:
        known = name in self._served or name in self.sources.scan(fresh=False)
        return self._locks.setdefault(name, asyncio.Lock()) if known else asyncio.Lock()

    async def _load(self, name: str) -> None:
        loop = asyncio.get_running_loop()
        async with self._lock(name):
            models = await loop.run_in_executor(None, self.sources.scan)
            versions = models.get(name)
            if versions is None:
                self.find(name)
                raise Refusal("NOT_FOUND", f"the files of model {name[:80]!r} are gone", "unknown")
            chosen = newest(list(versions))
            chosen = chosen if self.options.versions == "all" else chosen[-1:]
            fresh = {}
            for version in chosen:
                model = await loop.run_in_executor(None, self._read, versions[version])
                fresh[version] = self._serve(model)
                self.log.event(
                    "loaded", model=name, version=version, platform=model.platform, programs=model.programs,
                    seconds_of_a_call=round(model.seconds, 7), note=model.note or None,
                )  # fmt: skip
            self._place(name, fresh)

    def _read(self, source: ModelSource) -> LoadedModel:
        options = {**self.options.load, **({"images": True} if self.options.images else {})}
        try:
            with snapshot(source, in_place=self.options.in_place) as path:
                model = LoadedModel(source, path, options, self.options.max_batch)
        except HybridizeError as error:
            self._reasons[source.model, source.version] = str(error).splitlines()[0]
            raise
        self._reasons.pop((source.model, source.version), None)
        return model

    def _serve(self, model: LoadedModel) -> ServedModel:
        key = model.name, model.version
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = ModelCounts(self.metrics, *key)
        options = self.options
        queue = RequestQueue(
            model, max_batch=options.max_batch, max_wait=options.max_wait_us * 1e-6, limit=options.max_queue,
            max_programs=options.max_programs, measured=counts.ran,
        )  # fmt: skip
        reference = weakref.ref(queue)  # a model that is taken away goes away, whatever the metrics look at
        self.metrics.waiting.labels(*key).set_function(lambda: len(reference() or ()))
        return ServedModel(model, queue, counts)

    def _place(self, name: str, fresh: dict[str, ServedModel]) -> None:
        """Let new versions answer from now on, and the old ones end what they have begun."""
        old = self._served.pop(name, {})
        self._newest.pop(name, None)
        if fresh:
            self._served[name] = fresh
            self._newest[name] = fresh[newest(list(fresh))[-1]]
        for version in {*old, *fresh}:
            self.metrics.ready.labels(name, version).set(version in fresh)
        for one in old.values():
            task = asyncio.get_running_loop().create_task(one.queue.drained())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)

    async def drained(self) -> None:
        """Wait until no model has a request that it took."""
        for one in self.served():
            await one.queue.drained()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._retiring)

    def metadata(self, one: ServedModel) -> dict[str, Any]:
        """Return the metadata of a version in the words of the protocol."""
        model = one.model
        return {
            "name": model.name,
            "versions": self.versions(model.name) or [model.version],
            "platform": model.platform,
            "inputs": [port.described() for port in model.inputs],
            "outputs": [port.described() for port in model.outputs],
        }
