"""The explanation page of a receipt: the candidates of one prompt, the decision on each, and the outcome."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memory_platform.console.explanation.current_memories import CurrentMemory, load_current_memories
from memory_platform.console.explanation.explanation_texts import (
    ABSTENTION_TEXTS,
    DECISION_LABELS,
    FACTOR_LABELS,
    GUARDRAIL_TEXTS,
    MODEL_TIER_LABELS,
    RELEVANCE_LABELS,
    RETRIEVER_LABELS,
    RETRIEVER_RANK_TEXTS,
    ROUTE_REASON_LABELS,
    SCORE_STEP_LABELS,
    USAGE_EVIDENCE_LABELS,
    render_decision,
)
from memory_platform.console.explanation.section_limits import SectionLimit, find_section_limits
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.headers.belief_names import label_fact, label_preference
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    format_json_value,
    parse_uuid,
    render_value,
)
from memory_platform.console.transcript.answers import PostedReply, load_reply
from memory_platform.console.transcript.changes_since_prompt import (
    LaterChange,
    find_later_changes,
    list_sent_texts,
    split_label,
)
from memory_platform.console.transcript.feedback_labels import render_signal
from memory_platform.kernel.keyword_terms import shared_words
from snapshots.feedback.values import SAID_AGAIN_REASON, Signal
from snapshots.models import Conversation, Receipt, ReceiptMemory, Task
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt
from snapshots.receipts.values import RenderedPrompt

CandidateRecord = Mapping[str, Any]

# Steps that are shares of one.
STEPS_WITH_BAR = frozenset({"semantic", "reranked", *RELEVANCE_LABELS}) - {"in_time"}
# Length of the bar of sections, in units of its drawing.
BAR_UNITS = 1_000


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A piece of a prompt; ``position`` of the candidate that it renders, None for other text."""

    text: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt in pieces; ``role`` is "" if the prompt is one text."""

    role: str
    pieces: tuple[PromptPiece, ...]
    name: str = ""
    tool_calls: Any = None


def split_prompt(rendered: RenderedPrompt) -> list[PromptMessage]:
    told = [str(message.get("content") or "") for message in rendered.messages] or [rendered.text or ""]
    pieces = [
        tuple(
            _split_text(
                text, sorted((start, end, one) for one, message, start, end in rendered.places if message == at)
            )
        )
        for at, text in enumerate(told)
    ]
    if not rendered.messages:
        return [PromptMessage("", pieces[0])] if rendered.text else []
    return [
        PromptMessage(str(message.get("role", "")), held, str(message.get("name") or ""), message.get("tool_calls"))
        for message, held in zip(rendered.messages, pieces, strict=True)
    ]


def _split_text(text: str, places: Iterable[tuple[int, int, int]]) -> Iterator[PromptPiece]:
    done = 0
    for start, end, position in places:
        if start > done:
            yield PromptPiece(text[done:start])
        yield PromptPiece(text[start:end], position)
        done = end
    if done < len(text):
        yield PromptPiece(text[done:])


@dataclass(frozen=True, slots=True)
class SectionBar:
    """One section of a prompt as a part of a bar of :data:`BAR_UNITS`; ``tone`` counts the sections."""

    name: str
    tokens: int
    items: int
    dropped: int
    start: int
    length: int
    tone: int


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message of a prompt as a page shows it; ``calls``: tool calls as HTML."""

    role: str
    name: str
    pieces: tuple[PromptPiece, ...]
    calls: str


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """One step of a score. ``value`` of ``most`` is the length of its bar, as markup has it; "" for no bar. Texts and
    numbers are formatted here, because a page may have a thousand of them."""

    label: str
    shown: str
    value: str = ""
    most: str = ""


@dataclass(frozen=True, slots=True)
class CardContext:
    """Data for the cards of one prompt, besides the candidates, by memory id. ``found_positions``: those in the
    prompt's text. ``query``: the question, "" once it was purged. ``limits``: the room of sections that were full.
    ``sent``: the words of each in the prompt. ``changes``: its changes since."""

    known: Mapping[str, CurrentMemory] = field(default_factory=dict)
    outcomes: Mapping[str, ReceiptMemory] = field(default_factory=dict)
    found_positions: frozenset[int | None] = frozenset()
    conversation_id: UUID | None = None
    query: str = ""
    limits: Mapping[str, SectionLimit] = field(default_factory=dict)
    sent: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, LaterChange] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidateCard:
    """One candidate as a page shows it. ``says``: its words in the prompt, else its words today; "" for neither.
    ``change``: its change since. ``most`` is the score of a full bar. ``met``: the finding of the fence as a label,
    ``guardrail`` as a sentence. ``words``: words of the question that occur in the memory. ``limit``: how much room its
    section had, if it was left out for that. ``is_blamed``: the person's next message corrected it. ``is_unfollowed``:
    the reply did not use it, and the person objected by saying it again."""

    memory_id: str
    says: str
    change: LaterChange | None
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
    steps: tuple[ScoreStep, ...]
    utilised: bool | None
    how: str
    signal: str
    is_blamed: bool
    is_unfollowed: bool
    limit: SectionLimit | None


