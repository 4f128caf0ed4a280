"""Load the memories that a subject's prompts showed before a message: one query for a batch of messages, none for
most."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from html import escape
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from memory_platform.kernel.text import to_comparable
from profiles.prompt_lines import TagParts, render_preference, render_tag
from profiles.provenance_and_verdict import describe_value
from snapshots.echo.config import ECHO
from snapshots.echo.detection import (
    NO_ECHO,
    Echoes,
    ShownMemory,
    ShownPrompts,
    find_echoes,
    has_memory_elements,
    may_echo,
)
from snapshots.models import Message, MessageRole, Receipt
from snapshots.receipts.injected_memory_rows import INJECTED
from snapshots.receipts.read import unpack_rendered_prompt
from snapshots.understanding.heard.forget_orders import find_forget_orders
from tenants.isolation import current_tenant_id

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
# So few words or Chinese characters beside an order to forget say nothing by themselves.
_FEW_WORDS = 3
# The memories in each subject's newest prompts, with their current words; a deleted memory has no words.
SHOWN_SQL = f"""
WITH shown AS (
    SELECT u.subject_id, m.lane, m.memory_ref, min(r.created_at) AS since, max(r.created_at) AS last
    FROM unnest(%(subjects)s::uuid[], %(after)s::timestamptz[], %(before)s::timestamptz[])
        AS u (subject_id, after, before)
    CROSS JOIN LATERAL (
        SELECT id, created_at FROM receipt
        WHERE tenant_id = %(tenant)s AND subject_id = u.subject_id
            AND created_at > u.after AND created_at < u.before
        ORDER BY created_at DESC LIMIT %(receipts)s
    ) r
    JOIN {INJECTED} m
        ON m.tenant_id = %(tenant)s AND m.receipt_id = r.id AND m.subject_id = u.subject_id
    GROUP BY 1, 2, 3
    ORDER BY last DESC
    LIMIT %(memories)s
)
SELECT h.subject_id, h.lane, h.since, s.text, p.key, p.statement, p.category,
    coalesce(p.value, f.value), f.field, t.label, t.kind, t.address, t.phone, t.relation, t.aliases
FROM shown h
LEFT JOIN snapshot s ON h.lane = 'snapshots'
    AND s.tenant_id = %(tenant)s AND s.subject_id = h.subject_id AND s.id = h.memory_ref
LEFT JOIN preference p ON h.lane = 'preferences'
    AND p.tenant_id = %(tenant)s AND p.subject_id = h.subject_id AND p.id = h.memory_ref
LEFT JOIN profile_fact f ON h.lane = 'profile'
    AND f.tenant_id = %(tenant)s AND f.subject_id = h.subject_id AND f.id = h.memory_ref
LEFT JOIN tag t ON h.lane = 'tags'
    AND t.tenant_id = %(tenant)s AND t.subject_id = h.subject_id AND t.id = h.memory_ref
"""  # noqa: S608  # made of constants; values are parameters


@dataclass(frozen=True, slots=True)
class ShownBySubject:
    """The content of prompts by subject."""

    by_subject: Mapping[UUID, ShownPrompts] = field(default_factory=dict)

    def find_echoes(self, message: Message) -> Echoes:
        """Return the echoes in ``message`` and its orders to forget. Neither says anything about the subject, nor do a
        few words beside an order (忘了吧)."""
        shown = self.by_subject.get(message.subject_id)
        found = NO_ECHO
        if shown is not None:
            found = find_echoes(message.content, message.role, shown, message.accepted_at)
        orders = find_forget_orders(message.content) if message.role == MessageRole.USER else ()
        if not orders:
            return found
        found = replace(found, sentences=(*found.sentences, *((one.start, one.end) for one in orders)))
        is_told = len(_WORD.findall(found.remove_echoes(message.content))) > _FEW_WORDS
        return found if is_told else replace(found, sentences=((0, len(message.content)),))

    def find_own_words(self, message: Message) -> str:
        return self.find_echoes(message).remove_echoes(message.content)


NOTHING_SHOWN = ShownBySubject()


def load_shown_prompts(messages: Sequence[Message], *, receipts: int = ECHO.receipts) -> ShownBySubject:
    """Return the content of the newest ``receipts`` of the messages' subjects before them, in the open scope. Costs one
    query when a message may hold an echo, and one more when one holds elements as prompts write them."""
    looked_at = [message for message in messages if message.content and may_echo(message.content, message.role)]
    if not looked_at:
        return NOTHING_SHOWN
    times: dict[UUID, list[datetime]] = {}
    for message in looked_at:
        times.setdefault(message.subject_id, []).append(message.accepted_at)
    held = _load_memories(times, receipts)
    lines = _load_prompt_lines([message for message in looked_at if has_memory_elements(message.content)])
    return ShownBySubject({one: ShownPrompts(held.get(one, ()), lines.get(one, frozenset())) for one in times})


def _load_memories(times: Mapping[UUID, Sequence[datetime]], receipts: int) -> dict[UUID, list[ShownMemory]]:
    with connection.cursor() as cursor:
        cursor.execute(
            SHOWN_SQL,
            {
                "tenant": current_tenant_id(),
                "subjects": list(times),
                "after": [min(at) - ECHO.within for at in times.values()],
                "before": [max(at) for at in times.values()],
                "receipts": receipts,
                "memories": ECHO.memories,
            },
        )
        rows = cursor.fetchall()
    found: dict[UUID, list[ShownMemory]] = {}
    for subject_id, *row in rows:
        if memory := _build_memory(*row):
            found.setdefault(subject_id, []).append(memory)
    return found


def _build_memory(
    lane: str, since: datetime, text: str | None, key: str | None, source_words: str | None, *more: Any
) -> Any:
    category, value, name, *place = more
    if lane == "preferences" and key is not None:
        text = render_preference(category, key, _describe_stored_value(value))
    elif lane == "profile" and name is not None:
        text = _describe_stored_value(value)
    elif lane == "tags" and place[0] is not None:
        text = render_tag(TagParts(*place))
    if text is None:
        return None
    return ShownMemory(text[: ECHO.memory_chars], lane, since, source_words or "", lane == "profile" and name == "name")


def _describe_stored_value(stored: Any) -> str:
    return describe_value(orjson.loads(stored) if isinstance(stored, str | bytes) else stored)


def _load_prompt_lines(messages: Sequence[Message]) -> dict[UUID, frozenset[str]]:
    """Return the lines of the newest stored prompts by subject: a product may send back a whole prompt. The question in
    a prompt is left out: those are the user's words."""
    found: dict[UUID, frozenset[str]] = {}
    for message in messages:
        newest = Receipt.objects.filter(
            subject_id=message.subject_id, created_at__lt=message.accepted_at, rendered__isnull=False
        ).order_by("-created_at")
        for receipt in newest.defer("candidates", "packed", "due", "sections")[: ECHO.prompts]:
            found[message.subject_id] = found.get(message.subject_id, frozenset()) | _list_prompt_lines(receipt)
    return found


def _list_prompt_lines(receipt: Receipt) -> frozenset[str]:
    rendered = unpack_rendered_prompt(receipt)
    if rendered is None:
        return frozenset()
    texts = [str(one.get("content") or "") for one in rendered.messages]
    lines = {to_comparable(line) for text in (*texts, rendered.text or "") for line in text.splitlines()}
    asked = f"{rendered.query}\n<query>{escape(rendered.query, quote=False)}</query>"
    return frozenset(lines - {to_comparable(line) for line in asked.splitlines()} - {""})
