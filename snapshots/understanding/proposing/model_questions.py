"""Ask a chat model about several messages of one subject. No transaction may be open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.text import detect_language
from memory_platform.observability.logs import Event, log
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.changes.predicted_endings import CurrentNote
from snapshots.understanding.proposing.answer_schema import Proposals, build_schema, make_note_handles
from snapshots.understanding.proposing.config import ASKING
from snapshots.understanding.proposing.prompts import ENDED, FIELDS, PROPOSE
from snapshots.understanding.proposing.proposal_metrics import count_unknown_messages
from tenants.policies.descriptions_value_kind import FieldDescription

_ORIGIN_CHARS = 64


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as a model is shown it."""

    message_id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """Messages for one call, the current notes that they may end, and the fields that their product asks for."""

    messages: tuple[ShownMessage, ...]
    notes: tuple[CurrentNote, ...] = ()
    requested_fields: tuple[FieldDescription, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageProposals:
    """A model's proposals for one message. ``origin`` names prompt and model."""

    origin: str
    proposals: Proposals
    notes_by_handle: Mapping[str, CurrentNote] = field(default_factory=dict)


ProposedByMessage = Mapping[UUID, MessageProposals]


def collect_proposals(model: ChatModel, questions: Sequence[ModelQuestion]) -> ProposedByMessage:
    """Return a model's proposals by message. After its first failure the model is not asked again."""
    proposed: dict[UUID, MessageProposals] = {}
    for question in questions:
        if question.messages:
            try:
                proposed |= ask_question(model, question)
            except ChatUnavailable as unavailable:
                log(Event.EXTRACTION_DEGRADED, messages=len(question.messages), error=unavailable.failure)
                break
    return proposed


def ask_question(model: ChatModel, question: ModelQuestion) -> dict[UUID, MessageProposals]:
    """Return a model's proposals for each message of a question. Items that name another message are only counted.
    Raises ChatUnavailable."""
    shape = build_schema(len(question.messages), len(question.notes), question.requested_fields)
    answer = Proposals.from_answer(model.ask_structured(build_prompt(question), shape).value)
    origin = f"{PROPOSE.version}:{model.name}"[:_ORIGIN_CHARS]
    held = dict(zip(make_note_handles(len(question.notes)), question.notes, strict=True))
    count_unknown_messages(answer, len(question.messages))
    numbered = enumerate(question.messages, start=1)
    return {one.message_id: MessageProposals(origin, answer.for_message(number), held) for number, one in numbered}


def build_prompt(question: ModelQuestion) -> ChatPrompt:
    """Return the prompt of a question: messages by number and notes by handle, each in a fence that it cannot leave,
    secrets masked."""
    texts = [mask_sensitive(one.text[: ASKING.message_chars])[0] for one in question.messages]
    language, nonce = detect_language("\n".join(texts)), new_nonce()
    shown = [f"{number}:\n{fence_text(text, nonce)}" for number, text in enumerate(texts, start=1)]
    handles = make_note_handles(len(question.notes))
    shown += [
        f"{handle}:\n{fence_text(one.content.text, nonce)}" for handle, one in zip(handles, question.notes, strict=True)
    ]
    optional = ((FIELDS, question.requested_fields), (ENDED, question.notes))
    more = "".join(part.text(language) for part, needed in optional if needed)
    told = PROPOSE.text(language).replace("{more}", more)
    return ChatPrompt(f"{told}\n{fence_rule(language, nonce)}", "\n".join(shown))
