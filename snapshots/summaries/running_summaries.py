"""Worker: the running summary of a long conversation, one for each stretch of turns.

A prompt is [system] + [summary so far] + [last turns]. Rules write the summary; a model is asked if rules leave too
much, and its text is used only if it is valid.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.kernel.text import detect_language, index_form
from memory_platform.observability.logs import Event, log
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable
from snapshots.conversation_queries import add_archived_words
from snapshots.echo.config import ECHO
from snapshots.models import Conversation, Message, MessageRole
from snapshots.queue.draining.leases import complete_items, lock_leased
from snapshots.queue.values import ClaimedWork
from snapshots.sensitive.detector import is_sensitive
from snapshots.summaries.config import RUNNING, RunningConfig
from snapshots.summaries.prompts import SUMMARISE
from snapshots.summaries.rule_summaries import is_too_much_for_rules, mask_and_filter_messages, summarise_by_rules
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import estimate_tokens, fold_for_matching
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN, ShownBySubject, load_shown_prompts
from snapshots.understanding.statements.statements import build_own_utterance
from snapshots.understanding.values import Utterance
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat

RULES = "rules"
_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """The input of a summary: the summary so far, the last message that it covers, the later ones, and the prompts'
    content."""

    conversation: Conversation
    messages: tuple[Message, ...]
    prompts: ShownBySubject = NOTHING_SHOWN


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A summary and its author; ``fell_back``: a model was asked and gave nothing usable."""

    text: str
    by: str
    fell_back: bool = False


def write_summaries(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Update the running summaries of claimed stretches: read, write with no transaction open, store. A summary that
    moved on meanwhile stays: of two workers the later one has read less."""
    with tenant_tx(tenant_id):
        stretches = [found for item in items if (found := load_summary_input(item))]
    model = find_metered_chat(tenant_id, "summarise") if stretches else None
    written = [(one, summarise(one, model)) for one in stretches]
    with tenant_tx(tenant_id):
        held = lock_leased(items)
        ours = {item.conversation_id for item in held}
        for stretch, summary in written:
            if stretch.conversation.id in ours:
                _store_summary(stretch, summary)
        complete_items(held)


def load_summary_input(item: ClaimedWork) -> SummaryInput | None:
    """Return the messages to summarise: all before the last turns that no summary covers; None if no message is left.
    A turn begins with a user's message."""
    conversation = Conversation.objects.filter(subject_id=item.subject_id, id=item.conversation_id).first()
    if conversation is None or not conversation.remember:
        return None
    own = Message.objects.filter(subject_id=item.subject_id, conversation_id=item.conversation_id)
    turns = own.filter(role=MessageRole.USER).order_by("-seq").values_list("seq", flat=True)
    first_shown = list(turns[RUNNING.turns_shown - 1 : RUNNING.turns_shown])
    if not first_shown:
        return None
    passed = own.filter(seq__gt=conversation.summarised_seq, seq__lt=first_shown[0]).order_by("seq")
    messages = tuple(add_archived_words(list(passed[: RUNNING.messages_read])))
    if not messages:
        return None
    return SummaryInput(conversation, messages, load_shown_prompts(messages, receipts=ECHO.receipts_of_conversation))


def summarise(stretch: SummaryInput, model: ChatModel | None) -> SummaryText:
    """Return the new summary. With a model, no transaction may be open."""
    so_far = stretch.conversation.summary
    said = [build_own_utterance(one, stretch.prompts) for one in stretch.messages if one.remember]
    told = mask_and_filter_messages(said)
    by_rules = summarise_by_rules(so_far, told, config=RUNNING)
    if model is None or not is_too_much_for_rules(so_far, told):
        return SummaryText(by_rules, RULES)
    try:
        text = model.text(build_summary_prompt(so_far, told, RUNNING)).value.strip()
    except ChatUnavailable:
        return SummaryText(by_rules, RULES, fell_back=True)
    if not is_supported_by(text, so_far, told):
        return SummaryText(by_rules, RULES, fell_back=True)
    return SummaryText(text, model.name)


def build_summary_prompt(so_far: str, messages: Sequence[Utterance], config: RunningConfig = RUNNING) -> ChatPrompt:
    """Return the prompt: the summary so far and the messages, each in a fence that none can leave. If there is more
    than a model can read, rules choose the part."""
    said = "\n".join(f"{message.name or message.role}: {message.text}" for message in messages)
    if len(said) > config.prompt_chars:
        said = summarise_by_rules("", messages, config=replace(config, budget=config.prompt_chars // _CHARS_PER_TOKEN))
    language, nonce = detect_language(said), new_nonce()
    instructions = SUMMARISE.text(language).format(words=config.words) + "\n" + fence_rule(language, nonce)
    parts = [fence_text(so_far, nonce)] if so_far else []
    return ChatPrompt(instructions, "\n".join([*parts, fence_text(said, nonce)]))


def is_supported_by(text: str, so_far: str, messages: Sequence[Utterance]) -> bool:
    """Return whether a model's summary may be kept: short enough, no orders, no secrets, no new numbers. A refusal or
    half an answer is a text, too: most of its words are not from the conversation."""
    if not text or estimate_tokens(text) > RUNNING.budget * RUNNING.tolerated:
        return False
    if is_instruction(fold_for_matching(text)) or is_sensitive(text):
        return False
    source = "\n".join((so_far, *(message.text for message in messages)))
    words = set(_WORD.findall(index_form(text)))
    if len(words & set(_WORD.findall(index_form(source)))) < RUNNING.from_source * len(words):
        return False
    return set(_NUMBER.findall(text)) <= set(_NUMBER.findall(source))


def _store_summary(stretch: SummaryInput, summary: SummaryText) -> None:
    before = stretch.conversation
    up_to = stretch.messages[-1].seq
    mine = Conversation.objects.filter(
        subject_id=before.subject_id, id=before.id, summarised_seq=before.summarised_seq, summary=before.summary
    )
    if mine.update(summary=summary.text, summarised_seq=up_to):
        log(
            Event.SUMMARY_WRITTEN,
            conversation=before.id,
            messages=len(stretch.messages),
            by=summary.by,
            fell_back=summary.fell_back,
        )
