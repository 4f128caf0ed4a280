"""Simulate days of conversation: cost and coverage of each context, beside the raw history.

The product accepts and processes messages, ends conversations and builds each turn's context as usual. Messages carry
the date of their simulated day, but questions are asked at the current time.
"""

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from lab.evaluation.datasets.scratch_tenant import Scratch, finish_work
from lab.evaluation.ranking.evidence_overlap import evidence_need, pieces_of
from lab.evaluation.simulation.baselines import RawHistory, join_texts
from lab.evaluation.simulation.scenario import SimulatedDay, SimulatedLife, SimulatedTurn
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from profiles.services.subjects import ensure_subject
from snapshots.context.pipeline import COUNTER, ContextAnswer, ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.conversations import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from tenants.errors import TenantUnknown
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import create_tenant

SLUG = "simulation"
# Tokens of a context: what the promise says that it stays within.
BUDGET = 5_900
# Tokens of the history's end, and of what BM25 finds: a little more than ours, to their advantage.
RAW_BUDGET = 6_000
APART = timedelta(minutes=4)


@dataclass(frozen=True, slots=True)
class EvidenceCoverage:
    """Whether one question's evidence is in the context, and in each baseline's prompt."""

    memory: bool
    latest: bool
    bm25: bool
    # BM25 with as many tokens as the context took.
    bm25_same: bool


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """One turn: tokens of its context and of all that was said before, and the coverage of a question."""

    day: int
    context: int
    full_history: int
    covered: EvidenceCoverage | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, the product's own instructions, and the tokens that it grants the memory section; None: by intent."""

    subject: str
    prompt: str
    memory: int | None = None


def simulation_tenant() -> UUID:
    try:
        return tenant_by_slug(SLUG).id
    except TenantUnknown:
        return create_tenant(slug=SLUG, name="Simulation", by=COMMAND_LINE).id


def run_simulation(
    tenant_id: UUID, life: SimulatedLife, asker: Asker, *, advance: Callable[[int], object]
) -> list[TurnFigures]:
    """Erase ``asker``, then simulate each day of ``life``; ``advance`` is called after each. Opens its own scopes."""
    erase_earlier_run(tenant_id, asker.subject)
    days = list(life.generate_days())
    began = utc_now() - timedelta(days=len(days))
    person = SimulatedPerson(tenant_id, asker)
    for day in days:
        person.simulate_day(day, began + timedelta(days=day.number))
        advance(1)
    return person.figures


def erase_earlier_run(tenant_id: UUID, subject: str) -> None:
    try:
        erase_subject(tenant_id, subject, by=COMMAND_LINE, reason="simulated again")
    except NotFound:
        return


class SimulatedPerson:
    def __init__(self, tenant_id: UUID, asker: Asker) -> None:
        self.figures: list[TurnFigures] = []
        self._tenant_id = tenant_id
        self._asker = asker
        self._raw = RawHistory(COUNTER)

    def simulate_day(self, day: SimulatedDay, at: datetime) -> None:
        """Simulate a day: each turn asks for a context, then posts its messages; then the conversation ends."""
        conversation = f"day-{day.number:03d}"
        for place, turn in enumerate(day.turns):
            self.figures.append(self._measure_turn(day.number, turn, conversation))
            self._post_turn(turn, conversation, at + place * APART)
        with tenant_tx(self._tenant_id):
            end_conversation_on_request(self._asker.subject, conversation)
        finish_work(Scratch(self._tenant_id, SLUG, filled=False), show=lambda counts: None)

    def _measure_turn(self, day: int, turn: SimulatedTurn, conversation: str) -> TurnFigures:
        built = build_context_for(self._tenant_id, self._asker, turn.said, conversation)
        tokens = built.context.tokens
        covered = find_covered_evidence(built, self._raw, turn.said, [turn.evidence]) if turn.evidence else None
        return TurnFigures(day, tokens.total, tokens.full_history, covered[0] if covered else None)

    def _post_turn(self, turn: SimulatedTurn, conversation: str, at: datetime) -> None:
        messages = [
            IncomingMessage("user", turn.said, f"{turn.id}-u", said_at=at),
            IncomingMessage("assistant", turn.answer, f"{turn.id}-a", said_at=at),
        ]
        with tenant_tx(self._tenant_id):
            accept_messages(ensure_subject(self._asker.subject), conversation, messages)
        for message in messages:
            self._raw.add(message.text)


def build_context_for(tenant_id: UUID, asker: Asker, query: str, conversation: str | None) -> ContextAnswer:
    """Return the product's own context for a turn, within the promised budget; it leaves a receipt."""
    budget = BudgetRequest(total=BUDGET, memory=asker.memory)
    request = ContextRequest(query, system_prompt=asker.prompt, budget=budget)
    asked = ContextCall(request, "1", conversation)
    return build_context(tenant_id, asker.subject, asked)


def find_covered_evidence(
    built: ContextAnswer, raw: RawHistory, query: str, evidence: Iterable[str]
) -> list[EvidenceCoverage]:
    """Return, for each evidence turn, the contexts that contain it. Escaped text counts as the original."""
    shown = "\n".join(html.unescape(str(one["content"])) for one in built.context.messages[:-1])
    tokens = built.context.tokens.total
    ways = [
        pieces_of(text)
        for text in (
            shown,
            join_texts(raw.latest_messages(RAW_BUDGET)),
            join_texts(raw.search(query, RAW_BUDGET)),
            join_texts(raw.search(query, tokens)),
        )
    ]
    return [EvidenceCoverage(*(_is_evidence_in(turn, held) for held in ways)) for turn in evidence]


def shares(covered: Sequence[EvidenceCoverage]) -> dict[str, float]:
    """Return the share of evidence that each way brings; empty for no question."""
    names = ("memory", "latest", "bm25", "bm25_same")
    return {name: sum(getattr(one, name) for one in covered) / len(covered) for name in names} if covered else {}


def _is_evidence_in(turn: str, held: frozenset[tuple[str, ...]]) -> bool:
    wanted = evidence_need(turn)
    return wanted.is_met(sum(piece in held for piece in wanted.pieces))
