"""``/v1/subjects/{subject_id}/asks``: questions to ask a subject, and the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_WRITE
from memory_platform.api.requests.fields import (
    FlagField,
    JsonField,
    OneOfField,
    ProductIdField,
    make_field_error,
)
from memory_platform.api.requests.sensitive_values import Sensitive, refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.v1.memories.common_memory_fields import VERDICT_HELP
from memory_platform.api.v1.recall.common_recall_fields import INTENT_HELP, PHASE_HELP
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.linear_model import Float32
from profiles.elicitation.answers import AskAnswer, AskAnswered, ValueUnclear, open_ask, read_answer, settle_ask
from profiles.elicitation.next_question import AskMoment, AskReason, record_next_ask
from profiles.models import Ask, AskPriority, Subject
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import build_subject_key, subject_by_external_id
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import ABSENT, NOT_A_LIST, OLDER, WEAKER
from snapshots.context.turn.intent import NO_VECTORS, detect_intent, detect_phase
from snapshots.context.turn.turn_classifiers import INTENTS, PHASES
from snapshots.models import Conversation, Message, MessageRole
from snapshots.notes.outdated_note_questions import NOTE_ASK_PREFIX, list_outdated_questions, settle_outdated_note
from snapshots.recall.question import prepare_question
from snapshots.sensitive.detector import is_telephone
from tenants.isolation import tenant_tx

COMPLAINT = "complaint"
QUIET_PHASES = frozenset({"in_depth", "after_sales"})
# The rules call every later turn in_depth that does nothing else. It is a deep talk only if the user wants to know.
DEEP_TALK = "knowledge"
BELOW = "subjects/<product_id:subject_id>/asks"


class NextAskInput(Input):
    """The conversation in which a question would be asked."""

    conversation_id = ProductIdField(help_text="Id of the conversation.")
    intent = OneOfField(
        choices=INTENTS, required=False, help_text=f"{INTENT_HELP} Default: read from the user's last message."
    )
    phase = OneOfField(
        choices=PHASES, required=False, help_text=f"{PHASE_HELP} Default: read from the user's last message."
    )


class AnswerInput(Input):
    """The user's answer to a question."""

    accepted = FlagField(help_text="True if the user answered, false if the user refused.")
    value = JsonField(
        required=False,
        help_text="The answer as a text. Also: a list of texts for `food`, `music` and `interests`; "
        "`{address, poi_id, lat, lon}` for `home` and `work`; a text with a telephone number, or "
        "`{person, phone, relation}`, for `emergency_contact`; for a note (`note:...`) true if it is still true, else "
        "false, or a text that begins with yes or no.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raise ValidationError for a value that comes with a refusal."""
        if "value" in attrs and not attrs["accepted"]:
            raise make_field_error("value", "contradiction", "Must not be given with a refusal.")
        return attrs


class AskOutput(Output):
    """A question to the user."""

    id = serializers.UUIDField(help_text="Id of the question.")
    key = serializers.CharField(help_text="What it asks for, such as `home`, or `note:` and the id of a note.")
    priority = serializers.ChoiceField(choices=AskPriority.values, help_text="How important it is to know.")
    question = serializers.CharField(help_text="The question in the user's language.")


class NextAskOutput(Output):
    """The question to ask now, if any."""

    ask = AskOutput(allow_null=True, help_text="The question; null if none should be asked now.")
    reason = serializers.ChoiceField(
        choices=list(AskReason),
        help_text="Why it is asked (`missing`, or `possibly_outdated`: a note may have ended), or why no question is.",
    )


class SettledAskOutput(Output):
    """The result of an answer."""

    ask = AskOutput(help_text="The question.")
    accepted = serializers.BooleanField(help_text="Whether the user answered.")
    verdict = serializers.ChoiceField(
        choices=Verdict.values, allow_null=True, help_text=f"{VERDICT_HELP} Null if there was nothing to write."
    )
    reason = serializers.ChoiceField(
        choices=[OLDER, WEAKER, NOT_A_LIST, ABSENT],
        allow_null=True,
        help_text="Reason for the verdict; null if it needs none.",
    )


@dataclass(frozen=True, slots=True)
class LastWords:
    """The user's last messages, newest first, and the vectors of the newest by embedding space."""

    texts: list[str] = field(default_factory=list)
    vectors: Mapping[str, Float32] = field(default_factory=dict)


class NextAskView(SubjectView):
    noun = "asks"
    required_scope = MEMORY_WRITE

    @operation("next_ask", request=NextAskInput, answer=NextAskOutput)
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Get the question to ask next, and count it as asked. The subject is created if it is unknown.

        The most important question comes first. A note that may be outdated, or whose `review_by` has passed, is asked
        about before questions of medium importance. There are at most two questions in a conversation, none after a
        refusal in it, one of a kind per day, none again for thirty days after a refusal, and none while the user
        complains or is deep in a topic.
        """
        given = NextAskInput.parse(request)
        is_told = "intent" in given or "phase" in given
        words = LastWords() if is_told else self.load_last_words(subject_id, given["conversation_id"])
        return write_once(request, partial(reply_with_next_ask, subject_id, given, words))

    def load_last_words(self, subject_id: str, conversation_id: str) -> LastWords:
        """Return the user's last messages. Embeds: no transaction may be open."""
        with tenant_tx(self.tenant_id):
            texts = last_texts(subject_id, conversation_id)
        return LastWords(texts, prepare_question(texts[0]).probe.vectors if texts else {})


class AnswerView(SubjectView):
    noun = "asks"
    required_scope = MEMORY_WRITE

    @operation(
        "answer_ask",
        request=AnswerInput,
        answer=SettledAskOutput,
        errors=[NotFound, AskAnswered, ValueUnclear, Sensitive],
    )
    def post(self, request: Request, subject_id: str, ask_id: UUID) -> HttpResponse:
        """Record the user's answer to a question. The value is stored as confirmed by the user.

        A question that was answered before is 409 `ask_answered`. A value that does not answer the question is 422
        `value_unclear`.
        """
        return write_once(request, partial(record_answer, subject_id, ask_id, AnswerInput.parse(request)))


def reply_with_next_ask(subject_id: str, body: dict[str, Any], words: LastWords) -> Reply:
    subject = ensure_subject(subject_id)
    decision = record_next_ask(subject, find_ask_moment(subject, body, words), doubted=list_outdated_questions(subject))
    return Reply(NextAskOutput.render(decision), subject_id=subject.id)


def record_answer(subject_id: str, ask_id: UUID, body: dict[str, Any]) -> Reply:
    """Record an answer in the open transaction."""
    subject = subject_by_external_id(subject_id)
    ask = open_ask(subject, ask_id)
    verdict, reason = settle_answer(subject, ask, body)
    result = {"accepted": body["accepted"], "verdict": verdict, "reason": reason or None}
    return Reply({"ask": AskOutput.render(ask), **result}, subject_id=subject.id)


def settle_answer(subject: Subject, ask: Ask, body: dict[str, Any]) -> tuple[Verdict | None, str]:
    """Store the answer to a question, or confirm or end the note that it asks about; return verdict and reason."""
    if ask.key.startswith(NOTE_ASK_PREFIX):
        verdict = settle_outdated_note(subject, ask.key, body["value"]) if "value" in body else None
        settle_ask(subject, ask, accepted=body["accepted"])
        return verdict, ""
    answer = None
    if "value" in body:
        answer = read_answer(ask.key, body["value"], question=ask.question)
        refuse_sensitive_answer(answer)
    written = settle_ask(subject, ask, accepted=body["accepted"], answer=answer)
    return written.verdict, written.reason


def find_ask_moment(subject: Subject, body: dict[str, Any], words: LastWords) -> AskMoment:
    """Return where the conversation stands: as the caller says, else by the user's last message."""
    conversation_id = body["conversation_id"]
    texts = words.texts or last_texts(subject.external_id, conversation_id)
    last = texts[0] if texts else ""
    if "intent" in body or "phase" in body:
        quiet = body.get("intent") == COMPLAINT or body.get("phase") in QUIET_PHASES
    else:
        quiet = bool(last) and is_quiet(last, turns=len(texts) - 1, vectors=words.vectors)
    return AskMoment(conversation_id, quiet, last or last_text_anywhere(subject))


def last_texts(subject_id: str, conversation_id: str) -> list[str]:
    """Return the user's last two messages in a conversation, newest first; empty for an unknown subject."""
    rows = Message.objects.filter(
        subject_id=build_subject_key(subject_id), conversation__external_id=conversation_id, role=MessageRole.USER
    )
    return list(rows.order_by("-seq").values_list("content", flat=True)[:2])


def last_text_anywhere(subject: Subject) -> str:
    """Return the user's last message in the latest conversation. Its language is used if this one has no message."""
    latest = Conversation.objects.filter(subject_id=subject.id).order_by("-last_accepted_at").first()
    if latest is None:
        return ""
    rows = Message.objects.filter(subject_id=subject.id, conversation_id=latest.id, role=MessageRole.USER)
    return rows.order_by("-seq").values_list("content", flat=True).first() or ""


def is_quiet(text: str, *, turns: int, vectors: Mapping[str, Float32] = NO_VECTORS) -> bool:
    """Return whether the user should not be asked something else now. ``turns`` is the number of user messages before
    ``text``, ``vectors`` its vectors by embedding space."""
    intent = detect_intent(text, vectors)
    phase = detect_phase(text, intent=intent, turns=turns, vectors=vectors)
    return intent == COMPLAINT or phase == "after_sales" or (phase == "in_depth" and intent == DEEP_TALK)


def refuse_sensitive_answer(answer: AskAnswer) -> None:
    """Raise Sensitive if an answer holds a secret. A telephone number is allowed."""
    details = {name: value for name, value in (answer.details or {}).items() if name not in {"kind", "poi_id"}}
    if is_telephone(str(details.get("phone", ""))):
        details.pop("phone", None)
    refuse_sensitive({"value": [answer.text, *answer.entries, answer.label, *map(str, details.values())]})


urlpatterns = [
    path(f"{BELOW}/next", NextAskView.as_view(), name="asks-next"),
    path(f"{BELOW}/<own_id:ask_id>/answer", AnswerView.as_view(), name="ask-answer"),
]