@dataclass(frozen=True, slots=True)
class ReceiptExplanation:
    """The content of a receipt's page. ``query`` and ``prompt`` are None once their text was purged; ``reply`` is None
    unless the product posted it.

    ``unfollowed_cards``, ``blamed_cards``, ``used_cards`` and ``other_cards``: the candidates in the prompt: those
    that the model should have followed, those that the next message corrected, those that the reply used, and the
    others; nearly all are others while nothing is known of the reply. ``left_out_reasons``: how many were left out
    for each reason, the most frequent first. ``abstained``: why the prompt holds no memory, "" if it holds one.
    ``judged_count``: the number of memories of which it is known whether the reply used them; ``used``: how many it
    used.
    """

    unfollowed_cards: tuple[CandidateCard, ...]
    blamed_cards: tuple[CandidateCard, ...]
    used_cards: tuple[CandidateCard, ...]
    other_cards: tuple[CandidateCard, ...]
    left_out: tuple[CandidateCard, ...]
    parts: tuple[SectionBar, ...]
    query: str | None
    reply: PostedReply | None
    prompt: tuple[MessageView, ...] | None
    route: str
    abstained: str
    used: int
    judged_count: int

    @property
    def kept_cards(self) -> tuple[CandidateCard, ...]:
        """The candidates in the prompt, those to look at first."""
        return (*self.unfollowed_cards, *self.blamed_cards, *self.used_cards, *self.other_cards)

    @property
    def left_out_reasons(self) -> list[tuple[str, int]]:
        return Counter(str(DECISION_LABELS.get(card.code, card.code)) for card in self.left_out).most_common()


def explain_receipt(receipt: Receipt, *, may_act: bool = False) -> ReceiptExplanation:
    """Return the content of a receipt's page, in the open scope. At most twenty queries for any number of candidates.
    ``may_act``: the reader may act on memories."""
    outcomes = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id).order_by()
    candidates, rendered = list_explained_candidates(receipt, outcomes), unpack_rendered_prompt(receipt)
    prompt = split_prompt(rendered) if rendered else None
    known = load_current_memories(receipt.subject_id, candidates, acts_from=receipt.id if may_act else None)
    sent = list_sent_texts(candidates, rendered)
    rows = {memory_id: one.row for memory_id, one in known.items()}
    beside = CardContext(
        known=known,
        sent=sent,
        changes=find_later_changes(receipt.subject_id, sent, rows, receipt.created_at),
        outcomes={str(row.memory_ref): row for row in outcomes},
        found_positions=frozenset(piece.position for message in prompt or () for piece in message.pieces),
        conversation_id=receipt.conversation_id,
        query=rendered.query if rendered else "",
        limits=find_section_limits(receipt, candidates),
    )
    cards = build_cards(candidates, beside)
    kept = [card for card in cards if card.position is not None]
    return ReceiptExplanation(
        unfollowed_cards=tuple(card for card in kept if card.is_unfollowed),
        blamed_cards=tuple(card for card in kept if card.is_blamed),
        used_cards=tuple(card for card in kept if card.utilised and not card.is_blamed),
        other_cards=tuple(card for card in kept if not (card.utilised or card.is_blamed or card.is_unfollowed)),
        left_out=tuple(card for card in cards if card.position is None),
        parts=tuple(build_section_bars(receipt.sections, receipt.tokens)),
        query=rendered.query if rendered else None,
        reply=load_reply(receipt),
        prompt=None if prompt is None else tuple(map(render_message, prompt)),
        route=render_route(receipt.model_route),
        abstained=str(ABSTENTION_TEXTS.get(receipt.abstained, receipt.abstained)),
        used=sum(card.utilised is True for card in cards),
        judged_count=sum(card.utilised is not None for card in cards),
    )


def render_message(message: PromptMessage) -> MessageView:
    return MessageView(
        render_code(message.role),
        message.name,
        message.pieces,
        render_value(message.tool_calls) if message.tool_calls else "",
    )


