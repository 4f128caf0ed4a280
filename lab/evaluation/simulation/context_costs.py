"""The cost and coverage of contexts, of simulated days or a data set, beside the prompts of a product without memory.

Days of conversation are simulated: the product accepts and processes messages, ends conversations and builds each
turn's context as usual. Messages carry the date of their simulated day, but questions are asked at the current time.
"""

import html
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from lab.evaluation.datasets.questions import DatasetQuestion, EvaluationSet
from lab.evaluation.datasets.scratch_tenant import finish_work
from lab.evaluation.ranking.evidence_overlap import build_evidence_need, list_pieces
from lab.evaluation.simulation.baselines import RawHistory, join_texts
from lab.evaluation.simulation.scenario import SimulatedDay, SimulatedLife, SimulatedTurn
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from profiles.services.subjects import ensure_subject
from snapshots.context.pipeline import COUNTER, ContextAnswer, ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

# Tokens of a context: what the promise says that it stays within.
BUDGET = 5_900
# Tokens of the history's end, and of what BM25 finds: a little more than ours, to their advantage.
RAW_BUDGET = 6_000
APART = timedelta(minutes=4)
# What a question about a data set is asked under.
PROMPT = "You answer questions about what was said."
WAYS = ("memory", "latest", "bm25", "bm25_same")


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
class AnsweredQuestion:
    """One question: its category, tokens of its context and of the full history, and each evidence turn's fate."""

    subject: str
    id: str
    category: str
    context: int
    full_history: int
    covered: tuple[EvidenceCoverage, ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, the product's own instructions, and the tokens that it grants the memory section; None: by intent."""

    subject: str
    prompt: str
    memory: int | None = None


def run_simulation(
    tenant_id: UUID, life: SimulatedLife, asker: Asker, *, advance: Callable[[int], object]
) -> list[TurnFigures]:
    """Erase ``asker``, then simulate each day of ``life``; ``advance`` is called after each. Opens its own scopes."""
    with suppress(NotFound):
        erase_subject(tenant_id, asker.subject, by=COMMAND_LINE, reason="simulated again")
    days = list(life.generate_days())
    began = utc_now() - timedelta(days=len(days))
    person = SimulatedPerson(tenant_id, asker)
    for day in days:
        person.simulate_day(day, began + timedelta(days=day.number))
        advance(1)
    return person.figures


class SimulatedPerson:
    def __init__(self, tenant_id: UUID, asker: Asker) -> None:
        self.figures: list[TurnFigures] = []
        self._tenant_id = tenant_id
        self._asker = asker
        self._raw = RawHistory(COUNTER)

    def simulate_day(self, day: SimulatedDay, at: datetime) -> None:
        conversation = f"day-{day.number:03d}"
        for place, turn in enumerate(day.turns):
            self.figures.append(self._measure_turn(day.number, turn, conversation))
            self._post_turn(turn, conversation, at + place * APART)
        with tenant_tx(self._tenant_id):
            end_conversation_on_request(self._asker.subject, conversation)
        finish_work(self._tenant_id)

    def _measure_turn(self, day: int, turn: SimulatedTurn, conversation: str) -> TurnFigures:
        built = build_context_for(self._tenant_id, self._asker, turn.text, conversation)
        tokens = built.context.tokens
        covered = find_covered_evidence(built, self._raw, turn.text, [turn.evidence]) if turn.evidence else None
        return TurnFigures(day, tokens.total, tokens.full_history, covered[0] if covered else None)

    def _post_turn(self, turn: SimulatedTurn, conversation: str, at: datetime) -> None:
        messages = [
            IncomingMessage("user", turn.text, f"{turn.id}-u", said_at=at),
            IncomingMessage("assistant", turn.answer, f"{turn.id}-a", said_at=at),
        ]
        with tenant_tx(self._tenant_id):
            accept_messages(ensure_subject(self._asker.subject), conversation, messages)
        for message in messages:
            self._raw.add(message.text)


def ask_dataset(
    tenant_id: UUID, evaluation_set: EvaluationSet, *, memory: int | None = None, advance: Callable[[int], object]
) -> list[AnsweredQuestion]:
    """Return a context's figures for every question, asked after all was said; ``advance`` hears of each.

    ``memory``: tokens of the memory section; None leaves them to the question's intent.
    """
    found = []
    for subject in evaluation_set.subjects:
        raw = load_raw_history(evaluation_set, subject.subject_id)
        asker = Asker(subject.subject_id, PROMPT, memory)
        for question in subject.questions:
            found.append(
                _measure_question(tenant_id, asker, question, [subject.turns[one] for one in question.evidence], raw)
            )
            advance(1)
    return found


def load_raw_history(evaluation_set: EvaluationSet, subject_id: str) -> RawHistory:
    raw = RawHistory(COUNTER)
    for conversation in evaluation_set.dataset.conversations:
        if conversation.subject_id == subject_id:
            for message in conversation.messages:
                raw.add(f"{message.name}: {message.text}" if message.name else message.text)
    return raw


def compute_mean_shares(answers: list[AnsweredQuestion]) -> dict[str, float]:
    """Return, for each way, the mean over questions of the share of evidence turns that it brings."""
    found = [compute_shares(one.covered) for one in answers]
    return {name: sum(one[name] for one in found) / len(found) for name in WAYS}


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
        list_pieces(text)
        for text in (
            shown,
            join_texts(raw.latest_messages(RAW_BUDGET)),
            join_texts(raw.search(query, RAW_BUDGET)),
            join_texts(raw.search(query, tokens)),
        )
    ]
    wanted = [build_evidence_need(turn) for turn in evidence]
    return [
        EvidenceCoverage(*(need.is_met(sum(piece in held for piece in need.pieces)) for held in ways))
        for need in wanted
    ]


def compute_shares(covered: Sequence[EvidenceCoverage]) -> dict[str, float]:
    """Return the share of evidence that each way brings; empty for no question."""
    return {name: sum(getattr(one, name) for one in covered) / len(covered) for name in WAYS} if covered else {}


def _measure_question(
    tenant_id: UUID, asker: Asker, question: DatasetQuestion, evidence: list[str], raw: RawHistory
) -> AnsweredQuestion:
    built = build_context_for(tenant_id, asker, question.query, None)
    covered = find_covered_evidence(built, raw, question.query, evidence)
    tokens = built.context.tokens
    return AnsweredQuestion(
        asker.subject, question.id, question.category, tokens.total, tokens.full_history, tuple(covered)
    )
