"""A store of LangGraph whose items are on the platform: one request for each batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

import httpx
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from memory_platform_client.client import TIMEOUT_S
from memory_platform_client.langgraph.packed_calls import PackedCaller
from memory_platform_client.retries import Flow, Retries

Namespace = tuple[str, ...]
WHOLE = "$"


class StoreIndex(TypedDict, total=False):
    """What of the values is found by meaning. The platform embeds: there is no ``dims`` and no ``embed``."""

    fields: list[str]


class MemoryPlatformStore(BaseStore):
    """Keeps items on a memory platform, for blocking and awaiting graphs alike.

    ``index`` lets ``search(query=…)`` find by meaning. ``subject_of`` returns the person whom a namespace is about, or
    None: erasing the person erases the items. Items whose life (``ttl``) has ended are never returned.
    """

    supports_ttl = True

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        index: StoreIndex | None = None,
        ttl: TTLConfig | None = None,
        subject_of: Callable[[Namespace], str | None] | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
        async_http: httpx.AsyncClient | None = None,
    ) -> None:
        unknown = sorted(set(index or ()) - {"fields"})
        if unknown:
            raise ValueError(f"The platform embeds texts itself: leave out {', '.join(unknown)} of index.")
        self.ttl_config = ttl
        self._fields = None if index is None else tuple(index.get("fields") or [WHOLE])
        self._subject_of = subject_of
        self._caller = PackedCaller(
            base_url, api_key, timeout_s=timeout_s, retries=retries, http=http, async_http=async_http
        )

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        wanted = list(ops)
        return self._caller.run(lambda: self._run(wanted)) if wanted else []

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        wanted = list(ops)
        return await self._caller.arun(lambda: self._run(wanted)) if wanted else []

    def close(self) -> None:
        """Close the connections of blocking calls."""
        self._caller.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop has."""
        await self._caller.aclose()

    def _run(self, ops: Sequence[Op]) -> Flow[list[Result]]:
        for op in ops:
            validate_op_namespace(op)
        path = "store/batch" if any(isinstance(op, PutOp) for op in ops) else "store/read"
        answer = yield from self._caller.ask(path, {"ops": [self._describe(op) for op in ops]})
        return [_read_result(op, result) for op, result in zip(ops, answer["results"], strict=True)]

    def _describe(self, op: Op) -> list[Any]:
        if isinstance(op, GetOp):
            return ["get", {"namespace": op.namespace, "key": op.key, "refresh": op.refresh_ttl}]
        if isinstance(op, SearchOp):
            return ["search", self._describe_search(op)]
        if isinstance(op, PutOp):
            return ["put", self._describe_put(op)]
        if isinstance(op, ListNamespacesOp):
            return ["list", _describe_list(op)]
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _describe_search(self, op: SearchOp) -> dict[str, Any]:
        return {
            "prefix": op.namespace_prefix,
            "filter": op.filter or {},
            "limit": op.limit,
            "offset": op.offset,
            "query": (op.query or "") if self._fields else "",
            "refresh": op.refresh_ttl,
        }

    def _describe_put(self, op: PutOp) -> dict[str, Any]:
        body: dict[str, Any] = {"namespace": op.namespace, "key": op.key}
        if op.value is None:
            return body
        body["value"] = json.dumps(dict(op.value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        body["texts"] = self._find_texts(op)
        if op.ttl is not None:
            body["ttl"] = float(op.ttl)
        subject = self._subject_of(op.namespace) if self._subject_of else None
        if subject is not None:
            body["subject_id"] = subject
        return body

    def _find_texts(self, op: PutOp) -> list[list[str]]:
        if self._fields is None or op.index is False:
            return []
        found = []
        for path in self._fields if op.index is None else op.index:
            texts = get_text_at_path(op.value, path if path == WHOLE else tokenize_path(path))
            several = len(texts) > 1
            found += [[f"{path}.{place}" if several else path, text] for place, text in enumerate(texts) if text]
        return found


def _describe_list(op: ListNamespacesOp) -> dict[str, Any]:
    conditions = op.match_conditions or ()
    body: dict[str, Any] = {"limit": op.limit, "offset": op.offset}
    body["matches"] = [{"kind": one.match_type, "labels": one.path} for one in conditions]
    if op.max_depth is not None:
        body["max_depth"] = op.max_depth
    return body


def _read_result(op: Op, result: Any) -> Any:
    if result is None or isinstance(op, PutOp):
        return None
    if isinstance(op, GetOp):
        return Item(**_read_item(result))
    if isinstance(op, SearchOp):
        return [SearchItem(**_read_item(one), score=one[5]) for one in result]
    return [tuple(labels) for labels in result]


def _read_item(told: Sequence[Any]) -> Mapping[str, Any]:
    namespace, key, value, created_at, updated_at, _ = told
    times = {"created_at": created_at, "updated_at": updated_at}
    return {"namespace": tuple(namespace), "key": key, "value": json.loads(value), **times}
