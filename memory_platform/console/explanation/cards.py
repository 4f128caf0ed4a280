"""Candidates as cards: content, how the score was made, the decision, and the outcome."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory_platform.console.explanation.memories import CurrentMemory
from memory_platform.console.explanation.words import (
    FACTORS,
    GUARDRAILS,
    HOW,
    LANES,
    RELEVANCE,
    STEPS,
    reason_told,
    signal_told,
)
from memory_platform.console.shared.codes import in_words
from memory_platform.console.shared.display import address_of, parse_uuid, plain
from memory_platform.kernel.shared_words import shared_words
from snapshots.models import Conversation, ReceiptMemory, Task

Candidate = Mapping[str, Any]

# Steps that are shares of one.
BARRED = frozenset({"semantic", "reranked", *RELEVANCE}) - {"in_time"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a score. ``value`` of ``most`` is the length of its bar, as markup has it; "" for no bar.

    Texts and numbers are formatted here, because a page may have a thousand of them.
    """

    label: str
    shown: str
    value: str = ""
    most: str = ""


@dataclass(frozen=True, slots=True)
class CardContext:
    """What the cards of one prompt need besides the candidates, by memory id.

    ``placed``: positions found in the prompt's text. ``query``: the question, "" once it was purged.
    """

    known: Mapping[str, CurrentMemory] = field(default_factory=dict)
    outcomes: Mapping[str, ReceiptMemory] = field(default_factory=dict)
    placed: frozenset[int | None] = frozenset()
    conversation_id: UUID | None = None
    query: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One candidate as a page shows it. ``most`` is the best score on the page.

    ``met``: the finding of the fence as a label, ``guardrail`` as a sentence. ``words``: words of the question that
    occur in the memory.
    """

    memory_id: str
    lane: str
    kind: str
    position: int | None
    is_placed: bool
    score: float | None
    most: float
    tokens: int
    code: str
    reason: str
    guardrail: str
    met: str
    known: CurrentMemory | None
    words: str
    address: str
    lanes: tuple[str, ...]
    steps: tuple[Step, ...]
    utilised: bool | None
    how: str
    signal: str


def cards_of(candidates: Sequence[Candidate], beside: CardContext) -> list[Card]:
    best = max((one["candidate_score"] for one in candidates), default=0.0) or 1.0
    most = max((value for one in candidates for value in _factors(one).values()), default=1.0)
    return [_card(one, beside, best, max(1.0, most)) for one in candidates]


def _card(one: Candidate, beside: CardContext, best: float, most: float) -> Card:
    memory_id, position, outcome = one["memory_id"], one["context_position"], beside.outcomes.get(one["memory_id"])
    known = beside.known.get(memory_id)
    return Card(
        memory_id=memory_id,
        lane=in_words(one["lane"]),
        kind=in_words(one["kind"]),
        position=position,
        is_placed=position is not None and position in beside.placed,
        # A score of 0 without an explanation means that nothing scored the candidate.
        score=one["candidate_score"] if one["candidate_score"] or one["explain"] else None,
        most=best,
        tokens=one["tokens"],
        code=one["decision_reason"],
        reason=reason_told(one),
        guardrail=str(GUARDRAILS.get(one["guardrail_hit"] or "", "")),
        met=in_words(one["guardrail_hit"]),
        known=known,
        words=", ".join(one.get("words") or (shared_words(beside.query, known.text) if known else ())),
        address=known.address if known else _other_address(one, beside.conversation_id),
        lanes=tuple(_lanes(one["explain"] or {})),
        steps=tuple(_steps(one, most)),
        utilised=outcome.utilised if outcome else None,
        how=str(HOW.get(outcome.how, outcome.how)) if outcome else "",
        signal=signal_told(outcome.signal, outcome.signal_reason) if outcome else "",
    )


def _other_address(one: Candidate, conversation_id: UUID | None) -> str:
    """Return the page of a candidate that is not a memory; "" if there is none."""
    if one["lane"] == "summary" and conversation_id:
        return address_of(Conversation, conversation_id)
    task = parse_uuid(one["memory_id"]) if one["lane"] == "tasks" else None
    return address_of(Task, task) if task else ""


def _lanes(explain: Candidate) -> Iterator[str]:
    """Yield the retrievers that found it, with its rank in each."""
    for name, label in LANES.items():
        if explain.get(name):
            yield f"{label} #{explain[name]['rank']}"


def _steps(one: Candidate, most: float) -> Iterator[Step]:
    """Yield the steps of the score in order; steps of a later release keep their own name."""
    explain = one["explain"] or {}
    for name, label in LANES.items():
        if explain.get(name):
            yield Step(str(label), _number(explain[name]["score"]))
    parts = explain.get("relevance") or {}
    for name, value in parts.items():
        yield _share(name, RELEVANCE.get(name, name), value)
    for name, label in STEPS.items():
        if explain.get(name) is not None:
            yield _share(name, label, explain[name])
    for name, value in _factors(one).items():
        yield Step(str(FACTORS.get(name, name)), f"× {_number(value)}", _length(value), _length(most))
    for name in sorted(explain.keys() - {*LANES, *STEPS, "factors", "relevance"}):
        yield Step(name, plain(explain[name]))


def _share(name: str, label: object, value: Any) -> Step:
    bar = (_length(value), _length(1)) if name in BARRED else ()
    return Step(str(label), _number(value), *bar)


def _length(value: float) -> str:
    return f"{value:.6f}"


def _factors(one: Candidate) -> Mapping[str, float]:
    factors: Mapping[str, float] = (one["explain"] or {}).get("factors") or {}
    return factors


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float | int) else plain(value)
