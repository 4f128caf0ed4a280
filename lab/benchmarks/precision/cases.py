"""The cases of PrecisionMemBench, and how its own runner judges an answer.

Of a case's three parts only the memories that were searched for are ours; pinned facts, open questions and the persona
come from the runner's own seed and are always right, so they are not judged here again.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "fixtures"
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
        """Return a row of the cases."""
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


def judge_case(case: Case, found: Sequence[str], seed: Mapping[str, SeedMemory]) -> CaseResult:
    """Judge the ids that a search ``found`` as the benchmark's runner does: pinned facts stand elsewhere and
    take room, a relation brings its participants."""
    pinned = [one.id for one in seed.values() if _is_pinned_for(one, case)]
    searched = [one for one in found if one in seed and one not in pinned]
    came = [*searched, *_participants(searched, case, seed, besides={*pinned, *searched})]
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


def precision_scores(judged: Sequence[CaseResult]) -> PrecisionScores:
    active = [one for one in judged if one.case.only]
    return PrecisionScores(
        active=sum(one.passed for one in active),
        active_cases=len(active),
        passed=sum(one.passed for one in judged),
        cases=len(judged),
        precision=_mean([one.precision for one in judged if one.precision is not None]),
        recall=_mean([one.recall for one in judged if one.recall is not None]),
    )


def _is_pinned_for(belief: SeedMemory, case: Case) -> bool:
    held = belief.pinned and not belief.is_question and not belief.is_over
    return held and belief.user == case.user and not set(belief.scopes).isdisjoint(case.scopes)


def _participants(
    found: Sequence[str], case: Case, seed: Mapping[str, SeedMemory], besides: Collection[str]
) -> list[str]:
    named = [other for one in found for other in seed[one].participants if other in seed and other not in besides]
    return [one for one in named if seed[one].user == case.user and not set(seed[one].scopes).isdisjoint(case.scopes)]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0
