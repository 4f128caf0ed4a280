"""The statement that writes messages: a batch as one JSON value, a tenth of the cost of one parameter per column."""

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection

from snapshots.models import Conversation, Message
from tenants.isolation import current_tenant_id

_INSERT = """
INSERT INTO message (
    tenant_id, subject_id, conversation_id, accepted_at, id, external_id, seq, role, name, content, parts, tool_calls,
    tool_call_id, metadata, remember, content_hash, tokens, said_at,
    said_offset
)
SELECT
    %(tenant)s, %(subject)s, %(conversation)s, %(accepted_at)s, m.id, m.external_id, m.seq, m.role, m.name, m.content,
    m.parts, m.tool_calls, m.tool_call_id, m.metadata, m.remember, decode(m.content_hash, 'hex'), m.tokens, m.said_at,
    m.said_offset
FROM jsonb_to_recordset(%(messages)s::jsonb) AS m (
    id uuid, external_id text, seq bigint, role text, name text, content text, parts jsonb, tool_calls jsonb,
    tool_call_id text, metadata jsonb, remember boolean, content_hash text, tokens integer, said_at timestamptz,
    said_offset smallint
)
"""
_COLUMNS = (
    "id",
    "external_id",
    "seq",
    "role",
    "name",
    "content",
    "parts",
    "tool_calls",
    "tool_call_id",
    "metadata",
    "remember",
    "tokens",
    "said_at",
    "said_offset",
)


def insert_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    """Write new messages of one acceptance, in the open ``tenant_tx``."""
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "tenant": current_tenant_id(),
                "subject": conversation.subject_id,
                "conversation": conversation.id,
                "accepted_at": messages[0].accepted_at,
                "messages": orjson.dumps([_row(message) for message in messages]).decode(),
            },
        )


def _row(message: Message) -> dict[str, Any]:
    return {
        **{column: getattr(message, column) for column in _COLUMNS},
        "content_hash": bytes(message.content_hash).hex(),
    }
