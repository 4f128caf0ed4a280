"""PrecisionMemBench against recall as products call it: a subject for each user, the scope as metadata and filter.

The cases are judged as the benchmark's own runner does. Of a case's three parts only the memories that were searched
for are ours; pinned facts, open questions and the persona come from the runner's own seed and are always right, so they
are not judged here again.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from lab.evaluation.datasets.scratch_tenant import ensure_tenant
from memory_platform.kernel.clock import utc_now
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx

FIXTURES = Path(__file__).parent / "fixtures"
SLUG = "precision-bench"
USER = "test-user"
# Memories that its runner asks for where a case names no number.
MOST = 20


@dataclass(frozen=True, slots=True)
class SeedMemory:
    """One memory of the seed, as its runner posts it."""

    id: str
    user: str
    text: str
    aliases: tuple[str, ...]
    scopes: tuple[str, ...]
    pinned: bool
    participants: tuple[str, ...]
    is_question: bool
    is_over: bool

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "SeedMemory":
        """Return a row of the seed, with the text that the runner's adapter builds."""
        parts = (row["canonical_name"], *row["aliases"], row["content"], row["why_it_matters"])
        return cls(
            id=row["_id"],
            user=row["user_id"],
            text=" ".join(filter(None, parts)),
            aliases=(row["canonical_name"], *row["aliases"]),
            scopes=tuple(row["scope"]),
            pinned=bool(row["pinned"]),
            participants=tuple(row.get("participants") or ()) if row["type"] == "relation" else (),
            is_question=row["type"] == "open_question",
            is_over=bool(row["superseded_by"] or row["resolved_at"]),
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One question, and which memories shall come: ``only`` those where it is not None, none of ``never``."""

    id: str
    query: str
    user: str
    scopes: tuple[str, ...]
    most: int
    only: frozenset[str] | None
    never: frozenset[str]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Case":
        wanted = row["expect"].get("relevantBeliefs") or {}
        only = wanted.get("shouldOnlyInclude")
        return cls(
            id=row["caseId"],
            query=row["query"],
            user=row.get("userId") or USER,
            scopes=tuple(row["scope"]),
            most=(row.get("budget") or {}).get("maxBeliefs", MOST),
            only=None if only is None else frozenset(only),
            never=frozenset(wanted.get("mustExclude", ())),
        )


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: whether it passed, and its precision and recall, None where nothing is wanted and nothing came."""

    case: Case
    came: tuple[str, ...]
    passed: bool
    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class PrecisionScores:
    """The benchmark's figures: passes where something is wanted, all passes, means."""

    active: int
    active_cases: int
    passed: int
    cases: int
    precision: float
    recall: float


def read_seed() -> list[SeedMemory]:
    return [SeedMemory.from_row(row) for row in json.loads((FIXTURES / "beliefs.seed.json").read_text())]


def read_cases() -> list[Case]:
    return [Case.from_row(row) for row in json.loads((FIXTURES / "retrieval.cases.json").read_text())]


def judge_case(case: Case, memory_ids: Sequence[str], seed: Mapping[str, SeedMemory]) -> CaseResult:
    """Judge the ids that a search ``memory_ids`` as the benchmark's runner does: pinned facts stand elsewhere and
    take room, a relation brings its participants."""
    pinned = [one.id for one in seed.values() if _is_pinned_for(one, case)]
    searched = [one for one in memory_ids if one in seed and one not in pinned]
    came = [*searched, *_list_participants(searched, case, seed, besides={*pinned, *searched})]
    came = came[: max(0, case.most - min(len(pinned), case.most))] if case.most else []
    wanted = case.only or frozenset()
    hits = len(wanted & set(came))
    exact = case.only is None or set(came) == case.only
    seen = {*came, *pinned[: case.most]}
    return CaseResult(
        case,
        tuple(came),
        passed=exact and not case.never & seen,
        precision=(hits / len(set(came)) if came else 0.0) if came or wanted else None,
        recall=hits / len(wanted) if wanted else None,
    )


def compute_precision_scores(results: Sequence[CaseResult]) -> PrecisionScores:
    active = [one for one in results if one.case.only]
    return PrecisionScores(
        active=sum(one.passed for one in active),
        active_cases=len(active),
        passed=sum(one.passed for one in results),
        cases=len(results),
        precision=_mean([one.precision for one in results if one.precision is not None]),
        recall=_mean([one.recall for one in results if one.recall is not None]),
    )


def precision_tenant() -> UUID:
    return ensure_tenant(SLUG, "PrecisionMemBench")


def store_seed(tenant_id: UUID) -> None:
    """Store the benchmark's memories that are missing. Opens its own scopes."""
    seed = read_seed()
    for user in sorted({one.user for one in seed}):
        posted = [
            NewSnapshot(text=one.text, aliases=one.aliases, metadata={"beliefId": one.id, "scope": one.scopes[0]})
            for one in seed
            if one.user == user
        ]
        offers = prepare_offers(posted, active_embedders(), mask=mask_sensitive)
        with tenant_tx(tenant_id):
            create_snapshots(ensure_subject(user), offers)


def ask_cases(tenant_id: UUID, *, strict: bool) -> list[CaseResult]:
    """Ask every question and judge answers. No scope may be open."""
    seed = {one.id: one for one in read_seed()}
    return [judge_case(case, _find_ids(tenant_id, case, strict=strict), seed) for case in read_cases()]


def _is_pinned_for(belief: SeedMemory, case: Case) -> bool:
    held = belief.pinned and not belief.is_question and not belief.is_over
    return held and belief.user == case.user and not set(belief.scopes).isdisjoint(case.scopes)


def _list_participants(
    memory_ids: Sequence[str], case: Case, seed: Mapping[str, SeedMemory], besides: Collection[str]
) -> list[str]:
    named = [other for one in memory_ids for other in seed[one].participants if other in seed and other not in besides]
    return [one for one in named if seed[one].user == case.user and not set(seed[one].scopes).isdisjoint(case.scopes)]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0


def _find_ids(tenant_id: UUID, case: Case, *, strict: bool) -> Sequence[str]:
    if not case.query.strip() or not case.most:  # its runner asks nobody then
        return ()
    query = RecallQuery(
        case.query,
        asked_at=utc_now(),
        top_k=case.most,
        filter=parse_filter({"metadata.scope": {"eq": case.scopes[0]}}),
        strict=strict,
    )
    return [str(one.metadata["beliefId"]) for one in recall(tenant_id, case.user, query).memories]
