"""A checkpoint saver of LangGraph whose checkpoints are on the platform: one request for each method."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import httpx
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from memory_platform_client.client import TIMEOUT_S
from memory_platform_client.langgraph.packed_calls import PackedCaller
from memory_platform_client.retries import Flow, Retries

T = TypeVar("T")
SUBJECT = "subject_id"
"""The member of ``configurable`` that names the person a thread is about."""


class MemoryPlatformSaver(BaseCheckpointSaver[str]):
    """Keeps checkpoints on a memory platform, for blocking and awaiting graphs alike.

    With ``{"configurable": {"thread_id": …, "subject_id": …}}`` a thread belongs to a person: erasing the person erases
    it. A run that goes on after its thread was deleted is refused (``Conflict`` with code ``thread_deleted``).
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        serde: SerializerProtocol | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
        async_http: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(serde=serde)
        self._caller = PackedCaller(
            base_url, api_key, timeout_s=timeout_s, retries=retries, http=http, async_http=async_http
        )

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._caller.run(lambda: self._get(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._caller.arun(lambda: self._get(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        body = _describe_listing(config, filter, before)
        while limit is None or limit > 0:
            found, body, limit = self._caller.run(self._make_page_flow(body, limit))
            yield from found
            if body is None:
                return

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        body = _describe_listing(config, filter, before)
        while limit is None or limit > 0:
            found, body, limit = await self._caller.arun(self._make_page_flow(body, limit))
            for one in found:
                yield one
            if body is None:
                return

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        body = self._pack_checkpoint(config, checkpoint, metadata, new_versions)
        self._caller.run(lambda: self._caller.ask("threads/put", body))
        return _make_config(body["thread_id"], body["namespace"], checkpoint["id"])

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        body = self._pack_checkpoint(config, checkpoint, metadata, new_versions)
        await self._caller.arun(lambda: self._caller.ask("threads/put", body))
        return _make_config(body["thread_id"], body["namespace"], checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        body = self._pack_writes(config, writes, task_id, task_path)
        self._caller.run(lambda: self._caller.ask("threads/put-writes", body))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        body = self._pack_writes(config, writes, task_id, task_path)
        await self._caller.arun(lambda: self._caller.ask("threads/put-writes", body))

    def delete_thread(self, thread_id: str) -> None:
        self._caller.run(self._make_deletion([thread_id]))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._caller.arun(self._make_deletion([thread_id]))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._caller.run(lambda: self._caller.ask("threads/delete-runs", {"run_ids": [*run_ids]}))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._caller.arun(lambda: self._caller.ask("threads/delete-runs", {"run_ids": [*run_ids]}))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        body = {"source_id": source_thread_id, "target_id": target_thread_id}
        self._caller.run(lambda: self._caller.ask("threads/copy", body))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        body = {"source_id": source_thread_id, "target_id": target_thread_id}
        await self._caller.arun(lambda: self._caller.ask("threads/copy", body))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        body = {"thread_ids": [*thread_ids], "strategy": strategy, "now": time.time()}
        self._caller.run(lambda: self._caller.ask("threads/prune", body))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        body = {"thread_ids": [*thread_ids], "strategy": strategy, "now": time.time()}
        await self._caller.arun(lambda: self._caller.ask("threads/prune", body))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self._caller.run(lambda: self._read_history(config, channels)) if channels else {}

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return await self._caller.arun(lambda: self._read_history(config, channels)) if channels else {}

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version that is greater, and differs from those that other runs give to the same channel."""
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:032}.{random.random():016}"  # noqa: S311  # tells runs apart, guards nothing

    def close(self) -> None:
        """Close the connections of blocking calls."""
        self._caller.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop has."""
        await self._caller.aclose()

    def _get(self, config: RunnableConfig) -> Flow[CheckpointTuple | None]:
        page = yield from self._caller.ask("threads/get", _describe_place(config))
        found = self._unpack_page(page)
        return found[0] if found else None

    def _make_page_flow(self, body: dict[str, Any], limit: int | None) -> Callable[[], Flow[Any]]:
        """Return the flow that reads a page; it returns its checkpoints, the body that asks for the next page, and how
        many are still wanted."""

        def read() -> Flow[Any]:
            page = yield from self._caller.ask("threads/list", body if limit is None else {**body, "limit": limit})
            found = self._unpack_page(page)
            left = None if limit is None else limit - len(found)
            return found, {**body, "after": page["next"]} if page["next"] else None, left

        return read

    def _make_deletion(self, thread_ids: Sequence[str]) -> Callable[[], Flow[Any]]:
        """Return the flow that deletes threads: what a run saved before this moment must not come back."""
        body = {"thread_ids": [*thread_ids], "now": time.time()}
        return lambda: self._caller.ask("threads/delete", body)

    def _read_history(self, config: RunnableConfig, channels: Sequence[str]) -> Flow[Mapping[str, DeltaChannelHistory]]:
        answer = yield from self._caller.ask("threads/history", {**_describe_place(config), "channels": [*channels]})
        return {channel: self._unpack_history(told) for channel, told in answer["channels"].items()}

    def _unpack_history(self, told: Mapping[str, Any]) -> DeltaChannelHistory:
        history: DeltaChannelHistory = {"writes": self._unpack_writes(told["writes"])}
        if told["seed"] is not None:
            history["seed"] = self._unpack(told["seed"])
        return history

    def _pack_checkpoint(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> dict[str, Any]:
        rest: dict[str, Any] = {**checkpoint}
        values, versions = rest.pop("channel_values"), rest.pop("channel_versions")
        return {
            **_describe_place(config),
            **_name_subject(config),
            "parent_id": get_checkpoint_id(config) or "",
            "checkpoint_id": checkpoint["id"],
            "body": self._pack(rest),
            "versions": versions,
            "new_versions": new_versions,
            "values": {channel: self._pack(values[channel]) for channel in new_versions if channel in values},
            "metadata": get_serializable_checkpoint_metadata(config, metadata),
        }

    def _pack_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> dict[str, Any]:
        packed = [
            [WRITES_IDX_MAP.get(channel, place), channel, *self._pack(value)]
            for place, (channel, value) in enumerate(writes)
        ]
        task = {"task_id": task_id, "task_path": task_path, "writes": packed}
        return {**_describe_place(config), **_name_subject(config), **task}

    def _unpack_page(self, page: Mapping[str, Any]) -> Sequence[CheckpointTuple]:
        return [self._unpack_checkpoint(one, page["values"]) for one in page["checkpoints"]]

    def _unpack_checkpoint(self, one: Mapping[str, Any], values: Sequence[Any]) -> CheckpointTuple:
        checkpoint = {
            **self._unpack(one["body"]),
            "channel_versions": one["versions"],
            "channel_values": {channel: self._unpack(values[number]) for channel, number in one["values"].items()},
        }
        thread_id, namespace = one["thread_id"], one["namespace"]
        return CheckpointTuple(
            _make_config(thread_id, namespace, one["checkpoint_id"]),
            checkpoint,  # type: ignore[arg-type]  # as it was put
            one["metadata"],
            _make_config(thread_id, namespace, one["parent_id"]) if one["parent_id"] else None,
            self._unpack_writes(one["writes"]),
        )

    def _unpack_writes(self, writes: Sequence[Sequence[Any]]) -> Any:
        return [(task_id, channel, self._unpack((form, value))) for task_id, channel, form, value in writes]

    def _pack(self, value: Any) -> Sequence[Any]:
        return [*self.serde.dumps_typed(value)]

    def _unpack(self, packed: Sequence[Any]) -> Any:
        return self.serde.loads_typed((packed[0], packed[1]))


def _describe_place(config: RunnableConfig) -> dict[str, Any]:
    known = config["configurable"]
    return {
        "thread_id": str(known["thread_id"]),
        "namespace": known.get("checkpoint_ns") or "",
        "checkpoint_id": get_checkpoint_id(config) or "",
    }


def _name_subject(config: RunnableConfig) -> dict[str, str]:
    subject_id = config["configurable"].get(SUBJECT)
    return {} if subject_id is None else {"subject_id": str(subject_id)}


def _describe_listing(
    config: RunnableConfig | None, wanted: dict[str, Any] | None, before: RunnableConfig | None
) -> Any:
    body: dict[str, Any] = {"before": (get_checkpoint_id(before) or "") if before else ""}
    if wanted:
        body["filter"] = wanted
    if config is not None:
        body |= {
            "thread_id": str(config["configurable"]["thread_id"]),
            "checkpoint_id": get_checkpoint_id(config) or "",
        }
        namespace = config["configurable"].get("checkpoint_ns")
        if namespace is not None:
            body["namespace"] = namespace
    return body


def _make_config(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    place = {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
    return {"configurable": place}