def build_section_bars(sections: Iterable[Mapping[str, Any]], tokens: Mapping[str, Any]) -> Iterator[SectionBar]:
    """Yield the sections of a prompt. The bar is as long as the budget; without one, as all sections together."""
    held = list(sections)
    budget = tokens.get("budget")
    whole = max(sum(one["tokens"] for one in held), budget if isinstance(budget, int) else 0, 1)
    done = 0
    for tone, one in enumerate(held):
        begin, done = done, done + one["tokens"]
        start, end = (BAR_UNITS * place // whole for place in (begin, done))
        name = render_code(one["name"])
        yield SectionBar(name, one["tokens"], one["items"], one["dropped"], start, end - start, tone)


def render_route(route: Mapping[str, Any] | None) -> str:
    """Return the model tier of the turn and the reason; "" for a receipt without one."""
    if not route:
        return ""
    tier, cause = str(route.get("tier")), str(route.get("reason"))
    named = {"model": MODEL_TIER_LABELS.get(tier, tier), "reason": ROUTE_REASON_LABELS.get(cause, cause)}
    return _("%(model)s (%(reason)s)") % named


def build_cards(candidates: Sequence[CandidateRecord], beside: CardContext) -> list[CandidateCard]:
    # A poor score that is the best of its page has a short bar all the same.
    best = max((one["candidate_score"] for one in candidates), default=1.0)
    most = max((value for one in candidates for value in _read_factors(one).values()), default=1.0)
    return [_build_card(one, beside, max(1.0, best), max(1.0, most)) for one in candidates]


def _build_card(one: CandidateRecord, beside: CardContext, best: float, most: float) -> CandidateCard:
    memory_id, position, outcome = one["memory_id"], one["context_position"], beside.outcomes.get(one["memory_id"])
    known = beside.known.get(memory_id)
    return CandidateCard(
        memory_id=memory_id,
        says=_find_sent_text(one, beside.sent.get(memory_id, ""), known),
        change=beside.changes.get(memory_id),
        lane=render_code(one["lane"]),
        kind=render_code(one["kind"]),
        position=position,
        is_placed=position is not None and position in beside.found_positions,
        # A score of 0 without an explanation means that nothing scored the candidate.
        score=one["candidate_score"] if one["candidate_score"] or one["explain"] else None,
        most=best,
        tokens=one["tokens"],
        code=one["decision_reason"],
        reason=render_decision(one),
        guardrail=str(GUARDRAIL_TEXTS.get(one["guardrail_hit"] or "", "")),
        met=render_code(one["guardrail_hit"]),
        known=known,
        words=", ".join(one.get("words") or (shared_words(beside.query, known.text) if known else ())),
        address=known.address if known else _build_other_address(one, beside.conversation_id),
        lanes=tuple(_render_lane_ranks(one["explain"] or {})),
        steps=tuple(_build_steps(one, most)),
        utilised=outcome.utilised if outcome else None,
        how=str(USAGE_EVIDENCE_LABELS.get(outcome.how, outcome.how)) if outcome else "",
        signal=render_signal(outcome.signal, outcome.signal_reason) if outcome else "",
        is_blamed=outcome is not None and outcome.signal == Signal.CORRECTED,
        is_unfollowed=outcome is not None and not outcome.utilised and outcome.signal_reason == SAID_AGAIN_REASON,
        limit=beside.limits.get(memory_id),
    )


def _find_sent_text(one: CandidateRecord, sent: str, known: CurrentMemory | None) -> str:
    """Return a candidate's words in the prompt, a belief under its name in the reader's language; its words today if
    those of the prompt are gone."""
    if not sent:
        return known.text if known else ""
    if one["lane"] == "profile" and known:
        return f"{label_fact(known.row)}: {split_label(sent)[1]}"
    if one["lane"] == "preferences" and known and split_label(sent)[0] == str(known.row):
        return f"{label_preference(known.row)}: {split_label(sent)[1]}"
    return sent


def _build_other_address(one: CandidateRecord, conversation_id: UUID | None) -> str:
    """Return the address of a candidate's page if it is not a memory; "" if it has no page."""
    if one["lane"] == "summary" and conversation_id:
        return build_change_address(Conversation, conversation_id)
    task = parse_uuid(one["memory_id"]) if one["lane"] == "tasks" else None
    return build_change_address(Task, task) if task else ""


def _render_lane_ranks(explain: CandidateRecord) -> Iterator[str]:
    """Yield the retrievers that found it, with its rank in each."""
    for name, text in RETRIEVER_RANK_TEXTS.items():
        if explain.get(name):
            yield str(text) % explain[name]["rank"]


def _build_steps(one: CandidateRecord, most: float) -> Iterator[ScoreStep]:
    """Yield the steps of the score in order; steps of a later release keep their own name."""
    explain = one["explain"] or {}
    for name, label in RETRIEVER_LABELS.items():
        if explain.get(name):
            yield ScoreStep(str(label), _format_number(explain[name]["score"]))
    parts = explain.get("relevance") or {}
    for name, value in parts.items():
        yield _build_share_step(name, RELEVANCE_LABELS.get(name, name), value)
    for name, label in SCORE_STEP_LABELS.items():
        if explain.get(name) is not None:
            yield _build_share_step(name, label, explain[name])
    for name, value in _read_factors(one).items():
        yield ScoreStep(
            str(FACTOR_LABELS.get(name, name)),
            f"× {_format_number(value)}",
            _format_bar_length(value),
            _format_bar_length(most),
        )
    for name in sorted(explain.keys() - {*RETRIEVER_LABELS, *SCORE_STEP_LABELS, "factors", "relevance"}):
        yield ScoreStep(name, format_json_value(explain[name]))


def _build_share_step(name: str, label: object, value: Any) -> ScoreStep:
    bar = (_format_bar_length(value), _format_bar_length(1)) if name in STEPS_WITH_BAR else ()
    return ScoreStep(str(label), _format_number(value), *bar)


def _format_bar_length(value: float) -> str:
    return f"{value:.6f}"


def _read_factors(one: CandidateRecord) -> Mapping[str, float]:
    factors: Mapping[str, float] = (one["explain"] or {}).get("factors") or {}
    return factors


def _format_number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float | int) else format_json_value(value)
