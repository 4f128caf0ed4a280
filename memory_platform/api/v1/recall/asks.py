"""``/v1/subjects/{subject_id}/asks``: what to ask a subject next, and what came of it (row A2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_WRITE
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import FlagField, JsonField, OneOfField, ProductIdField, TextField, names
from memory_platform.api.requests.sensitive import Sensitive, refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.v1.recall.context import INTENT_CHARS
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.linear_model import Float32
from profiles.elicitation.answers import AskAnswer, AskAnswered, ValueUnclear, open_ask, read_answer, settle_ask
from profiles.elicitation.asking import AskMoment, AskReason, next_ask
from profiles.models import Ask, AskPriority, Subject
from profiles.selectors import subject_by_external_id
from profiles.services.subjects import ensure_subject
from profiles.values import Verdict
from snapshots.context.turn.intent import NO_VECTORS, detect_intent, detect_phase
from snapshots.context.turn.phase_reader import PHASES
from snapshots.models import Conversation, Message, MessageRole
from snapshots.recall.search import prepare_question
from snapshots.sensitive.detector import is_telephone
from snapshots.understanding.changes.asking import OF_A_NOTE, outdated_needs, settle_outdated
from tenants.isolation import tenant_tx

COMPLAINT = "complaint"
QUIET_PHASES = frozenset({"in_depth", "after_sales"})
DEEP_TALK = "knowledge"
"""Rules call every later turn in_depth that does nothing else; it is deep talk where the user asks to understand."""
BELOW = "subjects/<product_id:subject_id>/asks"


class NextAskInput(Input):
    """Where the conversation stands; what is not given is read from the user's last message."""

    conversation_id = ProductIdField()
    intent = TextField(max_bytes=4 * INTENT_CHARS, max_length=INTENT_CHARS, required=False)
    phase = OneOfField(choices=names(PHASES), required=False)


class AnswerInput(Input):
    """Whether the subject answered, and what.

    ``value``: a text; for food, music and interests also a list of texts; for home and work also ``{address, poi_id,
    lat, lon}``; for emergency_contact a text with a telephone number, or ``{person, phone, relation}``; for a note that
    may be outdated (``note:...``) true while it still holds, else false, or a text that begins with yes or no.
    """

    accepted = FlagField()
    value = JsonField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a value that comes with a refusal."""
        if "value" in attrs and not attrs["accepted"]:
            raise fault("value", "contradiction", "Must not be given with a refusal.")
        return attrs


class AskOutput(Output):
    """One question, in the subject's language."""

    id = serializers.UUIDField()
    key = serializers.CharField()
    priority = serializers.ChoiceField(choices=names(AskPriority.values))
    question = serializers.CharField()


class NextAskOutput(Output):
    """The question to ask now; null with the reason where none should be asked."""

    ask = AskOutput(allow_null=True)
    reason = serializers.ChoiceField(choices=names(tuple(AskReason)))


class SettledAskOutput(Output):
    """What came of an ask; verdict null where nothing was to be written."""

    ask = AskOutput()
    accepted = serializers.BooleanField()
    verdict = serializers.ChoiceField(choices=names(Verdict.values), allow_null=True)
    reason = serializers.CharField(allow_null=True)


@dataclass(frozen=True, slots=True)
class Heard:
    """What the user said last, the newest first, and the vectors of the newest by embedding space."""

    said: list[str] = field(default_factory=list)
    vectors: Mapping[str, Float32] = field(default_factory=dict)


NOTHING = Heard()


