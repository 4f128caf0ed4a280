"""Operations on a store and their results, in the words of LangGraph's `BaseStore`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Namespace = tuple[str, ...]
ANY_LABEL = "*"


@dataclass(frozen=True, slots=True)
class GetItem:
    namespace: Namespace
    key: str
    refresh: bool = True


@dataclass(frozen=True, slots=True)
class SearchItems:
    """``query`` orders by meaning; without one, or where nothing is indexed, the newest change comes first."""

    prefix: Namespace
    filter: Mapping[str, Any] = field(default_factory=dict)
    limit: int = 10
    offset: int = 0
    query: str = ""
    refresh: bool = True


@dataclass(frozen=True, slots=True)
class MatchLabels:
    """A namespace begins (or ends) with these labels; ``*`` is any label."""

    kind: Literal["prefix", "suffix"]
    labels: Namespace


@dataclass(frozen=True, slots=True)
class ListNamespaces:
    matches: Sequence[MatchLabels] = ()
    max_depth: int | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PutItem:
    """``value`` is JSON text; None deletes. ``texts`` are the indexed texts, each with its path in the value."""

    namespace: Namespace
    key: str
    value: str | None
    texts: Sequence[tuple[str, str]] = ()
    ttl_minutes: float | None = None
    subject_external_id: str | None = None


Operation = GetItem | SearchItems | ListNamespaces | PutItem


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item; ``value`` is JSON text, ``score`` the cosine of the question and the nearest text of it."""

    row_id: UUID
    namespace: Namespace
    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    has_life: bool
    score: float | None = None


Result = FoundItem | None | Sequence[FoundItem] | Sequence[Namespace]