class NextAskView(SubjectView):
    """The next question."""

    noun = "asks"
    required_scope = MEMORY_WRITE

    @operation("next_ask", request=NextAskInput, answer=NextAskOutput)
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Return what to ask next, most important first, and count it as asked; makes the subject on first sight.

        A note that may be outdated, or whose ``review_by`` has passed, is asked about ("Is it still so?") before what
        is of medium importance.

        At most two in a conversation, none after a refusal in it, the same kind once a day and a refused one not for
        thirty, nothing that is known, and none while the user complains or is deep in something.
        """
        given = NextAskInput.parse(request)
        told = "intent" in given or "phase" in given
        heard = NOTHING if told else self.heard(subject_id, given["conversation_id"])
        return write_once(request, partial(ask_next, subject_id, given, heard))

    def heard(self, subject_id: str, conversation_id: str) -> Heard:
        """Return what the user said last, embedded with no transaction open."""
        with tenant_tx(self.tenant_id):
            said = lately_said(subject_id, conversation_id)
        vectors = prepare_question(said[0]).probe.vectors if said else {}
        return Heard(said, vectors)


class AnswerView(SubjectView):
    """Answers to one question."""

    noun = "asks"
    required_scope = MEMORY_WRITE

    @operation(
        "answer_ask",
        request=AnswerInput,
        answer=SettledAskOutput,
        errors=[NotFound, AskAnswered, ValueUnclear, Sensitive],
    )
    def post(self, request: Request, subject_id: str, ask_id: UUID) -> HttpResponse:
        """Record the answer; a value is written as the user's own word, and the verdict says what that did.

        Answered before: 409 ``ask_answered``. A value that is not what was asked for: 422 ``value_unclear``.
        """
        return write_once(request, partial(answered, subject_id, ask_id, AnswerInput.parse(request)))


def ask_next(subject_id: str, given: dict[str, Any], heard: Heard) -> Reply:
    """Choose the next question inside the open transaction."""
    subject = ensure_subject(subject_id)
    decision = next_ask(subject, moment_of(subject, given, heard), doubted=outdated_needs(subject))
    shown = shown_ask(decision.ask) if decision.ask else None
    return Reply({"ask": shown, "reason": decision.why}, subject_id=subject.id)


def answered(subject_id: str, ask_id: UUID, given: dict[str, Any]) -> Reply:
    """Record an answer inside the open transaction."""
    subject = subject_by_external_id(subject_id)
    ask = open_ask(subject, ask_id)
    if ask.key.startswith(OF_A_NOTE):
        return settled(subject, ask, given)
    answer = None
    if "value" in given:
        answer = read_answer(ask.key, given["value"], question=ask.question)
        refuse_in(answer)
    written = settle_ask(subject, ask, accepted=given["accepted"], answer=answer)
    shown = {"ask": shown_ask(ask), "accepted": given["accepted"], "verdict": written.verdict}
    return Reply({**shown, "reason": written.reason or None}, subject_id=subject.id)


def settled(subject: Subject, ask: Ask, given: dict[str, Any]) -> Reply:
    """Confirm or end the note that an ask was for."""
    verdict = settle_outdated(subject, ask.key, given["value"]) if "value" in given else None
    settle_ask(subject, ask, accepted=given["accepted"])
    shown = {"ask": shown_ask(ask), "accepted": given["accepted"], "verdict": verdict, "reason": None}
    return Reply(shown, subject_id=subject.id)


def moment_of(subject: Subject, given: dict[str, Any], heard: Heard) -> AskMoment:
    """Return where the conversation stands: as the caller says, else as the user's last message tells."""
    conversation_id = given["conversation_id"]
    said = heard.said or lately_said(subject.external_id, conversation_id)
    last = said[0] if said else ""
    if "intent" in given or "phase" in given:
        quiet = given.get("intent") == COMPLAINT or given.get("phase") in QUIET_PHASES
    else:
        quiet = bool(last) and is_quiet(last, turns=len(said) - 1, vectors=heard.vectors)
    return AskMoment(conversation_id, quiet, last or said_lately(subject))


def lately_said(subject_id: str, conversation_id: str) -> list[str]:
    """Return the user's last message in a conversation, and the one before it; empty for an unknown subject."""
    rows = Message.objects.filter(
        subject__external_id=subject_id, conversation__external_id=conversation_id, role=MessageRole.USER
    )
    return list(rows.order_by("-seq").values_list("content", flat=True)[:2])


def said_lately(subject: Subject) -> str:
    """Return the user's last words in the conversation heard last: their language counts where this one has none."""
    heard = Conversation.objects.filter(subject_id=subject.id).order_by("-last_accepted_at").first()
    if heard is None:
        return ""
    rows = Message.objects.filter(subject_id=subject.id, conversation_id=heard.id, role=MessageRole.USER)
    return rows.order_by("-seq").values_list("content", flat=True).first() or ""


def is_quiet(text: str, *, turns: int, vectors: Mapping[str, Float32] = NO_VECTORS) -> bool:
    """Return whether a user who says this should not be asked for something else. ``turns``: user turns before it;
    ``vectors``: those of the text by embedding space."""
    intent = detect_intent(text, vectors)
    phase = detect_phase(text, intent=intent, turns=turns, vectors=vectors)
    return intent == COMPLAINT or phase == "after_sales" or (phase == "in_depth" and intent == DEEP_TALK)


def refuse_in(answer: AskAnswer) -> None:
    """Raise Sensitive when an answer holds what must not be remembered; a telephone number is what is asked for."""
    said = {name: value for name, value in (answer.details or {}).items() if name not in {"kind", "poi_id"}}
    if is_telephone(str(said.get("phone", ""))):
        said.pop("phone", None)
    refuse_sensitive({"value": [answer.text, *answer.entries, answer.label, *map(str, said.values())]})


def shown_ask(ask: Ask) -> dict[str, Any]:
    """Return an ask as the API shows it."""
    return {"id": ask.id, "key": ask.key, "priority": ask.priority, "question": ask.question}


urlpatterns = [
    path(f"{BELOW}/next", NextAskView.as_view(), name="asks-next"),
    path(f"{BELOW}/<own_id:ask_id>/answer", AnswerView.as_view(), name="ask-answer"),
]
